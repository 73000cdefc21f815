/// What all parts of an open file share.
final class RealmStorage: @unchecked Sendable {
    // Unchecked: everything is set before `init` returns, and only read from then on; the source has nothing visited.
    let header: FileHeader
    let source: NodeSource
    let directory: ClassDirectory
    let tables: [TableLayout]
    /// What could not be read of the classes, and which root is used; only where a damaged file is salvaged.
    let opening: SalvageOpening?
    /// Which objects are whole; nil where all are taken for whole.
    let rows: SalvagedRows?

    init(_ image: FileImage) throws(RealmFileError) {
        header = try FileHeader(image.bytes)
        source = NodeSource(image, header.version)
        // Noted, so that nothing is a part of two classes.
        var noted = source
        noted.visited = VisitedBytes(byteCount: image.byteCount)
        (tables, directory) = try Self.schema(header, noted)
        opening = nil
        rows = nil
    }

    init(
        _ header: FileHeader,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        _ tables: [TableLayout],
        _ opening: SalvageOpening,
        _ rows: SalvagedRows? = nil
    ) {
        self.header = header
        self.source = source
        self.directory = directory
        self.tables = tables
        self.opening = opening
        self.rows = rows
    }

    /// The classes, in the order of the file.
    static func schema(
        _ header: FileHeader,
        _ source: NodeSource
    ) throws(RealmFileError) -> ([TableLayout], ClassDirectory) {
        guard let root = header.root else { return ([], ClassDirectory([])) }
        // What the numbers of enumerated texts mean, of all classes together.
        let source = source.limited
        let group = try GroupLayout(source, root: root)
        guard Set(group.entries.map { ExactText($0.name) }).count == group.entries.count else {
            throw RealmFileError(.damaged, "Two classes have the same name.", at: root)
        }
        guard header.version.hasClusters else {
            return try (oldSchema(group, source), ClassDirectory([]))
        }
        var keys: [Int64] = []
        for entry in group.entries {
            let top = try source.unnoted.node(at: entry.reference).checked(as: .references)
            keys.append(try TableLayout.tableKey(top, entry))
        }
        guard Set(keys).count == keys.count else {
            throw RealmFileError(.damaged, "Two classes have the same number.", at: root)
        }
        let directory = ClassDirectory(keys)
        var tables: [TableLayout] = []
        for (index, entry) in group.entries.enumerated() {
            tables.append(try TableLayout(clustersAt: entry, classIndex: index, source, directory))
        }
        return (tables, directory)
    }

    /// The table in which files before version 10 name the primary keys.
    static let primaryKeyTable = "pk"

    private static func oldSchema(
        _ group: GroupLayout,
        _ source: NodeSource
    ) throws(RealmFileError) -> [TableLayout] {
        let isPrimaryKeys: (GroupLayout.Entry) -> Bool = { $0.name == primaryKeyTable }
        let entries = group.entries.filter { !isPrimaryKeys($0) }
        let positions = Dictionary(
            uniqueKeysWithValues: entries.enumerated().map { ($1.position, $0) }
        )
        var primaryKeys: [ExactText: String] = [:]
        if let entry = group.entries.first(where: isPrimaryKeys) {
            primaryKeys = try Self.primaryKeys(entry, source.unnoted)
        }
        var tables: [TableLayout] = []
        for (index, entry) in entries.enumerated() {
            tables.append(
                try TableLayout(
                    columnsAt: entry,
                    classIndex: index,
                    source,
                    positions: positions,
                    primaryKey: primaryKeys[ExactText(RealmClass.name(ofTable: entry.name))]
                )
            )
        }
        return tables
    }

    /// The names of the properties that identify objects, by the names of the classes.
    static func primaryKeys(
        _ entry: GroupLayout.Entry,
        _ source: NodeSource
    ) throws(RealmFileError) -> [ExactText: String] {
        let layout = try TableLayout(
            columnsAt: entry,
            classIndex: 0,
            source,
            positions: [:],
            primaryKey: nil
        )
        guard let table = layout.properties.first(where: { $0.name == "pk_table" }),
            let property = layout.properties.first(where: { $0.name == "pk_property" })
        else { return [:] }
        var names: [ExactText: String] = [:]
        let rows = RowReader(layout, source, ClassDirectory([]))
        try rows.forEach { row throws(RealmFileError) in
            if case .string(let name) = try row.value(table.index),
                case .string(let key) = try row.value(property.index)
            {
                names[ExactText(RealmClass.name(ofTable: name))] = key
            }
            return true
        }
        return names
    }
}
