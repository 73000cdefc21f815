/// Writes the content of a Realm file as lines of JSON in which every value is told apart and none is rounded.
///
/// A line for each class (`table`, with its number, kind, count, primary key and columns), and after it one for each of
/// its objects (`t` the class, `k` the key, `v` the values). Data is `$bin` in hexadecimal digits (more than a
/// mebibyte: `fnv1a64:`, the hash, `:` and the size); floats and doubles are
/// `$f` and `$d` with the digits of their bits, dates `$ts` with seconds and nanoseconds, decimals `$dec`, identifiers
/// `$oid` and `$uuid`, links `$link` with the key of the target and `$tlink` with its class as well, sets `$set`,
/// dictionaries `$dict`; embedded objects stand in their owners as `$emb`. Every control character in a text is
/// `\u00xx`.
public struct RealmDumpWriter {
    /// Realm's own limit for objects within objects.
    private static let depthMax = 100
    /// Larger data is told by a hash and its size.
    static let dataByteCountMax = 1 << 20

    /// Says how an object is named that a value leads to.
    public typealias LinkNaming = (RealmLink) throws(RealmFileError) -> String

    private let realm: RealmReader
    private let showsAllData: Bool
    private let naming: LinkNaming?
    /// What has been written, UTF-8.
    public private(set) var bytes: [UInt8] = []

    /// Begins an empty text.
    ///
    /// - Parameters:
    ///   - realm: the file that the values come from.
    ///   - showsAllData: whether data of more than a mebibyte is written out, too.
    ///   - naming: what links are called instead of the target's key: each is `$link` with the class and that name
    ///     then, embedded objects as well.
    public init(
        _ realm: RealmReader,
        showsAllData: Bool = false,
        naming: LinkNaming? = nil
    ) {
        self.realm = realm
        self.showsAllData = showsAllData
        self.naming = naming
    }

    /// Forgets the text and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes the line of a class.
    public mutating func line(_ realmClass: RealmClass) {
        append("{\"table\":")
        string(realmClass.tableName)
        append(",\"key\":\(realmClass.tableKey),\"type\":\(realmClass.kind.number)")
        append(",\"count\":\(realmClass.objectCount),\"pk\":")
        if let primaryKey = realmClass.primaryKey {
            string(primaryKey.name)
        } else {
            append("null")
        }
        append(",\"columns\":[")
        for (place, property) in realmClass.properties.enumerated() {
            append(place == 0 ? "[" : ",[")
            string(property.name)
            append(",\(property.type.rawValue),\(property.attributeBits),")
            if let target = property.targetIndex {
                string(realm.classes[target].tableName)
            } else {
                append("null")
            }
            append("]")
        }
        append("]}\n")
    }

    /// Writes the line of an object.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(bytes of the object).
    public mutating func line(_ object: RealmObject) throws(RealmFileError) {
        append("{\"t\":")
        string(object.realmClass.tableName)
        append(",\"k\":\(object.key),\"v\":")
        try values(object, depth: 0)
        append("}\n")
    }

    private mutating func values(_ object: RealmObject, depth: Int) throws(RealmFileError) {
        append("{")
        for (place, property) in object.realmClass.properties.enumerated() {
            if place > 0 { append(",") }
            string(property.name)
            append(":")
            try value(object.value(property), depth: depth)
        }
        append("}")
    }

    /// Writes one value, without a line of its own.
    ///
    /// - Throws: ``RealmFileError``, and what naming a link throws.
    public mutating func value(_ value: RealmValue) throws(RealmFileError) {
        try self.value(value, depth: 0)
    }

    private mutating func value(_ value: RealmValue, depth: Int) throws(RealmFileError) {
        switch value {
        case .null: append("null")
        case .integer(let value): append(String(value))
        case .boolean(let value): append(value ? "true" : "false")
        case .string(let value): string(value)
        case .data(let value): tagged("bin", text(of: value))
        case .float(let value): tagged("f", Hexadecimal.text(value.bitPattern))
        case .double(let value): tagged("d", Hexadecimal.text(value.bitPattern))
        case .timestamp(let value): append("{\"$ts\":[\(value.seconds),\(value.nanoseconds)]}")
        case .decimal(let value): tagged("dec", value.description)
        case .objectID(let value): tagged("oid", value.description)
        case .uuid(let value): tagged("uuid", value.description)
        case .link(let link): try self.link(link, depth: depth)
        case .typedLink(let link) where naming != nil: try self.link(link, depth: depth)
        case .typedLink(let link):
            append("{\"$tlink\":[")
            string(realm.classes[link.classIndex].tableName)
            append(",\(link.key)]}")
        case .list(let values): try list(values, depth: depth)
        case .set(let values):
            append("{\"$set\":")
            try list(values, depth: depth)
            append("}")
        case .dictionary(let entries):
            append("{\"$dict\":{")
            for (place, entry) in entries.enumerated() {
                if place > 0 { append(",") }
                switch entry.key {
                case .string(let key): string(key)
                case .integer(let key): string(String(key))
                default: string("")
                }
                append(":")
                try self.value(entry.value, depth: depth)
            }
            append("}}")
        }
    }

    private mutating func list(_ values: [RealmValue], depth: Int) throws(RealmFileError) {
        append("[")
        for (place, value) in values.enumerated() {
            if place > 0 { append(",") }
            try self.value(value, depth: depth)
        }
        append("]")
    }

    private mutating func link(_ link: RealmLink, depth: Int) throws(RealmFileError) {
        if let naming, realm.classes.indices.contains(link.classIndex) {
            append("{\"$link\":[")
            string(realm.classes[link.classIndex].name)
            append(",")
            string(try naming(link))
            append("]}")
            return
        }
        guard realm.classes.indices.contains(link.classIndex),
            realm.classes[link.classIndex].kind == .embedded, depth < Self.depthMax,
            let object = try realm.object(link)
        else {
            append("{\"$link\":\(link.key)}")
            return
        }
        append("{\"$emb\":")
        try values(object, depth: depth + 1)
        append("}")
    }

    // MARK: Text

    private func text(of data: [UInt8]) -> String {
        guard !showsAllData, data.count > Self.dataByteCountMax else {
            return Hexadecimal.text(data)
        }
        // FNV-1a, 64 bits (draft-eastlake-fnv), but for where it begins: dumps of realm-core that this form comes from
        // begin there.
        var hash: UInt64 = 1_469_598_103_934_665_603
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return "fnv1a64:\(Hexadecimal.text(hash)):\(data.count)"
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func tagged(_ tag: String, _ text: String) {
        append("{\"$\(tag)\":\"\(text)\"}")
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                append("\\u00")
                append(Hexadecimal.text([byte]))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
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
