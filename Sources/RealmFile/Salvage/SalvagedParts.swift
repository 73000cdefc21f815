/// Reads single properties of the whole objects of a class.
struct SalvagedParts {
    private let reader: RowReader
    private let salvaged: SalvagedClass

    init(_ storage: RealmStorage, _ salvaged: SalvagedClass, _ index: Int) {
        reader = RowReader(storage.tables[index], storage.source, storage.directory)
        self.salvaged = salvaged
    }

    /// Values that lie together, and where their array lies.
    struct Part {
        let values: ColumnPart
        let offset: Int
    }

    /// Hands over each whole row: the array with its value, its leaf and place in it, and its place in the array.
    ///
    /// What cannot be read is passed over: of whole rows these are only the rows that link to them.
    func forEach(
        of column: ColumnLayout,
        _ body: (Part, _ leaf: Int, _ row: Int, _ place: Int) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        switch reader.layout.rows {
        case .none: return
        case .clusters:
            for index in 0..<salvaged.leaves.count {
                let leaf = salvaged.leaves[index]
                guard !leaf.whole.isEmpty, let cluster = try? leaf.cluster(reader.source),
                    let offset = try? cluster.node.requiredReference(at: column.position),
                    let values = try? RowChunk.part(column, cluster, reader)
                else { continue }
                let part = Part(values: values, offset: offset)
                for row in 0..<cluster.count where leaf.whole.contains(row) {
                    try body(part, index, row, row)
                }
            }
        case .columns(let reference):
            guard let array = try? reader.source.references(at: reference),
                let root = try? array.requiredReference(at: column.position)
            else { return }
            try ElementTree(reader.source, root: root).salvage(
                rowCount: reader.layout.rowCount,
                leaf: { node, rows throws(RealmFileError) in
                    let values = try column.part(node, reader.source, reader.directory)
                    guard values.count == rows.count else { return }
                    let part = Part(values: values, offset: node.offset)
                    for row in rows {
                        let leaf = row / Cluster.rowCountMax
                        let place = row % Cluster.rowCountMax
                        guard leaf < salvaged.leaves.count,
                            salvaged.leaves[leaf].whole.contains(place)
                        else { continue }
                        try body(part, leaf, place, row - rows.lowerBound)
                    }
                },
                loss: { _, _ in }
            )
        }
    }

    func value(
        _ part: Part,
        _ column: ColumnLayout,
        at place: Int
    ) throws(RealmFileError) -> RealmValue {
        try column.value(part.values, at: place, reader.source, reader.directory)
    }

    /// Hands over the rows that link to one; none where they cannot all be read.
    func forEachOrigin(_ part: Part, at place: Int, _ body: (Int64) -> Void) {
        guard case .backlinks(let node) = part.values else { return }
        do throws(RealmFileError) {
            // Half of them would be as doubtful as none.
            try CellSalvage.forEachOrigin(of: node, at: place, reader.source) { _ in }
            try CellSalvage.forEachOrigin(of: node, at: place, reader.source, body)
        } catch {
            return
        }
    }
}
