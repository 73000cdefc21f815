/// Compares the links of whole objects with what their targets know of them.
///
/// A link is handed on when both its ends are whole and both know of it, as often as each other: links are all that is
/// written down twice, which is the only thing that tells of some copies that were made while the app was writing. When
/// one end knows of a link more often than the other, all links between the two by that property are left out.
///
/// At first one number for each leaf of targets says whether all is well; only where it is not are links looked at one
/// by one. Where these are so many that they would take more memory than a few times the file, all links to such a leaf
/// are left out.
final class LinkSalvage {
    private let storage: RealmStorage
    private let classes: [SalvagedClass]
    private let renumbered: Set<Int>
    private let numbers: TargetLeaves
    /// Differences between links and what is known of them, by where the targets lie.
    private var sums: [LeafSum]
    private var differences: [LinkIdentity: Int] = [:]
    private let differenceCountMax: Int
    private var isEveryTargetWhole = true

    private struct LeafSum: Equatable {
        var hash: UInt64 = 0
        var count = 0

        mutating func add(_ link: LinkIdentity, times: Int) {
            let hash = Examination.sum(link.origin, link.targetClass, link.target)
            self.hash = times > 0 ? self.hash &+ hash : self.hash &- hash
            count += times
        }
    }

    /// How many links are told from each other, however small the file is.
    private static let differenceCountMin = 20_000
    /// How many bytes of the file there are for each link that is told from others: a third of what it takes.
    private static let byteCountOfEach = 96

    init(_ storage: RealmStorage, _ classes: [SalvagedClass]) {
        self.storage = storage
        self.classes = classes
        let byteCount = storage.source.bytes.count
        numbers = TargetLeaves(
            leafCount: classes.reduce(0) { $0 + $1.leaves.count },
            in: byteCount
        )
        sums = Array(repeating: LeafSum(), count: numbers.count)
        differenceCountMax = max(Self.differenceCountMin, byteCount / Self.byteCountOfEach)
        var renumbered: Set<Int> = []
        for (index, table) in storage.tables.enumerated() {
            guard case .clusters(let root) = table.rows else { continue }
            // In a file of an app, be it damaged, some part has more rows.
            guard classes[index].leaves.allSatisfy({ $0.lastKey - $0.firstKey < 4 }) else {
                continue
            }
            // What is left of a damaged class may look like one of a test build; links to what is lost of it are lost.
            guard classes[index].wholeCount == table.rowCount else { continue }
            if (try? ClusterTree(storage.source, root: root).isOfTestBuild()) ?? false {
                renumbered.insert(index)
            }
        }
        self.renumbered = renumbered
    }

    /// The rows, with the links that are doubtful; every link that is not handed on is noted in `losses`.
    ///
    /// - Parameter step: called for each class; what it throws comes out.
    func run(_ losses: inout LossList, step: () throws -> Void) throws -> SalvagedRows {
        for index in classes.indices {
            try step()
            try forEachLink(ofClass: index) { link, leaf in
                sums[number(of: link, leaf)].add(link, times: 1)
            }
            try forEachOrigin(ofClass: index) { link, leaf in
                sums[number(of: link, leaf)].add(link, times: -1)
            }
        }
        var leaves = UnitSet(byteCount: 8 * sums.count)
        var hasDoubts = false
        for (number, sum) in sums.enumerated() where sum != LeafSum() {
            leaves.insert(number..<number + 1)
            hasDoubts = true
        }
        sums = []
        var doubtful = DoubtfulLinks()
        if hasDoubts {
            if try compare(in: leaves, step) {
                doubtful.links = Set(differences.keys)
            } else {
                doubtful.leaves = leaves
                doubtful.numbers = numbers
                losses.append(Self.tooMany)
            }
        }
        let rows = SalvagedRows(
            storage.source,
            classes,
            renumbered: renumbered,
            doubtful: doubtful
        )
        if !doubtful.isEmpty || !isEveryTargetWhole {
            var unknown: [LinkColumn: [Int64: Int]] = [:]
            for (link, count) in differences where count < 0 {
                unknown[link.column, default: [:]][link.origin, default: 0] -= count
            }
            for index in classes.indices {
                try step()
                try noteLosses(ofClass: index, rows, unknown, &losses)
            }
        }
        return rows
    }

    /// Finds the links that their ends do not know of as often as each other, of those to some leaves.
    ///
    /// Until the other end of a link is met it counts as one that only one end knows of: where that are too many at a
    /// time, they are gone through in several passes.
    ///
    /// - Returns: false where they are too many nevertheless.
    private func compare(in leaves: UnitSet, _ step: () throws -> Void) throws -> Bool {
        for passCount in [1, Self.passCountMax] {
            differences = [:]
            var pass = 0
            while pass < passCount, differences.count <= differenceCountMax {
                try compare(in: leaves, pass: pass, of: passCount, step)
                pass += 1
            }
            if differences.count <= differenceCountMax { return true }
        }
        differences = [:]
        return false
    }

    private static let passCountMax = 16

    private func compare(
        in leaves: UnitSet,
        pass: Int,
        of passCount: Int,
        _ step: () throws -> Void
    ) throws {
        func isMeant(_ link: LinkIdentity, _ leaf: Int) -> Bool {
            guard leaves.contains(number(of: link, leaf)) else { return false }
            return (link.origin &+ link.target) & Int64(passCount - 1) == Int64(pass)
        }
        for index in classes.indices {
            try step()
            try forEachLink(ofClass: index) { link, leaf in
                if isMeant(link, leaf) { count(link, 1) }
            }
            try forEachOrigin(ofClass: index) { link, leaf in
                if isMeant(link, leaf) { count(link, -1) }
            }
            guard differences.count <= differenceCountMax else { return }
        }
    }

    private static let tooMany = RealmLoss(
        .doubtfulLinks,
        nil,
        RealmFileError(
            .damaged,
            "So many links contradict what their targets know that all links to the objects beside those were left out."
        )
    )

    private func number(of link: LinkIdentity, _ leaf: Int) -> Int {
        numbers.number(ofLeaf: leaf, in: link.targetClass, by: link.column)
    }

    private func count(_ link: LinkIdentity, _ times: Int) {
        // Too many: they are counted no more, and forgotten at the end of the class.
        guard differences.count <= differenceCountMax else { return }
        let count = differences[link, default: 0] + times
        differences[link] = count == 0 ? nil : count
    }

    // MARK: Both directions

    /// Whether values of a column can be links.
    private static func mayLink(_ column: ColumnLayout) -> Bool {
        switch column.content {
        case .single(let type), .list(let type), .set(let type):
            switch type.kind {
            case .links, .keys, .typedLinks, .mixed: true
            default: false
            }
        case .dictionary: true
        case .backlinks: false
        }
    }

    private func forEachLink(
        ofClass index: Int,
        _ body: (LinkIdentity, _ leaf: Int) -> Void
    ) throws(RealmFileError) {
        let parts = SalvagedParts(storage, classes[index], index)
        for column in storage.tables[index].columns where Self.mayLink(column) {
            let name = LinkColumn(classIndex: index, columnKey: column.columnKey)
            try parts.forEach(of: column) { part, leaf, row, place throws(RealmFileError) in
                let value = try parts.value(part, column, at: place)
                if case .null = value { return }
                let origin = try classes[index].key(ofRow: row, inLeaf: leaf)
                try Examination.forEachLink(in: value) { link in
                    guard !renumbered.contains(link.classIndex) else { return }
                    guard classes.indices.contains(link.classIndex),
                        let target = classes[link.classIndex].place(ofKey: link.key)
                    else {
                        isEveryTargetWhole = false
                        return
                    }
                    guard !renumbered.contains(index) else { return }
                    body(
                        LinkIdentity(
                            column: name,
                            origin: origin,
                            targetClass: link.classIndex,
                            target: link.key
                        ),
                        target.leaf
                    )
                }
            }
        }
    }

    /// What whole objects know of links from whole objects to them.
    private func forEachOrigin(
        ofClass index: Int,
        _ body: (LinkIdentity, _ leaf: Int) -> Void
    ) throws(RealmFileError) {
        guard !renumbered.contains(index) else { return }
        let parts = SalvagedParts(storage, classes[index], index)
        for column in storage.tables[index].columns {
            guard case .backlinks = column.content, let origin = column.otherClass,
                let originColumn = column.originColumnKey, classes.indices.contains(origin),
                !renumbered.contains(origin)
            else { continue }
            let name = LinkColumn(classIndex: origin, columnKey: originColumn)
            try parts.forEach(of: column) { part, leaf, row, place throws(RealmFileError) in
                let target = try classes[index].key(ofRow: row, inLeaf: leaf)
                parts.forEachOrigin(part, at: place) { key in
                    guard classes[origin].place(ofKey: key) != nil else { return }
                    body(
                        LinkIdentity(
                            column: name,
                            origin: key,
                            targetClass: index,
                            target: target
                        ),
                        leaf
                    )
                }
            }
        }
    }

    // MARK: What is left out

    /// - Parameter unknown: how many links targets know of and objects do not, by property and object.
    private func noteLosses(
        ofClass index: Int,
        _ rows: SalvagedRows,
        _ unknown: [LinkColumn: [Int64: Int]],
        _ losses: inout LossList
    ) throws(RealmFileError) {
        var found: [RealmLoss] = []
        let table = storage.tables[index]
        let className = RealmClass.name(ofTable: table.tableName)
        let parts = SalvagedParts(storage, classes[index], index)
        for (place, column) in table.columns.enumerated() where Self.mayLink(column) {
            let name = LinkColumn(classIndex: index, columnKey: column.columnKey)
            let property =
                table.properties.indices.contains(place) ? table.properties[place].name : nil
            let missing = unknown[name] ?? [:]
            try parts.forEach(of: column) { part, leaf, row, place throws(RealmFileError) in
                let value = try parts.value(part, column, at: place)
                let origin = try classes[index].key(ofRow: row, inLeaf: leaf)
                var lostCount = 0
                var doubtfulCount = 0
                try Examination.forEachLink(in: value) { link in
                    switch rows.refusal(link, from: origin, name) {
                    case .target: lostCount += 1
                    case .doubt: doubtfulCount += 1
                    case nil: break
                    }
                }
                let missingCount = missing[origin] ?? 0
                let notes: [(RealmLoss.Kind, Int, String)] = [
                    (.links, lostCount, "They lead to objects that are lost or not there."),
                    (.doubtfulLinks, doubtfulCount, "Their targets do not know of them as often."),
                    (
                        .doubtfulLinks, missingCount,
                        "Their targets know of them, and the object does not."
                    ),
                ]
                for (kind, count, reason) in notes where count > 0 {
                    found.append(
                        RealmLoss(
                            kind,
                            className,
                            RealmFileError(.damaged, reason, at: part.offset),
                            keys: origin...origin,
                            count: count,
                            property: property
                        )
                    )
                }
                if found.count >= 1024 {
                    for loss in found { losses.append(loss) }
                    found = []
                }
            }
        }
        for loss in found { losses.append(loss) }
    }
}
