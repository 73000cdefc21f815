/// Classes from version 10 on.
///
/// Source: `table.hpp` (`top_position_for_*`), `spec.cpp` and `keys.hpp` of realm-core 20.1.5 (Apache-2.0).
extension TableLayout {
    private enum Top {
        static let spec = 0
        static let clusters = 2
        static let tableKey = 3
        static let oppositeTables = 7
        static let oppositeColumns = 8
        static let primaryKey = 11
        static let flags = 12
    }

    /// - Parameter tableKeys: the number of every class in the file, by position.
    init(
        clustersAt entry: GroupLayout.Entry,
        classIndex: Int,
        _ source: NodeSource,
        _ directory: ClassDirectory
    ) throws(RealmFileError) {
        let top = try source.references(at: entry.reference)
        tableName = entry.name
        tableKey = try Self.tableKey(top, entry)
        let flags = try top.count > Top.flags ? top.number(at: Top.flags) ?? 0 : 0
        kind =
            switch flags & 3 {
            case 1: .embedded
            case 2: .asymmetric
            default: .topLevel
            }
        let spec = try SpecReader(source, at: top.requiredReference(at: Top.spec))
        let opposite = try OppositeColumns(top, source)
        var columns: [ColumnLayout] = []
        var properties: [RealmClass.Property] = []
        for index in 0..<spec.columnCount {
            let isNamed = index < spec.nameCount
            let column = try spec.clusterColumn(index, opposite, directory)
            columns.append(column)
            try Self.keep(source, entry.reference)
            if isNamed {
                properties.append(try spec.property(index, column, classIndex: classIndex))
            }
        }
        guard Set(columns.map(\.position)).count == columns.count else {
            throw RealmFileError(
                .damaged,
                "Two properties lie at the same place.",
                at: entry.reference
            )
        }
        self.columns = columns
        self.properties = properties
        primaryKeyIndex = try Self.primaryKey(top, columns, count: properties.count)
        if top.count > Top.clusters, let root = try top.reference(at: Top.clusters) {
            rows = .clusters(root: root)
            let tree = ClusterTree(source, root: root)
            // Where a damaged file is salvaged, a class of which no object can be read is there nevertheless.
            rowCount = try source.soundness == nil ? tree.count() : (try? tree.count()) ?? 0
        } else {
            rows = .none
            rowCount = 0
        }
    }

    static func tableKey(
        _ top: ArrayNode,
        _ entry: GroupLayout.Entry
    ) throws(RealmFileError) -> Int64 {
        guard top.count > Top.tableKey, case .number(let key) = try top.element(at: Top.tableKey)
        else { return Int64(entry.position) }
        return key
    }

    private static func primaryKey(
        _ top: ArrayNode,
        _ columns: [ColumnLayout],
        count: Int
    ) throws(RealmFileError) -> Int? {
        guard top.count > Top.primaryKey,
            case .number(let key) = try top.element(at: Top.primaryKey)
        else { return nil }
        guard let index = columns.prefix(count).firstIndex(where: { $0.columnKey == key }) else {
            throw RealmFileError(
                .damaged,
                "The primary key is a property that is not there.",
                at: top.offset
            )
        }
        return index
    }

    /// Where the links of a class lead to, and what its origins link with, by the places of its columns in a leaf.
    struct OppositeColumns {
        private let tables: ArrayNode?
        private let columns: ArrayNode?

        init(_ top: ArrayNode, _ source: NodeSource) throws(RealmFileError) {
            tables =
                try top.count > Top.oppositeTables
                ? source.integers(ifAt: top.reference(at: Top.oppositeTables)) : nil
            columns =
                try top.count > Top.oppositeColumns
                ? source.integers(ifAt: top.reference(at: Top.oppositeColumns)) : nil
        }

        /// The number of the other class; nil for none.
        func table(_ leafIndex: Int) throws(RealmFileError) -> Int64? {
            guard let tables, leafIndex < tables.count else { return nil }
            let key = try tables.integer(at: leafIndex)
            return key == 0x7fff_ffff ? nil : key
        }

        func column(_ leafIndex: Int) throws(RealmFileError) -> Int64? {
            guard let columns, leafIndex < columns.count else { return nil }
            return try columns.integer(at: leafIndex)
        }
    }
}
