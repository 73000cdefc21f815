/// Goes through all that lies in a value: the value itself, and of a collection the elements, in turn with what lies in
/// them. Not by recursion: collections lie in each other up to a hundred deep.
struct NestedWalk {
    private enum Level {
        case elements(ElementCursor)
        case entries(DictionaryCursor)
    }

    private var first: RealmValue?
    private var open: [Level] = []

    init(_ value: RealmValue) {
        first = value
    }

    /// The next value, a collection before what lies in it; nil after the last one. Of dictionaries no keys.
    mutating func next() throws(RealmFileError) -> RealmValue? {
        if let value = first {
            first = nil
            try enter(value)
            return value
        }
        while let level = open.last {
            let value =
                switch level {
                case .elements(let cursor): try cursor.next()
                case .entries(let cursor): try cursor.next()?.value
                }
            guard let value else {
                open.removeLast()
                continue
            }
            try enter(value)
            return value
        }
        return nil
    }

    private mutating func enter(_ value: RealmValue) throws(RealmFileError) {
        switch value {
        case .list(let elements), .set(let elements):
            open.append(.elements(try ElementCursor(elements.place)))
        case .dictionary(let dictionary):
            open.append(.entries(try DictionaryCursor(dictionary.place)))
        default: break
        }
    }
}
