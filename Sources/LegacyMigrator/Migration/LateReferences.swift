import ExportFormats
import LegacyRecords
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
    private let memory: RecordMemory

    init(in memory: RecordMemory) {
        self.memory = memory
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
        kinds[try kindOfReference.number(at: place)]
    }

    func reference(at place: Int) throws(LegacyError) -> LateReference {
        let kind = try kind(at: place)
        return LateReference(
            row: EntityReference(model: kind.model, id: try rows.key(at: place).text),
            number: try numbers.number(at: place),
            place: kind.place,
            name: kind.name,
            targetModel: kind.targetModel,
            target: try targets.key(at: place).text
        )
    }

    // MARK: Order

    /// Where a to-one comes in the order of the export's records: by its record, and by its place among the attributes,
    /// of which no model has more than 65,536.
    private func rank(at place: Int) throws(LegacyError) -> Int {
        try numbers.number(at: place) << 16 | kind(at: place).place
    }

    /// The order of a walk.
    enum Order {
        /// As they were noted.
        case asNoted
        /// That of the export's records. Most were noted in it; the others are those of rows that were tried again.
        case ofRecords(besides: Stragglers)
    }

    /// - Complexity: O(n + s · log s), s of them after one of a later record.
    func recordOrder() throws(LegacyError) -> Order {
        let stragglers = Stragglers(in: memory)
        var last = -1
        for place in 0..<count {
            let rank = try rank(at: place)
            if rank < last {
                try stragglers.append(Stragglers.Straggler(rank: rank, place: place))
            } else {
                last = rank
            }
        }
        stragglers.sort()
        return .ofRecords(besides: stragglers)
    }

    func walk(_ order: Order) throws(LegacyError) -> Walk { try Walk(self, order) }

    /// All of them, one after the other.
    struct Walk {
        private let references: LateReferences
        /// Those that come out of order; nil where they are walked through as they were noted.
        private let stragglers: Stragglers?
        private var straggler: Stragglers.Straggler?
        private var nextPlace = 0
        private var last = -1

        fileprivate init(_ references: LateReferences, _ order: Order) throws(LegacyError) {
            self.references = references
            switch order {
            case .asNoted: stragglers = nil
            case .ofRecords(let besides): stragglers = besides
            }
            straggler = try stragglers?.first(after: nil)
        }

        /// The next one; nil at the end.
        mutating func next() throws(LegacyError) -> LateReference? {
            while nextPlace < references.count {
                guard stragglers != nil else {
                    nextPlace += 1
                    return try references.reference(at: nextPlace - 1)
                }
                let rank = try references.rank(at: nextPlace)
                if rank < last {
                    nextPlace += 1
                    continue
                }
                if let place = try takeStraggler(before: rank) {
                    return try references.reference(at: place)
                }
                last = rank
                nextPlace += 1
                return try references.reference(at: nextPlace - 1)
            }
            guard let place = try takeStraggler(before: .max) else { return nil }
            return try references.reference(at: place)
        }

        /// The place of the next one that comes out of order, where its rank is lower.
        private mutating func takeStraggler(before rank: Int) throws(LegacyError) -> Int? {
            guard let straggler, straggler.rank < rank else { return nil }
            self.straggler = try stragglers?.first(after: straggler)
            return straggler.place
        }
    }
}
