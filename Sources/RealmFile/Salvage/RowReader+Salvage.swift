extension RowReader {
    /// Hands over the whole rows in the order of their keys, until `body` returns false.
    func forEach(
        of salvaged: SalvagedClass,
        _ body: (Row) throws(RealmFileError) -> Bool
    ) throws(RealmFileError) {
        var chunk: RowChunk?
        for index in 0..<salvaged.leaves.count {
            let leaf = salvaged.leaves[index]
            if leaf.whole.isEmpty { continue }
            let cluster = try leaf.cluster(source)
            if let cluster { chunk = try RowChunk(cluster, self) }
            for row in 0..<Cluster.rowCountMax where leaf.whole.contains(row) {
                guard cluster == nil else {
                    guard let chunk, try body(Row(chunk: chunk, index: row)) else { return }
                    continue
                }
                let key = try leaf.key(at: row, source)
                guard let found = try numberedRow(key, &chunk) else { continue }
                guard try body(found) else { return }
            }
        }
    }

    /// A whole row; nil where there is none with the key.
    func row(withKey key: Int64, of salvaged: SalvagedClass) throws(RealmFileError) -> Row? {
        guard let place = salvaged.place(ofKey: key) else { return nil }
        if let cluster = try salvaged.leaves[place.leaf].cluster(source) {
            return Row(chunk: try RowChunk(cluster, self), index: place.row)
        }
        var chunk: RowChunk?
        return try numberedRow(key, &chunk)
    }

    /// A row of those that are numbered, in the chunk of the one before where it is there.
    private func numberedRow(_ key: Int64, _ chunk: inout RowChunk?) throws(RealmFileError) -> Row?
    {
        if let chunk, let index = try chunk.index(ofKey: key) {
            return Row(chunk: chunk, index: index)
        }
        guard case .columns(let reference) = layout.rows, let number = Int(exactly: key) else {
            return nil
        }
        let next = try RowChunk(number, columnsAt: reference, self)
        chunk = next
        return Row(chunk: next, index: 0)
    }
}
