/// The text of a dump, of which parts are still to be written.
///
/// Not by recursion: objects and collections lie in each other, a hundred deep each. And in pieces: a list of a million
/// zeros takes 15 KB in a file, and a text may be one of a million elements.
struct DumpText {
    /// Realm's own limit for objects within objects.
    private static let depthMax = 100
    /// How much is written before somebody is asked to take it.
    static let pieceByteCount = 1 << 16
    /// Longer texts, and data, are written in pieces.
    private static let shortByteCount = 1 << 12

    private let realm: RealmReader
    private let showsAllData: Bool
    private let naming: RealmDumpWriter.LinkNaming?
    /// What is still to be written, the next part last.
    private var open: [Part] = []
    /// What has been written, UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Something that is still to be written, or the rest of it.
    private enum Part {
        case literal(String)
        /// A text, from a place in its UTF-8 on, and what follows it.
        case text(String, from: String.Index, end: String)
        /// Data as hexadecimal digits, from a place on, and what follows it.
        case digits([UInt8], from: Int, end: String)
        case value(RealmValue, depth: Int)
        case columns(RealmClass, from: Int)
        case properties(RealmObject, from: Int, depth: Int)
        case elements(ElementCursor, isFirst: Bool, depth: Int)
        case entries(DictionaryCursor, isFirst: Bool, depth: Int)
    }

    init(_ realm: RealmReader, showsAllData: Bool, naming: RealmDumpWriter.LinkNaming?) {
        self.realm = realm
        self.showsAllData = showsAllData
        self.naming = naming
    }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Begins the line of a class.
    mutating func begin(_ realmClass: RealmClass) {
        var middle = ",\"key\":\(realmClass.tableKey),\"type\":\(realmClass.kind.number)"
        middle += ",\"count\":\(realmClass.objectCount),\"pk\":"
        append("{\"table\":")
        open = [.literal("]}\n"), .columns(realmClass, from: 0)]
        if let primaryKey = realmClass.primaryKey {
            push(primaryKey.name, end: ",\"columns\":[")
        } else {
            open.append(.literal("null,\"columns\":["))
        }
        push(realmClass.tableName, end: middle)
    }

    /// Begins the line of an object.
    mutating func begin(_ object: RealmObject) {
        append("{\"t\":")
        open = [.literal("}\n"), .properties(object, from: 0, depth: 0)]
        push(object.realmClass.tableName, end: ",\"k\":\(object.key),\"v\":{")
    }

    /// Begins a value.
    mutating func begin(_ value: RealmValue) { open = [.value(value, depth: 0)] }

    /// Gives up what is still to be written.
    mutating func abandon() { open = [] }

    /// Writes until so much is there. Returns whether there is more.
    mutating func writePiece(upTo end: Int = .max) throws(RealmFileError) -> Bool {
        do throws(RealmFileError) {
            while bytes.count < end, let part = open.popLast() { try write(part) }
        } catch {
            open = []
            throw error
        }
        return !open.isEmpty
    }

    // MARK: Parts

    private mutating func write(_ part: Part) throws(RealmFileError) {
        switch part {
        case .literal(let text): append(text)
        case .text(let text, let start, let end): write(text, from: start, end)
        case .digits(let data, let start, let end): write(data, from: start, end)
        case .value(let value, let depth): try write(value, depth)
        case .columns(let realmClass, let place): writeColumn(place, realmClass)
        case .properties(let object, let place, let depth):
            let properties = object.realmClass.properties
            guard place < properties.count else { return append("}") }
            if place > 0 { append(",") }
            let property = properties[place]
            let value = try object.value(property)
            open.append(.properties(object, from: place + 1, depth: depth))
            try writeEntry(property.name, value, depth)
        case .elements(let cursor, let isFirst, let depth):
            guard let value = try cursor.next() else { return append("]") }
            if !isFirst { append(",") }
            open.append(.elements(cursor, isFirst: false, depth: depth))
            try write(value, depth)
        case .entries(let cursor, let isFirst, let depth):
            guard let entry = try cursor.next() else { return append("}}") }
            if !isFirst { append(",") }
            open.append(.entries(cursor, isFirst: false, depth: depth))
            switch entry.key {
            case .string(let key): try writeEntry(key, entry.value, depth)
            case .integer(let key): try writeEntry(String(key), entry.value, depth)
            default: try writeEntry("", entry.value, depth)
            }
        }
    }

    /// Writes a name and the value that belongs to it.
    private mutating func writeEntry(
        _ name: String,
        _ value: RealmValue,
        _ depth: Int
    ) throws(RealmFileError) {
        guard name.utf8.count <= Self.shortByteCount else {
            open.append(.value(value, depth: depth))
            push(name, end: ":")
            return
        }
        write(short: name)
        append(":")
        try write(value, depth)
    }

    private mutating func writeColumn(_ place: Int, _ realmClass: RealmClass) {
        guard place < realmClass.properties.count else { return }
        let property = realmClass.properties[place]
        open.append(.columns(realmClass, from: place + 1))
        let middle = ",\(property.type.rawValue),\(property.attributeBits),"
        append(place == 0 ? "[" : ",[")
        if let target = property.targetIndex {
            push(realm.classes[target].tableName, end: "]")
            push(property.name, end: middle)
        } else {
            push(property.name, end: middle + "null]")
        }
    }

    // MARK: Values

    private mutating func write(_ value: RealmValue, _ depth: Int) throws(RealmFileError) {
        switch value {
        case .null: append("null")
        case .integer(let value): append(String(value))
        case .boolean(let value): append(value ? "true" : "false")
        case .string(let value):
            guard value.utf8.count <= Self.shortByteCount else { return push(value, end: "") }
            write(short: value)
        case .data(let value): write(data: value)
        case .float(let value): tagged("f", Hexadecimal.text(value.bitPattern))
        case .double(let value): tagged("d", Hexadecimal.text(value.bitPattern))
        case .timestamp(let value): append("{\"$ts\":[\(value.seconds),\(value.nanoseconds)]}")
        case .decimal(let value): tagged("dec", value.description)
        case .objectID(let value): tagged("oid", value.description)
        case .uuid(let value): tagged("uuid", value.description)
        case .link(let link): try write(link, depth)
        case .typedLink(let link) where naming != nil: try write(link, depth)
        case .typedLink(let link):
            append("{\"$tlink\":[")
            push(realm.classes[link.classIndex].tableName, end: ",\(link.key)]}")
        case .list(let elements):
            append("[")
            let cursor = try ElementCursor(elements.place)
            open.append(.elements(cursor, isFirst: true, depth: depth))
        case .set(let elements):
            append("{\"$set\":[")
            let cursor = try ElementCursor(elements.place)
            open.append(.literal("}"))
            open.append(.elements(cursor, isFirst: true, depth: depth))
        case .dictionary(let dictionary):
            append("{\"$dict\":{")
            let cursor = try DictionaryCursor(dictionary.place)
            open.append(.entries(cursor, isFirst: true, depth: depth))
        }
    }

    private mutating func write(_ link: RealmLink, _ depth: Int) throws(RealmFileError) {
        if let naming, realm.classes.indices.contains(link.classIndex) {
            append("{\"$link\":[")
            let name = try naming(link)
            open.append(.literal("]}"))
            push(name, end: "")
            push(realm.classes[link.classIndex].name, end: ",")
            return
        }
        guard realm.classes.indices.contains(link.classIndex),
            realm.classes[link.classIndex].kind == .embedded, depth < Self.depthMax,
            let object = try realm.object(link)
        else {
            append("{\"$link\":\(link.key)}")
            return
        }
        append("{\"$emb\":{")
        open.append(.literal("}"))
        open.append(.properties(object, from: 0, depth: depth + 1))
    }

    // MARK: Text

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func tagged(_ tag: String, _ text: String) {
        append("{\"$\(tag)\":\"\(text)\"}")
    }

    private mutating func write(data: [UInt8]) {
        guard showsAllData || data.count <= RealmDumpWriter.dataByteCountMax else {
            // FNV-1a, 64 bits (draft-eastlake-fnv), but for where it begins: dumps of realm-core that this form comes
            // from begin there.
            var hash: UInt64 = 1_469_598_103_934_665_603
            for byte in data { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            return tagged("bin", "fnv1a64:\(Hexadecimal.text(hash)):\(data.count)")
        }
        append("{\"$bin\":\"")
        open.append(.digits(data, from: 0, end: "\"}"))
    }

    private mutating func write(_ data: [UInt8], from start: Int, _ end: String) {
        let next = min(data.count, start + Self.pieceByteCount / 2)
        for byte in data[start..<next] { Hexadecimal.append(byte, to: &bytes) }
        if next == data.count {
            append(end)
        } else {
            open.append(.digits(data, from: next, end: end))
        }
    }

    /// Has a text written next, in quotes, and then `end`.
    private mutating func push(_ text: String, end: String) {
        open.append(.text(text, from: text.startIndex, end: end))
    }

    private mutating func write(_ text: String, from start: String.Index, _ end: String) {
        if start == text.startIndex { bytes.append(UInt8(ascii: "\"")) }
        let next =
            text.utf8.index(start, offsetBy: Self.shortByteCount, limitedBy: text.utf8.endIndex)
            ?? text.utf8.endIndex
        write(escaped: text.utf8[start..<next])
        guard next == text.utf8.endIndex else {
            open.append(.text(text, from: next, end: end))
            return
        }
        bytes.append(UInt8(ascii: "\""))
        append(end)
    }

    private mutating func write(short text: String) {
        bytes.append(UInt8(ascii: "\""))
        write(escaped: text.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(escaped text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                append("\\u00")
                Hexadecimal.append(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
    }
}

extension RealmClass.Kind {
    /// As the file numbers them.
    fileprivate var number: Int {
        switch self {
        case .topLevel: 0
        case .embedded: 1
        case .asymmetric: 2
        }
    }
}
