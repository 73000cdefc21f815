import Reprise

/// To-ones whose targets had not come, in their order: 33 bytes each where the identifiers are sixteen upper-case
/// hexadecimal digits, otherwise about as many more as these are long; beyond a ``RecordMemory`` on disk.
final class LateReferences {
    /// What many have in common.
    private struct Kind: Hashable {
        let model: String
        let place: Int
        let name: String
        let targetModel: String
    }

    private var kinds: [Kind] = []
    private var ordinals: [Kind: Int] = [:]
    private let kindOfReference: RememberedIdentifiers
    private let rows: RememberedIdentifiers
    private let numbers: RememberedIdentifiers
    private let targets: RememberedIdentifiers

    init(in memory: RecordMemory) {
        kindOfReference = RememberedIdentifiers(in: memory)
        rows = RememberedIdentifiers(in: memory)
        numbers = RememberedIdentifiers(in: memory)
        targets = RememberedIdentifiers(in: memory)
    }

    var count: Int { targets.count }
    var isEmpty: Bool { count == 0 }

    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(_ reference: LateReference) throws(LegacyError) {
        let kind = Kind(
            model: reference.row.model,
            place: reference.place,
            name: reference.name,
            targetModel: reference.targetModel
        )
        let ordinal = ordinals[kind] ?? kinds.count
        if ordinal == kinds.count {
            ordinals[kind] = ordinal
            kinds.append(kind)
        }
        try kindOfReference.append(.number(UInt64(ordinal)))
        try rows.append(RecordKey(reference.row.id))
        try numbers.append(.number(UInt64(reference.number)))
        try targets.append(RecordKey(reference.target))
    }

    private func kind(at place: Int) throws(LegacyError) -> Kind {
        guard case .number(let ordinal) = try kindOfReference.key(at: place) else {
            preconditionFailure("A kind is a number.")
        }
        return kinds[Int(ordinal)]
    }

    private func number(at place: Int) throws(LegacyError) -> Int {
        guard case .number(let number) = try numbers.key(at: place) else {
            preconditionFailure("The number of a record is a number.")
        }
        return Int(number)
    }

    func reference(at place: Int) throws(LegacyError) -> LateReference {
        let kind = try kind(at: place)
        return LateReference(
            row: EntityReference(model: kind.model, id: try rows.key(at: place).text),
            number: try number(at: place),
            place: kind.place,
            name: kind.name,
            targetModel: kind.targetModel,
            target: try targets.key(at: place).text
        )
    }

    // MARK: Order

    /// Where a to-one comes in the order of the export's records.
    fileprivate struct Rank: Comparable {
        let number: Int
        /// Of the to-one among the attributes.
        let place: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.number, left.place) < (right.number, right.place)
        }
    }

    private func rank(at place: Int) throws(LegacyError) -> Rank {
        Rank(number: try number(at: place), place: try kind(at: place).place)
    }

    /// The order of a walk.
    enum Order {
        /// As they were noted.
        case asNoted
        /// That of the export's records. Most were noted in it; the others, in order: those of rows that were tried
        /// again, at 24 bytes each.
        case ofRecords(besides: [Straggler])
    }

    /// A to-one that was noted after one of a later record.
    struct Straggler {
        fileprivate let rank: Rank
        fileprivate let place: Int
    }

    /// - Complexity: O(n + s · log s), s of them after one of a later record.
    func recordOrder() throws(LegacyError) -> Order {
        var stragglers: [Straggler] = []
        var last: Rank?
        for place in 0..<count {
            let rank = try rank(at: place)
            if let last, rank < last {
                stragglers.append(Straggler(rank: rank, place: place))
            } else {
                last = rank
            }
        }
        stragglers.sort { ($0.rank, $0.place) < ($1.rank, $1.place) }
        return .ofRecords(besides: stragglers)
    }

    func walk(_ order: Order) -> Walk { Walk(self, order) }

    /// All of them, one after the other.
    struct Walk {
        private let references: LateReferences
        private let stragglers: [Straggler]
        private let isInOrderOfRecords: Bool
        private var nextPlace = 0
        private var nextStraggler = 0
        private var last: Rank?

        fileprivate init(_ references: LateReferences, _ order: Order) {
            self.references = references
            switch order {
            case .asNoted:
                stragglers = []
                isInOrderOfRecords = false
            case .ofRecords(let besides):
                stragglers = besides
                isInOrderOfRecords = true
            }
        }

        /// The next one; nil at the end.
        mutating func next() throws(LegacyError) -> LateReference? {
            while nextPlace < references.count {
                guard isInOrderOfRecords else {
                    nextPlace += 1
                    return try references.reference(at: nextPlace - 1)
                }
                let rank = try references.rank(at: nextPlace)
                if let last, rank < last {
                    nextPlace += 1
                    continue
                }
                if let straggler = takeStraggler(before: rank) {
                    return try references.reference(at: straggler.place)
                }
                last = rank
                nextPlace += 1
                return try references.reference(at: nextPlace - 1)
            }
            guard let straggler = takeStraggler(before: nil) else { return nil }
            return try references.reference(at: straggler.place)
        }

        private mutating func takeStraggler(before rank: Rank?) -> Straggler? {
            guard nextStraggler < stragglers.count else { return nil }
            let straggler = stragglers[nextStraggler]
            if let rank, straggler.rank >= rank { return nil }
            nextStraggler += 1
            return straggler
        }
    }
}
