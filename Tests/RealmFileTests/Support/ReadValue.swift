import RealmFile

/// A value with all that lies in it.
enum ReadValue: Equatable {
    struct Entry: Equatable {
        var key: RealmValue
        var value: ReadValue
    }

    /// No collection.
    case single(RealmValue)
    case list([ReadValue])
    case set([ReadValue])
    case dictionary([Entry])

    init(_ value: RealmValue) throws(RealmFileError) {
        switch value {
        case .list(let elements): self = .list(try Self.read(elements))
        case .set(let elements): self = .set(try Self.read(elements))
        case .dictionary(let dictionary):
            var entries: [Entry] = []
            var iterator = dictionary.makeIterator()
            while let entry = try iterator.next() {
                entries.append(Entry(key: entry.key, value: try ReadValue(entry.value)))
            }
            self = .dictionary(entries)
        default: self = .single(value)
        }
    }

    private static func read(_ elements: RealmElements) throws(RealmFileError) -> [ReadValue] {
        var values: [ReadValue] = []
        var iterator = elements.makeIterator()
        while let element = try iterator.next() { values.append(try ReadValue(element)) }
        return values
    }

    static var null: Self { .single(.null) }
    static func integer(_ value: Int64) -> Self { .single(.integer(value)) }
    static func string(_ value: String) -> Self { .single(.string(value)) }
    static func link(_ link: RealmLink) -> Self { .single(.link(link)) }
}

extension RealmObject {
    /// A value with all that lies in it.
    func read(_ property: RealmClass.Property) throws(RealmFileError) -> ReadValue {
        try ReadValue(value(property))
    }

    func read(_ name: String) throws(RealmFileError) -> ReadValue { try ReadValue(value(name)) }
}
