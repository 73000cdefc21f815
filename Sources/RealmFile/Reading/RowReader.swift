/// Reads the rows of one class, in either form.
struct RowReader {
    let layout: TableLayout
    let source: NodeSource
    let directory: ClassDirectory

    /// The rows that are whole, where a damaged file is salvaged; all others are passed over.
    let salvaged: SalvagedClass?

    init(
        _ layout: TableLayout,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        salvaged: SalvagedClass? = nil
    ) {
        self.layout = layout
        self.source = source
        self.directory = directory
        self.salvaged = salvaged
    }

    /// Hands over the rows in the order of their keys, until `body` returns false.
    func forEach(_ body: (Row) throws(RealmFileError) -> Bool) throws(RealmFileError) {
        if let salvaged { return try forEach(of: salvaged, body) }
        try forEachChunk { chunk throws(RealmFileError) in
            for index in 0..<chunk.count {
                guard try body(Row(chunk: chunk, index: index)) else { return false }
            }
            return true
        }
    }

    /// Hands over rows that lie together.
    func forEachChunk(_ body: (RowChunk) throws(RealmFileError) -> Bool) throws(RealmFileError) {
        switch layout.rows {
        case .none: return
        case .clusters(let root):
            try ClusterTree(source, root: root).forEachLeaf { cluster throws(RealmFileError) in
                try body(try RowChunk(cluster, self))
            }
        case .columns(let reference):
            var row = 0
            while row < layout.rowCount {
                let chunk = try RowChunk(row, columnsAt: reference, self)
                guard try body(chunk) else { return }
                row += chunk.count
            }
        }
    }

    /// One row; nil where there is none with the key.
    ///
    /// - Complexity: O(properties + log rows).
    func row(withKey key: Int64) throws(RealmFileError) -> Row? {
        if let salvaged { return try row(withKey: key, of: salvaged) }
        switch layout.rows {
        case .none: return nil
        case .clusters(let root):
            guard let found = try ClusterTree(source, root: root).row(withKey: key) else {
                return nil
            }
            return Row(chunk: try RowChunk(found.cluster, self), index: found.index)
        case .columns(let reference):
            guard let number = Int(exactly: key), (0..<layout.rowCount).contains(number) else {
                return nil
            }
            return Row(chunk: try RowChunk(number, columnsAt: reference, self), index: 0)
        }
    }
}

/// One row of a class.
struct Row {
    let chunk: RowChunk
    let index: Int

    func key() throws(RealmFileError) -> Int64 { try chunk.key(at: index) }

    /// How many links of a collection lead to what is not there.
    func unresolvedLinkCount(_ column: Int) throws(RealmFileError) -> Int {
        try chunk.unresolvedLinkCount(column, at: index)
    }

    /// The value of a column.
    func value(_ column: Int) throws(RealmFileError) -> RealmValue {
        try chunk.value(column, at: index)
    }
}
