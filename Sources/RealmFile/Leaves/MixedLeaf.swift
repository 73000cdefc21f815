/// A leaf whose elements each say what they are.
///
/// Six arrays: what each element is, with small values in place; integers; pairs of integers; strings and bytes;
/// references to collections; keys that are not needed here. Source: `array_mixed.cpp` of realm-core 20.1.5
/// (Apache-2.0).
///
/// A class, because its parts are large to copy for every value.
final class MixedLeaf {
    /// Realm's own limit for collections within collections.
    private static let depthMax = 100

    private let kinds: ArrayNode
    private let integers: ArrayNode?
    private let pairs: ArrayNode?
    private let strings: BytesLeaf?
    private let collections: ArrayNode?
    private let source: NodeSource
    private let directory: ClassDirectory
    private let depth: Int

    init(
        _ node: ArrayNode,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        depth: Int = 0
    ) throws(RealmFileError) {
        let node = try node.checked(as: .references)
        guard node.count >= 4 else {
            throw RealmFileError(
                .damaged,
                "A leaf of mixed values has \(node.count) parts.",
                at: node.offset
            )
        }
        guard depth < Self.depthMax else {
            throw RealmFileError(
                .limitExceeded,
                "Collections lie in each other more than \(Self.depthMax) deep.",
                at: node.offset
            )
        }
        kinds = try source.integers(at: node.requiredReference(at: 0))
        integers = try source.integers(ifAt: node.reference(at: 1))
        pairs = try source.integers(ifAt: node.reference(at: 2))
        if let reference = try node.reference(at: 3) {
            strings = try BytesLeaf(
                source.node(at: reference),
                source,
                isText: true,
                isNullable: true,
                strings: nil
            )
        } else {
            strings = nil
        }
        collections =
            node.count > 4 ? try source.references(ifAt: node.reference(at: 4)) : nil
        self.source = source
        self.directory = directory
        self.depth = depth
    }

    var count: Int { kinds.count }

    func value(at index: Int) throws(RealmFileError) -> RealmValue {
        let kind = try kinds.integer(at: index)
        if kind == 0 { return .null }
        let type = Int(kind & 31) - 1
        let isInPlace = kind >> 5 & 7 == 0
        let number = kind >> 8
        switch type {
        case 0: return .integer(try isInPlace ? number : integer(at: number))
        case 1: return .boolean(number != 0)
        case 2:
            guard let text = try bytes().string(at: place(number)) else { return .null }
            return .string(text)
        case 4: return .data(try data(at: number))
        case 8:
            let (seconds, nanoseconds) = try pair(at: number)
            return .timestamp(try RealmTimestamp(checked: seconds, nanoseconds, kinds.offset))
        case 9:
            return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try integer(at: number))))
        case 10: return .double(Double(bitPattern: UInt64(bitPattern: try integer(at: number))))
        case 11:
            let (low, high) = try pair(at: number)
            return .decimal(
                RealmDecimal(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high))
            )
        case 15: return .objectID(RealmObjectID(bytes: try data(at: number, count: 12)))
        case 16:
            let (table, key) = try pair(at: number)
            if key < 0 { return .null }
            let index = try directory.index(ofTable: table, kinds.offset)
            return .typedLink(RealmLink(classIndex: index, key: key))
        case 17: return .uuid(RealmUUID(bytes: try data(at: number, count: 16)))
        case 19: return .list(try elements(at: number))
        case 20: return .set(try elements(at: number))
        case 21:
            return .dictionary(RealmDictionary(try place(of: number, .dictionary(keys: .strings))))
        default:
            throw RealmFileError(
                .unsupportedContent,
                "A mixed value has type \(type).",
                at: kinds.offset
            )
        }
    }

    private func place(_ number: Int64) throws(RealmFileError) -> Int {
        guard let place = Int(exactly: number), place >= 0 else {
            throw RealmFileError(.damaged, "A mixed value lies nowhere.", at: kinds.offset)
        }
        return place
    }

    private func integer(at number: Int64) throws(RealmFileError) -> Int64 {
        guard let integers else { throw missing }
        return try integers.integer(at: place(number))
    }

    private func pair(at number: Int64) throws(RealmFileError) -> (Int64, Int64) {
        guard let pairs else { throw missing }
        let place = try place(number)
        guard place < pairs.count / 2 else { throw missing }
        return (try pairs.integer(at: 2 * place), try pairs.integer(at: 2 * place + 1))
    }

    private func bytes() throws(RealmFileError) -> BytesLeaf {
        guard let strings else { throw missing }
        return strings
    }

    /// Data lies among the strings, with a zero after it as they have.
    private func data(at number: Int64, count: Int? = nil) throws(RealmFileError) -> [UInt8] {
        let data = try bytes().data(at: place(number)) ?? []
        guard count == nil || data.count == count else {
            throw RealmFileError(
                .damaged,
                "An identifier has \(data.count) bytes.",
                at: kinds.offset
            )
        }
        return data
    }

    private func elements(at number: Int64) throws(RealmFileError) -> RealmElements {
        RealmElements(try place(of: number, .elements(ElementType(kind: .mixed, isNullable: true))))
    }

    /// Where a collection lies.
    private func place(
        of number: Int64,
        _ form: CollectionPlace.Form
    ) throws(RealmFileError) -> CollectionPlace {
        guard let collections else { throw missing }
        return CollectionPlace(
            form,
            root: try collections.reference(at: place(number)),
            depth: depth + 1,
            source,
            directory
        )
    }

    private var missing: RealmFileError {
        RealmFileError(.damaged, "A mixed value is not where it should be.", at: kinds.offset)
    }
}
