/// The columns of a class as its specification lists them.
///
/// Source: `spec.cpp` and `column_type.hpp` of realm-core 20.1.5 and 5.23.9 (Apache-2.0).
struct SpecReader {
    /// `Table::max_num_columns`.
    private static let columnCountMax = 0xffff

    let types: ArrayNode
    let attributes: ArrayNode
    private let names: SchemaNames
    private let columnKeys: ArrayNode?
    private let enumerations: ArrayNode?
    let subspecs: ArrayNode?
    let source: NodeSource

    init(_ source: NodeSource, at reference: Int) throws(RealmFileError) {
        let node = try source.references(at: reference)
        guard node.count >= 3 else {
            throw RealmFileError(.damaged, "A class has no properties.", at: reference)
        }
        self.source = source
        types = try source.integers(at: node.requiredReference(at: 0))
        names = try SchemaNames(source, at: node.requiredReference(at: 1))
        guard types.count <= Self.columnCountMax else {
            throw RealmFileError(.damaged, "A class has \(types.count) properties.", at: reference)
        }
        attributes = try source.integers(at: node.requiredReference(at: 2)).checked(
            count: types.count
        )
        guard names.count <= types.count else {
            throw RealmFileError(.damaged, "There are more names than properties.", at: reference)
        }
        subspecs =
            node.count > 3 ? try source.references(ifAt: node.reference(at: 3)) : nil
        enumerations =
            node.count > 4 ? try source.references(ifAt: node.reference(at: 4)) : nil
        columnKeys =
            node.count > 5
            ? try source.integers(at: node.requiredReference(at: 5)).checked(count: types.count)
            : nil
    }

    var columnCount: Int { types.count }
    /// The columns of origins have none, and come last.
    var nameCount: Int { names.count }

    func rawType(_ index: Int) throws(RealmFileError) -> Int {
        Int(try types.integer(at: index) & 0xffff)
    }

    func rawAttributes(_ index: Int) throws(RealmFileError) -> ColumnAttributes {
        ColumnAttributes(rawValue: Int(truncatingIfNeeded: try attributes.integer(at: index)))
    }

    /// What the numbers of an enumerated column mean.
    ///
    /// - Parameter place: in the list of such meanings.
    func strings(_ place: Int) throws(RealmFileError) -> [String?]? {
        guard let enumerations, place < enumerations.count,
            let reference = try enumerations.reference(at: place)
        else { return nil }
        var strings: [String?] = []
        // They are many and short: what an array sets aside while it grows would be more than they take.
        let tree = ElementTree(source, root: reference)
        let count = try tree.count { node throws(RealmFileError) in
            try BytesLeaf(node, source.unnoted, isText: true, isNullable: true, strings: nil).count
        }
        let elementByteCount = MemoryLayout<String?>.stride
        strings.reserveCapacity(
            min(count, SchemaMemory.byteCount(of: source.bytes.count) / elementByteCount)
        )
        try tree.forEachLeaf { node throws(RealmFileError) in
            let leaf = try BytesLeaf(node, source, isText: true, isNullable: true, strings: nil)
            try ElementTree.check(leaf.count, node)
            for index in 0..<leaf.count {
                let string = try leaf.string(at: index)
                // Short ones lie in the array.
                let length = string?.utf8.count ?? 0
                try source.keep(
                    byteCount: elementByteCount + (length > 15 ? 32 + length : 0),
                    node.offset
                )
                strings.append(string)
            }
            return leaf.count
        }
        return strings
    }

    /// A column from version 10 on.
    func clusterColumn(
        _ index: Int,
        _ opposite: TableLayout.OppositeColumns,
        _ directory: ClassDirectory
    ) throws(RealmFileError) -> ColumnLayout {
        guard let columnKeys else {
            throw RealmFileError(
                .damaged,
                "The properties of a class have no keys.",
                at: types.offset
            )
        }
        let key = try columnKeys.integer(at: index)
        let leafIndex = Int(key & 0xffff)
        let type = try rawType(index)
        let attributes = try rawAttributes(index)
        let other = try opposite.table(leafIndex)
        let otherClass = other.flatMap { directory.index(ofTable: $0) }
        if type == RawType.backlink {
            return ColumnLayout(
                position: leafIndex + 1,
                columnKey: key,
                content: .backlinks,
                otherClass: otherClass,
                originColumnKey: try opposite.column(leafIndex)
            )
        }
        let isCollection = !attributes.isDisjoint(with: [.list, .set, .dictionary])
        let isLinkList = type == RawType.linkList
        var element = ElementType(
            kind: try Self.kind(type, isElement: isCollection || isLinkList, types.offset),
            isNullable: attributes.contains(.nullable)
        )
        element.targetIndex = otherClass ?? -1
        if type == RealmValueType.string.rawValue { element.strings = try strings(index) }
        let isLink = type == RealmValueType.link.rawValue || isLinkList
        if isLink, otherClass == nil {
            throw RealmFileError(.damaged, "A link leads to no class.", at: types.offset)
        }
        let content: ColumnLayout.Content =
            if attributes.contains(.dictionary) {
                .dictionary(try types.integer(at: index) >> 16 == 0 ? .integers : .strings)
            } else if attributes.contains(.set) {
                .set(element)
            } else if attributes.contains(.list) || isLinkList {
                .list(element)
            } else {
                .single(element)
            }
        return ColumnLayout(
            position: leafIndex + 1,
            columnKey: key,
            content: content,
            otherClass: isLink ? otherClass : nil
        )
    }

    /// What is told of a column.
    ///
    /// - Parameter classIndex: the place of its class among all.
    func property(
        _ index: Int,
        _ column: ColumnLayout,
        classIndex: Int
    ) throws(RealmFileError) -> RealmClass.Property {
        let attributes = try rawAttributes(index)
        let isOptional: Bool
        let collection: RealmClass.Property.Collection
        let kind: ElementType.Kind?
        switch column.content {
        case .single(let type): (collection, kind, isOptional) = (.none, type.kind, type.isNullable)
        case .list(let type): (collection, kind, isOptional) = (.list, type.kind, type.isNullable)
        case .set(let type): (collection, kind, isOptional) = (.set, type.kind, type.isNullable)
        case .dictionary:
            (collection, kind, isOptional) = (.dictionary, nil, attributes.contains(.nullable))
        case .backlinks: (collection, kind, isOptional) = (.none, nil, false)
        }
        let type: RealmValueType
        if let known = kind.flatMap(Self.type) { type = known } else { type = try valueType(index) }
        return RealmClass.Property(
            name: try names.name(at: index),
            type: type,
            collection: collection,
            isOptional: isOptional,
            isIndexed: !attributes.isDisjoint(with: [.indexed, .unique, .fullText]),
            targetIndex: column.otherClass,
            index: index,
            classIndex: classIndex
        )
    }

    private func valueType(_ index: Int) throws(RealmFileError) -> RealmValueType {
        guard let type = RealmValueType(rawValue: try rawType(index)) else {
            throw RealmFileError(
                .unsupportedContent,
                "A dictionary has values of type \(try rawType(index)).",
                at: types.offset
            )
        }
        return type
    }

    static func kind(
        _ type: Int,
        isElement: Bool,
        _ offset: Int
    ) throws(RealmFileError) -> ElementType.Kind {
        switch type {
        case RawType.linkList: return .keys
        case RawType.typedLink: return .typedLinks
        case RawType.dateTime: return .dates
        default: break
        }
        guard let type = RealmValueType(rawValue: type) else {
            throw RealmFileError(.unsupportedContent, "A property has type \(type).", at: offset)
        }
        return switch type {
        case .integer: .integers
        case .boolean: .booleans
        case .string: .strings
        case .data: .data
        case .mixed: .mixed
        case .timestamp: .timestamps
        case .float: .floats
        case .double: .doubles
        case .decimal: .decimals
        case .link: isElement ? .keys : .links
        case .objectID: .objectIDs
        case .uuid: .uuids
        }
    }

    private static func type(_ kind: ElementType.Kind) -> RealmValueType? {
        switch kind {
        case .integers: .integer
        case .booleans: .boolean
        case .strings: .string
        case .data: .data
        case .mixed: .mixed
        case .timestamps, .dates: .timestamp
        case .floats: .float
        case .doubles: .double
        case .decimals: .decimal
        case .links, .keys: .link
        case .typedLinks: .mixed
        case .objectIDs: .objectID
        case .uuids: .uuid
        }
    }
}
