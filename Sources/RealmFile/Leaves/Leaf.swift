/// The values of one property, or elements of one collection, that lie in one leaf.
///
/// Source for each layout: the `array_*.hpp` of its type in realm-core 20.1.5 (Apache-2.0).
///
/// A class, because the parts of a leaf are large to copy for every value.
final class Leaf {
    private enum Layout {
        case integers(ArrayNode)
        /// Before the elements, a number that none of them has and that stands for null.
        case optionalIntegers(ArrayNode)
        case booleans(ArrayNode, isNullable: Bool)
        case optionalBooleans(ArrayNode)
        case floats(ArrayNode, isNullable: Bool)
        case doubles(ArrayNode, isNullable: Bool)
        case timestamps(seconds: ArrayNode, nanoseconds: ArrayNode)
        case dates(ArrayNode)
        case optionalDates(ArrayNode)
        case strings(BytesLeaf)
        case data(BytesLeaf)
        case records(RecordLeaf)
        case decimals(DecimalLeaf)
        case links(ArrayNode, targetIndex: Int)
        case keys(ArrayNode, targetIndex: Int)
        case typedLinks(ArrayNode, ClassDirectory)
        case mixed(MixedLeaf)
    }

    private let layout: Layout

    /// - Parameter depth: how many collections the elements lie in, but for the one that they are of.
    init(
        _ node: ArrayNode,
        _ type: ElementType,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        depth: Int = 0
    ) throws(RealmFileError) {
        switch type.kind {
        case .integers:
            let node = try node.checked(as: .integers)
            layout =
                type.isNullable ? .optionalIntegers(try Self.sentinelled(node)) : .integers(node)
        case .booleans:
            let node = try node.checked(as: .integers)
            // Before rows had keys, a Bool that may be null was an Int that may be.
            layout =
                type.isNullable && !source.version.hasClusters
                ? .optionalBooleans(try Self.sentinelled(node))
                : .booleans(node, isNullable: type.isNullable)
        case .dates:
            let node = try node.checked(as: .integers)
            layout = type.isNullable ? .optionalDates(try Self.sentinelled(node)) : .dates(node)
        case .floats: layout = .floats(try Self.wide(4, node), isNullable: type.isNullable)
        case .doubles: layout = .doubles(try Self.wide(8, node), isNullable: type.isNullable)
        case .timestamps:
            let node = try node.checked(as: .references)
            let seconds = try source.integers(at: node.requiredReference(at: 0))
            let nanoseconds = try source.integers(at: node.requiredReference(at: 1))
            layout = .timestamps(
                seconds: try Self.sentinelled(seconds),
                nanoseconds: try nanoseconds.checked(count: seconds.count - 1)
            )
        case .strings:
            layout = .strings(
                try BytesLeaf(
                    node,
                    source,
                    isText: true,
                    isNullable: type.isNullable,
                    strings: type.strings
                )
            )
        case .data:
            layout = .data(
                try BytesLeaf(
                    node,
                    source,
                    isText: false,
                    isNullable: type.isNullable,
                    strings: nil
                )
            )
        case .objectIDs: layout = .records(try RecordLeaf(node, size: 12))
        case .uuids: layout = .records(try RecordLeaf(node, size: 16))
        case .decimals: layout = .decimals(try DecimalLeaf(node, source.version))
        case .links:
            layout = .links(try node.checked(as: .integers), targetIndex: type.targetIndex)
        case .keys:
            layout = .keys(try node.checked(as: .integers), targetIndex: type.targetIndex)
        case .typedLinks:
            let node = try node.checked(as: .integers)
            guard node.count % 2 == 0 else {
                throw RealmFileError(.damaged, "A link has a class but no object.", at: node.offset)
            }
            layout = .typedLinks(node, directory)
        case .mixed: layout = .mixed(try MixedLeaf(node, source, directory, depth: depth))
        }
    }

    /// How many elements.
    var count: Int {
        switch layout {
        case .integers(let node), .booleans(let node, _), .floats(let node, _),
            .doubles(let node, _), .dates(let node), .links(let node, _), .keys(let node, _):
            node.count
        case .optionalIntegers(let node), .optionalBooleans(let node), .optionalDates(let node):
            node.count - 1
        case .timestamps(_, let nanoseconds): nanoseconds.count
        case .strings(let leaf), .data(let leaf): leaf.count
        case .records(let leaf): leaf.count
        case .decimals(let leaf): leaf.count
        case .typedLinks(let node, _): node.count / 2
        case .mixed(let leaf): leaf.count
        }
    }

    /// An element. A link to an object that is not there, but may come from elsewhere one day, is null.
    func value(at index: Int) throws(RealmFileError) -> RealmValue {
        switch layout {
        case .integers(let node): return .integer(try node.integer(at: index))
        case .optionalIntegers(let node):
            return try optional(node, index).map { .integer($0) } ?? .null
        case .booleans(let node, let isNullable):
            switch try node.integer(at: index) {
            case 0: return .boolean(false)
            case 1: return .boolean(true)
            case 3 where isNullable: return .null
            case let value:
                throw RealmFileError(.damaged, "A Bool is \(value).", at: node.offset)
            }
        case .optionalBooleans(let node):
            return try optional(node, index).map { .boolean($0 != 0) } ?? .null
        case .dates(let node):
            return .timestamp(RealmTimestamp(seconds: try node.integer(at: index), nanoseconds: 0))
        case .optionalDates(let node):
            guard let seconds = try optional(node, index) else { return .null }
            return .timestamp(RealmTimestamp(seconds: seconds, nanoseconds: 0))
        case .floats(let node, let isNullable):
            let bits = try node.record(at: index).load(UInt32.self, at: 0)
            return bits == 0x7fc0_00aa && isNullable ? .null : .float(Float(bitPattern: bits))
        case .doubles(let node, let isNullable):
            let bits = try node.record(at: index).load(UInt64.self, at: 0)
            return bits == 0x7ff8_0000_0000_00aa && isNullable
                ? .null : .double(Double(bitPattern: bits))
        case .timestamps(let seconds, let nanoseconds):
            guard let seconds = try optional(seconds, index) else { return .null }
            return .timestamp(
                try RealmTimestamp(
                    checked: seconds,
                    nanoseconds.integer(at: index),
                    nanoseconds.offset
                )
            )
        case .strings(let leaf): return try leaf.string(at: index).map { .string($0) } ?? .null
        case .data(let leaf): return try leaf.data(at: index).map { .data($0) } ?? .null
        case .records(let leaf): return try leaf.value(at: index)
        case .decimals(let leaf): return try leaf.value(at: index)
        case .links(let node, let targetIndex):
            let value = try node.integer(at: index)
            return value <= 0 ? .null : .link(RealmLink(classIndex: targetIndex, key: value - 1))
        case .keys(let node, let targetIndex):
            let key = try node.integer(at: index)
            return key < 0 ? .null : .link(RealmLink(classIndex: targetIndex, key: key))
        case .typedLinks(let node, let directory):
            let table = try node.integer(at: 2 * index)
            let key = try node.integer(at: 2 * index + 1)
            if table <= 0 || key <= 0 { return .null }
            return .typedLink(
                RealmLink(
                    classIndex: try directory.index(ofTable: table - 1, node.offset),
                    key: key - 1
                )
            )
        case .mixed(let leaf): return try leaf.value(at: index)
        }
    }

    /// The same, as far as an examination needs it: an empty text stands for all of them.
    func examined(at index: Int) throws(RealmFileError) -> RealmValue {
        guard case .strings(let leaf) = layout else { return try value(at: index) }
        return try leaf.isString(at: index) ? .string("") : .null
    }

    private func optional(_ node: ArrayNode, _ index: Int) throws(RealmFileError) -> Int64? {
        let value = try node.integer(at: index + 1)
        return value == (try node.integer(at: 0)) ? nil : value
    }

    private static func sentinelled(_ node: ArrayNode) throws(RealmFileError) -> ArrayNode {
        guard node.count > 0 else {
            throw RealmFileError(
                .damaged,
                "An array does not say what stands for null.",
                at: node.offset
            )
        }
        return node
    }

    private static func wide(_ width: Int, _ node: ArrayNode) throws(RealmFileError) -> ArrayNode {
        let node = try node.checked(as: .records)
        guard node.width == width || node.count == 0 else {
            throw RealmFileError(
                .damaged,
                "Numbers of \(width) bytes have \(node.width).",
                at: node.offset
            )
        }
        return node
    }
}

extension RealmTimestamp {
    init(checked seconds: Int64, _ nanoseconds: Int64, _ offset: Int) throws(RealmFileError) {
        guard (-999_999_999...999_999_999).contains(nanoseconds),
            let nanoseconds = Int32(exactly: nanoseconds)
        else {
            throw RealmFileError(.damaged, "A date has \(nanoseconds) nanoseconds.", at: offset)
        }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
}
