/// Finds out which objects of a damaged file are whole: every value of theirs is read, in every class.
final class CellSalvage {
    /// More rows in a byte have only classes of nothing but zeros.
    private static let rowsPerByteMax = 16

    let storage: RealmStorage
    private let progress: (RealmProgress) throws -> Void
    private(set) var losses: LossList
    private(set) var classes: [SalvagedClass] = []
    private var objectsRead = 0
    private let objectCount: Int
    /// What `progress` threw.
    private var failure: (any Error)?

    init(_ storage: RealmStorage, _ progress: @escaping (RealmProgress) throws -> Void) {
        self.storage = storage
        self.progress = progress
        losses = LossList(in: storage.source.bytes.count)
        objectCount = storage.tables.reduce(0) { $0 + $1.rowCount }
    }

    func run() throws {
        for loss in storage.opening?.losses ?? [] { losses.append(loss) }
        for (index, table) in storage.tables.enumerated() {
            classes.append(SalvagedClass(storage.source))
            let reader = RowReader(table, storage.source, storage.directory)
            switch table.rows {
            case .none: break
            case .clusters(let root): try salvage(clustersAt: root, index, reader)
            case .columns(let reference): try salvage(columnsAt: reference, index, reader)
            }
            if let failure { throw failure }
            try removeRepeatedPrimaryKeys(index, reader)
        }
    }

    private func advance(_ count: Int) {
        objectsRead += count
        guard failure == nil else { return }
        do {
            try progress(
                RealmProgress(objectsRead: objectsRead, objectCount: max(objectCount, objectsRead))
            )
        } catch {
            failure = error
        }
    }

    private func lose(
        _ kind: RealmLoss.Kind,
        _ reader: RowReader,
        _ error: RealmFileError,
        _ keys: ClosedRange<Int64>?,
        count: Int? = nil,
        column: Int? = nil
    ) {
        let properties = reader.layout.properties
        losses.append(
            RealmLoss(
                kind,
                RealmClass.name(ofTable: reader.layout.tableName),
                error,
                keys: keys,
                count: count,
                property: column.flatMap {
                    properties.indices.contains($0) ? properties[$0].name : nil
                }
            )
        )
    }

    // MARK: Rows from version 10 on

    private func salvage(clustersAt root: Int, _ index: Int, _ reader: RowReader) throws {
        let walk = ClusterTree.SalvageWalk { cluster throws(RealmFileError) in
            guard self.failure == nil else { return }
            guard cluster.count > 0 else { return self.checkEmpty(cluster, reader) }
            let leaf = try self.leaf(cluster, reader)
            self.classes[index].leaves.append(leaf)
            self.advance(cluster.count)
        } loss: { error, keys throws(RealmFileError) in
            guard self.failure == nil else { return }
            self.lose(.objects, reader, error, keys)
        }
        try ClusterTree(reader.source, root: root).salvage(walk)
    }

    /// A class without objects has arrays without values; others contradict what its properties are said to be.
    private func checkEmpty(_ cluster: Cluster, _ reader: RowReader) {
        for (place, column) in reader.layout.columns.enumerated() {
            do throws(RealmFileError) {
                _ = try RowChunk.part(column, cluster, reader)
            } catch {
                lose(.objects, reader, error, nil, count: 0, column: place)
            }
        }
    }

    private func leaf(_ cluster: Cluster, _ reader: RowReader) throws(RealmFileError)
        -> SalvagedLeaf
    {
        var leaf = try SalvagedLeaf(cluster)
        var ownerCounts = Array(
            repeating: 0,
            count: reader.layout.kind == .embedded ? cluster.count : 0
        )
        for (place, column) in reader.layout.columns.enumerated() {
            var isOrigins = false
            if case .backlinks = column.content { isOrigins = true }
            do throws(RealmFileError) {
                let part = try RowChunk.part(column, cluster, reader)
                for row in 0..<cluster.count {
                    do throws(RealmFileError) {
                        try check(part, at: row, column, reader, &ownerCounts)
                    } catch {
                        let key = try cluster.key(at: row)
                        if !isOrigins { leaf.whole.remove(row) }
                        lose(
                            isOrigins ? .origins : .objects,
                            reader,
                            error,
                            key...key,
                            count: 1,
                            column: place
                        )
                    }
                }
            } catch {
                if !isOrigins { leaf.whole.removeAll() }
                lose(
                    isOrigins ? .origins : .objects,
                    reader,
                    error,
                    leaf.keys,
                    count: cluster.count,
                    column: place
                )
            }
        }
        for (row, count) in ownerCounts.enumerated() where count > 1 && leaf.whole.remove(row) {
            let key = try cluster.key(at: row)
            let error = RealmFileError(
                .damaged,
                "An embedded object is part of several others.",
                at: cluster.node.offset
            )
            lose(.objects, reader, error, key...key, count: 1)
        }
        return leaf
    }

    /// Reads the value of a row, or the rows that link to it.
    private func check(
        _ part: ColumnPart,
        at row: Int,
        _ column: ColumnLayout,
        _ reader: RowReader,
        _ ownerCounts: inout [Int]
    ) throws(RealmFileError) {
        guard case .backlinks(let node) = part else {
            let value = try column.value(part, at: row, reader.source, reader.directory)
            try Examination.check(value, column, reader.layout, reader.source.version)
            // Of every collection all has to be whole.
            return try Examination.forEachLink(in: value, checkingKeys: reader.layout) { _ in }
        }
        var count = 0
        try Self.forEachOrigin(of: node, at: row, reader.source) { _ in count += 1 }
        if ownerCounts.indices.contains(row) { ownerCounts[row] += count }
    }

    /// The rows that link to one.
    static func forEachOrigin(
        of node: ArrayNode,
        at row: Int,
        _ source: NodeSource,
        _ body: (Int64) -> Void
    ) throws(RealmFileError) {
        switch try node.element(at: row) {
        case .null: return
        case .number(let key): body(key)
        case .reference(let reference):
            try Examination.forEachOrigin(at: reference, source.budgeted, body)
        }
    }

    // MARK: Numbered rows

    private func salvage(columnsAt reference: Int, _ index: Int, _ reader: RowReader) throws {
        let layout = reader.layout
        guard layout.rowCount > 0 else { return }
        let array: ArrayNode
        do throws(RealmFileError) {
            array = try reader.source.references(at: reference)
            guard layout.rowCount / Self.rowsPerByteMax <= reader.source.bytes.count else {
                throw RealmFileError(
                    .damaged,
                    "A class has more objects than the file has room for.",
                    at: reference
                )
            }
        } catch {
            lose(.objects, reader, error, 0...Int64(layout.rowCount - 1), count: layout.rowCount)
            return
        }
        classes[index].leaves = SalvagedLeaves(rowCount: layout.rowCount)
        for (place, column) in layout.columns.enumerated() {
            do throws(RealmFileError) {
                let root = try array.requiredReference(at: column.position)
                try salvage(column, place, root, index, reader)
            } catch {
                lose(0..<layout.rowCount, error, place, index, reader)
            }
            // Of more columns nothing would come.
            if classes[index].leaves.allSatisfy({ $0.whole.isEmpty }) { break }
        }
        advance(layout.rowCount)
    }

    private func salvage(
        _ column: ColumnLayout,
        _ place: Int,
        _ root: Int,
        _ index: Int,
        _ reader: RowReader
    ) throws(RealmFileError) {
        let loss: (RealmFileError, Range<Int>) throws(RealmFileError) -> Void = { error, rows in
            self.lose(rows, error, place, index, reader)
        }
        let rowCount = reader.layout.rowCount
        guard !column.isSplitTimestamp else {
            let trees = try SplitTimestamps(reader.source, root: root)
            try trees.seconds.salvage(
                rowCount: rowCount,
                leaf: { node, rows throws(RealmFileError) in
                    try Self.check(SplitTimestamps.secondsCount(node), rows, node)
                },
                loss: loss
            )
            try trees.nanoseconds.salvage(
                rowCount: rowCount,
                leaf: { node, rows throws(RealmFileError) in
                    let node = try node.checked(as: .integers)
                    try Self.check(node.count, rows, node)
                    for row in 0..<node.count {
                        do throws(RealmFileError) {
                            _ = try RealmTimestamp(
                                checked: 0,
                                node.integer(at: row),
                                node.offset
                            )
                        } catch {
                            try loss(error, rows.lowerBound + row..<rows.lowerBound + row + 1)
                        }
                    }
                },
                loss: loss
            )
            return
        }
        try ElementTree(reader.source, root: root).salvage(
            rowCount: rowCount,
            leaf: { node, rows throws(RealmFileError) in
                let part = try column.part(node, reader.source, reader.directory)
                try Self.check(part.count, rows, node)
                var none: [Int] = []
                for row in 0..<part.count {
                    do throws(RealmFileError) {
                        try self.check(part, at: row, column, reader, &none)
                    } catch {
                        try loss(error, rows.lowerBound + row..<rows.lowerBound + row + 1)
                    }
                }
            },
            loss: loss
        )
    }

    private static func check(
        _ count: Int,
        _ rows: Range<Int>,
        _ node: ArrayNode
    ) throws(RealmFileError) {
        guard count == rows.count else {
            throw RealmFileError(
                .damaged,
                "There are \(count) values for \(rows.count) objects.",
                at: node.offset
            )
        }
    }

    private func lose(
        _ rows: Range<Int>,
        _ error: RealmFileError,
        _ column: Int,
        _ index: Int,
        _ reader: RowReader
    ) {
        guard !rows.isEmpty else { return }
        var isOrigins = false
        if case .backlinks = reader.layout.columns[column].content { isOrigins = true }
        if !isOrigins {
            var row = rows.lowerBound
            while row < rows.upperBound {
                let leaf = row / Cluster.rowCountMax
                let end = min(rows.upperBound, (leaf + 1) * Cluster.rowCountMax)
                if !classes[index].leaves[leaf].whole.isEmpty {
                    for row in row..<end {
                        classes[index].leaves.remove(row % Cluster.rowCountMax, ofLeaf: leaf)
                    }
                }
                row = end
            }
        }
        lose(
            isOrigins ? .origins : .objects,
            reader,
            error,
            Int64(rows.lowerBound)...Int64(rows.upperBound - 1),
            count: rows.count,
            column: column
        )
    }

    // MARK: Primary keys

    /// Which of two objects with one primary key is right, cannot be told: neither is whole.
    private func removeRepeatedPrimaryKeys(_ index: Int, _ reader: RowReader) throws {
        guard let place = reader.layout.primaryKeyIndex else { return }
        let column = reader.layout.columns[place]
        let parts = SalvagedParts(storage, classes[index], index)
        // Of very many keys only those that are different take room.
        let count = classes[index].wholeCount
        let byteCount = reader.source.bytes.count
        for pass in 0..<Examination.Identities.passCount(for: count, in: byteCount) {
            var met = Examination.Identities(expecting: count, in: byteCount, pass: pass)
            var repeated: Set<Examination.Identities.Fingerprint> = []
            try parts.forEach(of: column) { part, _, _, offset throws(RealmFileError) in
                let value = try parts.value(part, column, at: offset)
                if try !met.insert(value) {
                    repeated.insert(Examination.Identities.fingerprint(of: value))
                }
            }
            guard !repeated.isEmpty else { continue }
            try remove(repeated, of: column, place, parts, index, reader)
        }
    }

    /// Notes every object with one of the keys as lost.
    private func remove(
        _ keys: Set<Examination.Identities.Fingerprint>,
        of column: ColumnLayout,
        _ place: Int,
        _ parts: SalvagedParts,
        _ index: Int,
        _ reader: RowReader
    ) throws(RealmFileError) {
        try parts.forEach(of: column) { part, leaf, row, offset throws(RealmFileError) in
            let value = try parts.value(part, column, at: offset)
            guard keys.contains(Examination.Identities.fingerprint(of: value)),
                classes[index].leaves.remove(row, ofLeaf: leaf)
            else { return }
            let key = try classes[index].key(ofRow: row, inLeaf: leaf)
            let error = RealmFileError(
                .damaged,
                "Another object has the same primary key.",
                at: part.offset
            )
            lose(.objects, reader, error, key...key, count: 1, column: place)
        }
    }
}
