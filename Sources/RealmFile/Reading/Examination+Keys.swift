extension Examination {
    /// What is said of two objects of a class with one primary key.
    static func repeatedKey(_ layout: TableLayout) -> RealmFileError {
        RealmFileError(
            .damaged,
            "Two objects of \(layout.tableName) have the same primary key."
        )
    }

    /// Sees to it that primary keys are unique, where one pass over them was not enough.
    func checkFurtherKeys(_ reader: RowReader, rowCount: Int) throws {
        guard let place = reader.layout.primaryKeyIndex else { return }
        let byteCount = reader.source.bytes.count
        let passCount = Identities.passCount(for: rowCount, in: byteCount)
        guard passCount > 1 else { return }
        // Keys that are all different would take more room than there is.
        guard rowCount <= byteCount else { throw Self.repeatedKey(reader.layout) }
        let column = reader.layout.columns[place]
        // What is noted has been opened once.
        let unnoted = RowReader(reader.layout, reader.source.unnoted, reader.directory)
        for pass in 1..<passCount {
            try showProgress()
            var identities = Identities(expecting: rowCount, in: byteCount, pass: pass)
            try Self.forEachPart(of: column, unnoted) { part throws(RealmFileError) in
                for row in 0..<part.count {
                    let value = try column.value(part, at: row, unnoted.source, unnoted.directory)
                    guard try identities.insert(value) else {
                        throw Self.repeatedKey(reader.layout)
                    }
                }
            }
        }
    }

    /// Hands over the values of a column that lie together, one after the other.
    private static func forEachPart(
        of column: ColumnLayout,
        _ reader: RowReader,
        _ body: (ColumnPart) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        switch reader.layout.rows {
        case .none: return
        case .clusters(let root):
            try ClusterTree(reader.source, root: root).forEachLeaf {
                cluster throws(RealmFileError) in
                try body(try RowChunk.part(column, cluster, reader))
                return true
            }
        case .columns(let reference):
            let array = try reader.source.references(at: reference)
            let root = try array.requiredReference(at: column.position)
            // No class is identified by its dates of old, which are two trees.
            guard !column.isSplitTimestamp else { return }
            try ElementTree(reader.source, root: root).forEachLeaf { node throws(RealmFileError) in
                let part = try column.part(node, reader.source, reader.directory)
                try body(part)
                return part.count
            }
        }
    }

    /// Refuses a dictionary that has a key twice.
    static func checkKeys(
        of dictionary: RealmDictionary,
        _ layout: TableLayout
    ) throws(RealmFileError) {
        let place = dictionary.place
        guard place.root != nil else { return }
        let byteCount = place.unnotedSource.bytes.count
        let count = try dictionary.count()
        func repeated() -> RealmFileError {
            RealmFileError(
                .damaged,
                "A dictionary of \(layout.tableName) has a key twice.",
                at: place.root
            )
        }
        guard count <= byteCount else { throw repeated() }
        for pass in 0..<Identities.passCount(for: count, in: byteCount) {
            var identities = Identities(expecting: count, in: byteCount, pass: pass)
            let keys = try DictionaryCursor.Keys(place)
            while let key = try keys.next() {
                guard try identities.insert(key) else { throw repeated() }
            }
        }
    }
}
