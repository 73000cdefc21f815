/// Rows that lie together, with the leaves of all their columns.
final class RowChunk: @unchecked Sendable {
    // Unchecked: everything is set before `init` returns, and only read from then on. Its source notes nothing, and
    // what may be read of a collection is counted in a source that is made for a walk through it.

    /// A leaf, and how many of its elements belong to rows before these. Small: it is copied for every value.
    private enum Part {
        case leaf(Leaf, skip: Int)
        indirect case other(ColumnPart, skip: Int)
        indirect case split(
            seconds: ArrayNode,
            skip: Int,
            nanoseconds: ArrayNode,
            skipNanoseconds: Int
        )

        init(_ part: ColumnPart, skip: Int) {
            self =
                if case .leaf(let leaf) = part { .leaf(leaf, skip: skip) } else {
                    .other(part, skip: skip)
                }
        }
    }

    let count: Int
    private let cluster: Cluster?
    private let firstRow: Int
    private let parts: [Part]
    private let reader: RowReader

    /// Rows from version 10 on.
    init(_ cluster: Cluster, _ reader: RowReader) throws(RealmFileError) {
        self.cluster = cluster
        self.reader = reader
        count = cluster.count
        firstRow = 0
        var parts: [Part] = []
        let columns = reader.layout.columns.prefix(reader.layout.properties.count)
        parts.reserveCapacity(columns.count)
        for column in columns {
            let part = try Self.part(column, cluster, reader)
            parts.append(Part(part, skip: 0))
        }
        self.parts = parts
    }

    /// The leaf of a column beside others.
    static func part(
        _ column: ColumnLayout,
        _ cluster: Cluster,
        _ reader: RowReader
    ) throws(RealmFileError) -> ColumnPart {
        let node = try reader.source.node(at: cluster.node.requiredReference(at: column.position))
        let part = try column.part(node, reader.source, reader.directory)
        guard part.count == cluster.count else {
            throw RealmFileError(
                .damaged,
                "There are \(part.count) values for \(cluster.count) objects.",
                at: node.offset
            )
        }
        return part
    }

    /// Rows before version 10: from one on, as many as have their values in the same leaves.
    init(_ row: Int, columnsAt reference: Int, _ reader: RowReader) throws(RealmFileError) {
        let array = try reader.source.references(at: reference)
        var end = reader.layout.rowCount
        var parts: [Part] = []
        for column in reader.layout.columns.prefix(reader.layout.properties.count) {
            let root = try array.requiredReference(at: column.position)
            if column.isSplitTimestamp {
                let trees = try SplitTimestamps(reader.source, root: root)
                let seconds = try trees.seconds.leaf(
                    with: row,
                    leafCount: SplitTimestamps.secondsCount
                )
                let nanoseconds = try trees.nanoseconds.leaf(with: row) { $0.count }
                end = min(end, seconds.range.upperBound, nanoseconds.range.upperBound)
                parts.append(
                    .split(
                        seconds: try seconds.node.checked(as: .integers),
                        skip: row - seconds.range.lowerBound,
                        nanoseconds: try nanoseconds.node.checked(as: .integers),
                        skipNanoseconds: row - nanoseconds.range.lowerBound
                    )
                )
                continue
            }
            var part: ColumnPart?
            let leaf = try ElementTree(reader.source, root: root).leaf(with: row) {
                node throws(RealmFileError) in
                let read = try column.part(node, reader.source, reader.directory)
                part = read
                return read.count
            }
            end = min(end, leaf.range.upperBound)
            guard let part else { continue }
            parts.append(Part(part, skip: row - leaf.range.lowerBound))
        }
        cluster = nil
        firstRow = row
        count = end - row
        self.parts = parts
        self.reader = reader
    }

    func key(at index: Int) throws(RealmFileError) -> Int64 {
        guard let cluster else { return Int64(firstRow + index) }
        return try cluster.key(at: index)
    }

    /// The place of a row in the chunk; nil where it is none of them.
    func index(ofKey key: Int64) throws(RealmFileError) -> Int? {
        if let cluster { return try cluster.index(ofKey: key) }
        guard let number = Int(exactly: key), (firstRow..<firstRow + count).contains(number) else {
            return nil
        }
        return number - firstRow
    }

    func unresolvedLinkCount(_ column: Int, at index: Int) throws(RealmFileError) -> Int {
        guard case .other(.collections(let node), let skip) = parts[column] else { return 0 }
        return try reader.layout.columns[column].unresolvedLinkCount(
            node.reference(at: index + skip),
            reader.source
        )
    }

    func value(_ column: Int, at index: Int) throws(RealmFileError) -> RealmValue {
        switch parts[column] {
        case .leaf(let leaf, let skip): return try leaf.value(at: index + skip)
        case .other(let part, let skip):
            return try reader.layout.columns[column].value(
                part,
                at: index + skip,
                reader.source,
                reader.directory
            )
        case .split(let seconds, let skip, let nanoseconds, let skipNanoseconds):
            return try SplitTimestamps.value(
                seconds,
                index + skip,
                nanoseconds,
                index + skipNanoseconds
            )
        }
    }
}
