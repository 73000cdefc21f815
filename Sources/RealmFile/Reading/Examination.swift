/// Finds out whether the parts of a file belong together.
///
/// Everything that holds data is read once: each place and length, each value, each text. Besides: no array is part of
/// two things; a class has as many objects as is noted, and as many values of each property; keys grow; primary keys
/// are unique; and the links are those that their targets know of, which is the only thing that tells of some copies
/// that were made while the app was writing.
struct Examination {
    private let storage: RealmStorage
    private let progress: (RealmProgress) throws -> Void
    private var links: [LinkColumn: LinkSum] = [:]
    private var objectsRead = 0
    private let objectCount: Int
    /// How many objects hold each of the embedded objects in the leaf that is read.
    private var owners: [Int] = []

    init(_ storage: RealmStorage, _ progress: @escaping (RealmProgress) throws -> Void) {
        self.storage = storage
        self.progress = progress
        objectCount = storage.tables.reduce(0) { $0 + $1.rowCount }
    }

    /// A property of links, by its class and what it is named in the file.
    private struct LinkColumn: Hashable {
        let classIndex: Int
        let columnKey: Int64
    }

    /// What links add up to, whatever their order: those that lead forward minus those that are known at their targets.
    private struct LinkSum {
        var forward: UInt64 = 0
        var backward: UInt64 = 0
        var forwardCount = 0
        var backwardCount = 0
    }

    mutating func run() throws {
        guard storage.header.root != nil else { return }
        // Read again, so that what holds the classes is among what was visited.
        var source = storage.source
        source.visited = VisitedBytes(byteCount: source.bytes.count)
        let (tables, directory) = try RealmStorage.schema(storage.header, source)
        for (index, table) in tables.enumerated() {
            let reader = RowReader(table, source, directory)
            switch table.rows {
            case .none: break
            case .clusters(let root):
                try examine(clustersAt: root, index, reader, rowCount: table.rowCount)
            case .columns(let reference): try examine(columnsAt: reference, index, reader)
            }
        }
        try checkLinks(tables)
    }

    // MARK: Classes

    private mutating func examine(
        clustersAt root: Int,
        _ index: Int,
        _ reader: RowReader,
        rowCount: Int
    ) throws {
        var identities = Identities(
            expecting: reader.layout.primaryKeyIndex == nil ? 0 : rowCount,
            in: reader.source.bytes.count
        )
        var failure: (any Error)?
        var state = self
        try ClusterTree(reader.source, root: root).forEachLeaf { cluster throws(RealmFileError) in
            let isEmbedded = reader.layout.kind == .embedded
            state.owners = isEmbedded ? Array(repeating: 0, count: cluster.count) : []
            for (place, column) in reader.layout.columns.enumerated() {
                let part = try RowChunk.part(column, cluster, reader)
                try state.examine(
                    part,
                    column,
                    isPrimary: place == reader.layout.primaryKeyIndex,
                    index,
                    reader,
                    &identities
                ) { row throws(RealmFileError) in try cluster.key(at: row) }
            }
            do { try state.advance(cluster.count) } catch { failure = error }
            return failure == nil
        }
        self = state
        if let failure { throw failure }
        try checkFurtherKeys(reader, rowCount: rowCount)
    }

    private mutating func examine(
        columnsAt reference: Int,
        _ index: Int,
        _ reader: RowReader
    ) throws {
        let layout = reader.layout
        let array = try reader.source.references(at: reference)
        var identities = Identities(
            expecting: layout.primaryKeyIndex == nil ? 0 : layout.rowCount,
            in: reader.source.bytes.count
        )
        for (place, column) in layout.columns.enumerated() {
            let root = try array.requiredReference(at: column.position)
            let count: Int
            if column.isSplitTimestamp {
                count = try SplitTimestamps(reader.source, root: root).check()
            } else {
                var start: Int64 = 0
                var state = self
                count = try ElementTree(reader.source, root: root).forEachLeaf {
                    node throws(RealmFileError) in
                    let part = try column.part(node, reader.source, reader.directory)
                    try state.examine(
                        part,
                        column,
                        isPrimary: place == layout.primaryKeyIndex,
                        index,
                        reader,
                        &identities
                    ) { row throws(RealmFileError) in start + Int64(row) }
                    start += Int64(part.count)
                    return part.count
                }
                self = state
            }
            guard count == layout.rowCount else {
                throw RealmFileError(
                    .damaged,
                    "There are \(count) values for \(layout.rowCount) objects of \(layout.tableName).",
                    at: root
                )
            }
        }
        try advance(layout.rowCount)
        try checkFurtherKeys(reader, rowCount: layout.rowCount)
    }

    private mutating func advance(_ count: Int) throws {
        objectsRead += count
        try showProgress()
    }

    func showProgress() throws {
        try progress(RealmProgress(objectsRead: objectsRead, objectCount: objectCount))
    }

    // MARK: Values

    private mutating func examine(
        _ part: ColumnPart,
        _ column: ColumnLayout,
        isPrimary: Bool,
        _ classIndex: Int,
        _ reader: RowReader,
        _ identities: inout Identities,
        _ key: (Int) throws(RealmFileError) -> Int64
    ) throws(RealmFileError) {
        if case .backlinks(let node) = part {
            try examine(origins: node, column, classIndex, reader.source, key)
            return
        }
        let name = LinkColumn(classIndex: classIndex, columnKey: column.columnKey)
        var sum = links[name, default: LinkSum()]
        var leaf: Leaf?
        if case .leaf(let found) = part, !isPrimary { leaf = found }
        for row in 0..<part.count {
            let value =
                if let leaf { try leaf.examined(at: row) } else {
                    try column.value(part, at: row, reader.source, reader.directory)
                }
            if isPrimary, try !identities.insert(value) { throw Self.repeatedKey(reader.layout) }
            try Self.check(value, column, reader.layout, reader.source.version)
            guard value.mayHoldLinks else { continue }
            let rowKey = try key(row)
            try Self.forEachLink(in: value, checkingKeys: reader.layout) { link in
                sum.forward &+= Self.sum(rowKey, link.classIndex, link.key)
                sum.forwardCount += 1
            }
        }
        if sum.forwardCount > 0 { links[name] = sum }
    }

    /// Refuses what no version of Realm writes. Of collections nothing is read.
    static func check(
        _ value: RealmValue,
        _ column: ColumnLayout,
        _ layout: TableLayout,
        _ version: FormatVersion
    ) throws(RealmFileError) {
        guard case .null = value, case .single(let type) = column.content else { return }
        guard !type.isNullable, type.kind != .links, type.kind != .mixed else { return }
        // Some files of old have short strings that are null where none may be.
        if type.kind == .strings, !version.hasClusters { return }
        throw RealmFileError(
            .damaged,
            "An object of \(layout.tableName) has no value where one is required."
        )
    }

    /// Reads all that lies in a value, and hands over the links.
    ///
    /// - Parameter layout: of whose dictionaries it is made sure that they have no key twice; nil for none.
    static func forEachLink(
        in value: RealmValue,
        checkingKeys layout: TableLayout? = nil,
        _ body: (RealmLink) -> Void
    ) throws(RealmFileError) {
        switch value {
        case .link(let link): return body(link)
        case .list(let elements) where !elements.place.mayHoldCollections,
            .set(let elements) where !elements.place.mayHoldCollections:
            let cursor = try ElementCursor(elements.place)
            while let element = try cursor.next() {
                if case .link(let link) = element { body(link) }
                if case .typedLink(let link) = element { body(link) }
            }
            return
        default: break
        }
        var walk = NestedWalk(value)
        while let value = try walk.next() {
            switch value {
            case .link(let link), .typedLink(let link): body(link)
            case .dictionary(let dictionary):
                if let layout { try checkKeys(of: dictionary, layout) }
            default: break
            }
        }
    }

    /// The objects that link to each row by one property.
    private mutating func examine(
        origins node: ArrayNode,
        _ column: ColumnLayout,
        _ classIndex: Int,
        _ source: NodeSource,
        _ key: (Int) throws(RealmFileError) -> Int64
    ) throws(RealmFileError) {
        guard let origin = column.otherClass, let originColumn = column.originColumnKey else {
            for row in 0..<node.count {
                guard case .null = try node.element(at: row) else {
                    throw RealmFileError(
                        .damaged,
                        "Objects of no class link to others.",
                        at: node.offset
                    )
                }
            }
            return
        }
        let name = LinkColumn(classIndex: origin, columnKey: originColumn)
        var sum = links[name, default: LinkSum()]
        for row in 0..<node.count {
            let target = try key(row)
            let countBefore = sum.backwardCount
            switch try node.element(at: row) {
            case .null: break
            case .number(let key):
                sum.backward &+= Self.sum(key, classIndex, target)
                sum.backwardCount += 1
            case .reference(let reference):
                try Self.forEachOrigin(at: reference, source) { key in
                    sum.backward &+= Self.sum(key, classIndex, target)
                    sum.backwardCount += 1
                }
            }
            try noteOwners(sum.backwardCount - countBefore, ofRow: row, node.offset)
        }
        links[name] = sum
    }

    /// Refuses an embedded object that several objects hold: whoever follows links might never end.
    private mutating func noteOwners(_ count: Int, ofRow row: Int, _ offset: Int)
        throws(RealmFileError)
    {
        guard !owners.isEmpty else { return }
        owners[row] += count
        guard owners[row] <= 1 else {
            throw RealmFileError(
                .damaged,
                "An embedded object is part of several others.",
                at: offset
            )
        }
    }

    /// The rows that link to one: a tree of their keys or, from version 10 to 23, one array.
    static func forEachOrigin(
        at reference: Int,
        _ source: NodeSource,
        _ body: (Int64) -> Void
    ) throws(RealmFileError) {
        func read(_ node: ArrayNode) throws(RealmFileError) -> Int {
            let keys = try node.checked(as: .integers)
            for index in 0..<keys.count { body(try keys.integer(at: index)) }
            return keys.count
        }
        if source.version.hasBacklinkTrees {
            try ElementTree(source, root: reference).forEachLeaf(read)
        } else {
            _ = try read(source.node(at: reference))
        }
    }

    /// The classes whose rows have other numbers than links know.
    private func renumbered(_ tables: [TableLayout]) throws(RealmFileError) -> Set<Int> {
        var found: Set<Int> = []
        for (index, table) in tables.enumerated() {
            guard case .clusters(let root) = table.rows else { continue }
            if try ClusterTree(storage.source, root: root).isOfTestBuild() { found.insert(index) }
        }
        return found
    }

    private func checkLinks(_ tables: [TableLayout]) throws(RealmFileError) {
        let renumbered = try renumbered(tables)
        for (name, sum) in links
        where sum.forward != sum.backward || sum.forwardCount != sum.backwardCount {
            let origin = tables[name.classIndex]
            let target = origin.columns.first { $0.columnKey == name.columnKey }?.otherClass
            if renumbered.contains(name.classIndex) || target.map(renumbered.contains) ?? false {
                continue
            }
            let table = tables[name.classIndex]
            let column = table.columns.firstIndex { $0.columnKey == name.columnKey }
            let property = column.flatMap {
                $0 < table.properties.count ? table.properties[$0].name : nil
            }
            let className = RealmClass.name(ofTable: table.tableName)
            throw RealmFileError(
                .damaged,
                "The links of \(className).\(property ?? "?") (\(sum.forwardCount)) are not those that their "
                    + "targets know of (\(sum.backwardCount)): the file was copied while the app was writing."
            )
        }
    }

    /// A number for one link that is unlike that for another one.
    static func sum(_ origin: Int64, _ classIndex: Int, _ target: Int64) -> UInt64 {
        var hash = UInt64(bitPattern: origin) &* 0x9e37_79b9_7f4a_7c15
        for part in [UInt64(classIndex), UInt64(bitPattern: target)] {
            hash ^= hash >> 32
            hash = (hash ^ part) &* 0xd6e8_feb8_6659_fd93
        }
        hash ^= hash >> 32
        return hash &* 0xd6e8_feb8_6659_fd93
    }
}

/// How far an examination is.
public struct RealmProgress: Sendable, Equatable {
    /// Objects read so far.
    public let objectsRead: Int
    /// Objects that the file says it has.
    public let objectCount: Int
}

extension RealmValue {
    /// Whether there may be links in it.
    fileprivate var mayHoldLinks: Bool {
        switch self {
        case .link, .typedLink, .list, .set, .dictionary: true
        default: false
        }
    }
}

extension RealmReader {
    /// Finds out whether the parts of the file belong together: places, counts, texts, primary keys, and links against
    /// what their targets know of them. Read nothing important from a file that fails.
    ///
    /// - Parameter progress: called after some hundred objects; what it throws ends the examination and comes out.
    /// - Throws: ``RealmFileError`` with what was found first, and what `progress` throws.
    /// - Complexity: O(bytes); memory for a 64th of the bytes, and for the primary keys of the class that is examined
    ///   about forty bytes each, up to 4 MiB or the size of the file. Of more they are gone through several times.
    public func examine(progress: (RealmProgress) throws -> Void = { _ in }) throws {
        try withoutActuallyEscaping(progress) { progress in
            var examination = Examination(storage, progress)
            try examination.run()
        }
    }
}
