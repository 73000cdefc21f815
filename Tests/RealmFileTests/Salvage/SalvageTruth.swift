@testable import RealmFile

/// What a sound file says, and from which of its bytes each object is read.
struct SalvageTruth {
    let bytes: [UInt8]
    let content: Content
    /// The objects by class and key.
    private let objects: [[Int64: [ReadValue]]]
    /// The bytes of arrays that every object is read through: roots, classes, free space.
    private(set) var common: [Range<Int>] = []
    /// Those of arrays that lead to the rows of a class.
    private(set) var paths: [[Range<Int>]] = []
    /// Those of arrays that hold the values of each object, by class and key.
    private(set) var own: [[Int64: [Range<Int>]]] = []
    /// All arrays.
    private(set) var arrays: [ArrayNode] = []
    private let realm: RealmReader

    init(_ bytes: [UInt8], key: [UInt8]? = nil) throws {
        self.bytes = bytes
        realm = try RealmReader(bytes: bytes, key: key)
        content = try Content(realm)
        objects = content.classes.map { realmClass in
            Dictionary(uniqueKeysWithValues: realmClass.objects.map { ($0.key, $0.values) })
        }
        let storage = realm.storage
        for table in storage.tables {
            guard case .clusters(let root) = table.rows else {
                paths.append([])
                own.append([:])
                continue
            }
            var path: [Range<Int>] = []
            var objects: [Int64: [Range<Int>]] = [:]
            try walk(root, keyOffset: 0, table, &path, &objects)
            paths.append(path)
            own.append(objects)
        }
        guard let root = storage.header.root else { return }
        arrays = try subtree(root)
        let rows = Set(
            paths.joined().map(\.lowerBound)
                + own.flatMap { $0.values.joined().map(\.lowerBound) }
        )
        common =
            [0..<FileHeader.byteCount]
            + arrays.filter { !rows.contains($0.offset) }.map { $0.offset..<$0.end }
    }

    private var source: NodeSource { realm.storage.source }

    /// An array and everything below it.
    private func subtree(_ root: Int) throws -> [ArrayNode] {
        var found: [ArrayNode] = []
        var open = [root]
        while let reference = open.popLast() {
            let node = try source.node(at: reference)
            found.append(node)
            guard node.hasReferences else { continue }
            for index in 0..<node.count {
                if case .reference(let next) = try node.element(at: index) { open.append(next) }
            }
        }
        return found
    }

    private func ranges(_ root: Int) throws -> [Range<Int>] {
        try subtree(root).map { $0.offset..<$0.end }
    }

    private func walk(
        _ reference: Int,
        keyOffset: Int64,
        _ table: TableLayout,
        _ path: inout [Range<Int>],
        _ objects: inout [Int64: [Range<Int>]]
    ) throws {
        let node = try source.references(at: reference)
        path.append(node.offset..<node.end)
        if case .reference(let keys) = try node.element(at: 0) { path += try ranges(keys) }
        if node.isInner {
            let inner = try ClusterTree.Inner(node, source)
            for child in 0..<inner.childCount {
                try walk(
                    try node.requiredReference(at: child + 3),
                    keyOffset: keyOffset + (try inner.keyOffset(of: child)),
                    table,
                    &path,
                    &objects
                )
            }
            return
        }
        let cluster = try Cluster(node, source, keyOffset: keyOffset)
        for column in table.columns.prefix(table.properties.count) {
            let leaf = try source.node(at: node.requiredReference(at: column.position))
            var isCollection = true
            if case .single = column.content { isCollection = false }
            let whole = isCollection ? [] : try ranges(leaf.offset)
            for row in 0..<cluster.count {
                let key = try cluster.key(at: row)
                objects[key, default: []] += whole
                guard isCollection else { continue }
                objects[key, default: []].append(leaf.offset..<leaf.end)
                if let reference = try leaf.reference(at: row) {
                    objects[key, default: []] += try ranges(reference)
                }
            }
        }
    }

    // MARK: Comparison

    /// What is handed on of damaged bytes that cannot be, were everything well. Empty where all is.
    ///
    /// - Parameter isStructural: whether no value was changed, but only what holds values together. Then every object
    ///   has to be as it was; otherwise those that are not read from changed bytes.
    func faults(of salvage: RealmSalvage, _ mutant: [UInt8], isStructural: Bool) throws -> [String]
    {
        let changed = Self.changes(bytes, mutant)
        let isEverythingTouched = !isStructural && Self.overlaps(common, changed)
        var listed: Set<String> = []
        for loss in salvage.losses where loss.kind == .links || loss.kind == .doubtfulLinks {
            guard let keys = loss.keys, let name = loss.className else { continue }
            listed.insert("\(name) \(keys.lowerBound) \(loss.property ?? "")")
        }
        // A reference that became nothing is as that of an empty collection; that bytes are left over is all there is.
        let mayBeEmpty = salvage.losses.contains { $0.kind == .unclaimedBytes }
        var found: [String] = []
        let indexes = Dictionary(
            uniqueKeysWithValues: content.classes.enumerated().map { ($1.tableName, $0) }
        )
        for realmClass in salvage.realm.classes {
            guard let index = indexes[realmClass.tableName] else {
                if !isEverythingTouched { found.append("class \(realmClass.name)") }
                continue
            }
            let arePathsTouched = !isStructural && Self.overlaps(paths[index], changed)
            try realmClass.forEachObject { object in
                guard let truth = objects[index][object.key] else {
                    if !arePathsTouched, !isEverythingTouched {
                        found.append("\(realmClass.name) \(object.key) was never there")
                    }
                    return true
                }
                let ranges = own[index][object.key] ?? []
                let isTouched =
                    isEverythingTouched || arePathsTouched
                    || !isStructural && Self.overlaps(ranges, changed)
                for (place, property) in realmClass.properties.enumerated() {
                    let value = try object.read(property)
                    guard !isTouched, value != truth[place] else { continue }
                    if mayBeEmpty, Self.isEmptied(value, truth[place]) { continue }
                    let name = "\(realmClass.name) \(object.key) \(property.name)"
                    guard listed.contains(name), Self.isRest(value, of: truth[place]) else {
                        found.append("\(name): \(value) for \(truth[place])")
                        continue
                    }
                }
                return true
            }
        }
        return found.map { String($0.prefix(300)) }
    }

    /// Whether a value is the true one, but for collections or texts in it that are empty.
    private static func isEmptied(_ value: ReadValue, _ truth: ReadValue) -> Bool {
        switch (value, truth) {
        case (.single(.null), _), (.list([]), _), (.set([]), _), (.dictionary([]), _): true
        case (.list(let values), .list(let truths)), (.set(let values), .set(let truths)):
            values.count == truths.count && zip(values, truths).allSatisfy(isEmptied)
        case (.dictionary(let entries), .dictionary(let truths)):
            entries.count == truths.count
                && zip(entries, truths).allSatisfy {
                    $0.key == $1.key && isEmptied($0.value, $1.value)
                }
        default: value == truth
        }
    }

    /// Whether a value is the true one without some of its links.
    static func isRest(_ value: ReadValue, of truth: ReadValue) -> Bool {
        switch (value, truth) {
        case (.single(.null), .single(.link)), (.single(.null), .single(.typedLink)): return true
        case (.list(let values), .list(let truths)), (.set(let values), .set(let truths)):
            var rest = truths[...]
            for value in values {
                while let first = rest.first, value != first, !isRest(value, of: first) {
                    guard case .single(.link) = first else { return false }
                    rest.removeFirst()
                }
                guard !rest.isEmpty else { return false }
                rest.removeFirst()
            }
            return rest.allSatisfy {
                if case .single(.link) = $0 { return true }
                return false
            }
        case (.dictionary(let entries), .dictionary(let truths)):
            return entries.count == truths.count
                && zip(entries, truths).allSatisfy {
                    $0.key == $1.key && ($0.value == $1.value || isRest($0.value, of: $1.value))
                }
        default: return value == truth
        }
    }

    /// The bytes in which two files differ.
    static func changes(_ first: [UInt8], _ second: [UInt8]) -> [Range<Int>] {
        var changes: [Range<Int>] = []
        let count = min(first.count, second.count)
        for place in 0..<count where first[place] != second[place] {
            if let last = changes.last, last.upperBound == place {
                changes[changes.count - 1] = last.lowerBound..<place + 1
            } else {
                changes.append(place..<place + 1)
            }
        }
        if second.count < first.count { changes.append(count..<first.count) }
        return changes
    }

    static func overlaps(_ ranges: [Range<Int>], _ changes: [Range<Int>]) -> Bool {
        ranges.contains { range in changes.contains { $0.overlaps(range) } }
    }
}
