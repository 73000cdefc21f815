import ExportFormats
import LegacyRecords
import Reprise

/// Who waits for whom, so that many can be updated in groups: those at the end of a chain before those that wait for
/// them, and rings whole.
final class WaitingChains {
    private let records: PostponedRecords
    private let memory: RecordMemory
    private let sizeMax: Int
    private let byteCountMax: Int
    /// The places of the records in the export, by their rows.
    private let numbers: RememberedMap<ContentKey>
    /// Those that a chain has come through, and when: each chain begins where the one before it ended.
    private let visits: RememberedMap<UInt64>
    private var visitCount = 0
    /// Those in rings that are too large, and those that wait for them.
    private let leftOver: RememberedSet<UInt64>

    init(_ records: PostponedRecords, in memory: RecordMemory) {
        self.records = records
        self.memory = memory
        sizeMax = records.bounds.countMax
        byteCountMax = records.bounds.byteCountMax
        numbers = RememberedMap(in: memory)
        visits = RememberedMap(in: memory)
        leftOver = RememberedSet(in: memory)
    }

    /// The places of records in the export, one after the other. Most chains are short.
    private struct Chain {
        private var first: [Int] = []
        private var rest: RememberedIdentifiers?

        private static let firstCountMax = 1024

        var count: Int { first.count + (rest?.count ?? 0) }

        mutating func append(_ number: Int, in memory: RecordMemory) throws(LegacyError) {
            if first.count < Self.firstCountMax { return first.append(number) }
            let rest = self.rest ?? RememberedIdentifiers(in: memory)
            self.rest = rest
            try rest.append(.number(UInt64(number)))
        }

        func number(at place: Int) throws(LegacyError) -> Int {
            if place < first.count { return first[place] }
            guard let rest else { preconditionFailure("There are only \(count) of them.") }
            return try rest.number(at: place - first.count)
        }
    }

    private static func key(_ row: EntityReference) -> ContentKey {
        ContentKey(["reprise waiting", row.model, row.id])
    }

    /// Hands over groups of at most ``PostponedRecords/Bounds``, in an order in which each can be updated when those
    /// before it have been. All in one where there is room for that.
    ///
    /// - Complexity: O(n · log n).
    func forEachGroup(_ body: ([PostponedRecords.Waiting]) throws -> Void) throws {
        var group: [PostponedRecords.Waiting] = []
        var byteCount = 0
        func hand() throws {
            if !group.isEmpty { try body(group) }
            group.removeAll()
            byteCount = 0
        }
        func add(_ waiting: PostponedRecords.Waiting) {
            group.append(waiting)
            byteCount += waiting.record.heldByteCount
        }
        try forEach { waiting throws(LegacyError) in
            try numbers.updateValue(.number(UInt64(waiting.number)), of: Self.key(waiting.row))
        }
        var last = -1
        while let first = try records.first(after: last) {
            last = first.number
            let (chain, ringStart) = try chain(from: first)
            var end = chain.count
            if let ringStart {
                guard let ring = try ring(chain, from: ringStart) else {
                    // Whoever waits for a ring that stays waits as well.
                    for place in 0..<end { try leftOver.insert(UInt64(chain.number(at: place))) }
                    continue
                }
                let ringByteCount = ring.reduce(0) { $0 + $1.record.heldByteCount }
                if group.count + ring.count > sizeMax || byteCount + ringByteCount > byteCountMax {
                    try hand()
                }
                for waiting in ring { add(waiting) }
                end = ringStart
            }
            while end > 0 {
                end -= 1
                guard let waiting = try records.waiting(at: chain.number(at: end)) else { continue }
                if group.count >= sizeMax
                    || !group.isEmpty && byteCount + waiting.record.heldByteCount > byteCountMax
                {
                    try hand()
                }
                add(waiting)
            }
        }
        try hand()
    }

    /// Hands over those that were in no group, in the order of the export.
    func forEachLeftOver(
        _ body: (PostponedRecords.Waiting) throws(LegacyError) -> Void
    ) throws(LegacyError) {
        if leftOver.isEmpty { return }
        try forEach { waiting throws(LegacyError) in
            if try leftOver.contains(UInt64(waiting.number)) { try body(waiting) }
        }
    }

    private func forEach(
        _ body: (PostponedRecords.Waiting) throws(LegacyError) -> Void
    ) throws(LegacyError) {
        var last = -1
        while let waiting = try records.first(after: last) {
            last = waiting.number
            try body(waiting)
        }
    }

    /// The places in the export of a record, of the one that has what it wants, and so on, as far as no chain before
    /// has come; and where among them a ring begins, which the last of them closes. Empty where one has come already.
    private func chain(
        from first: PostponedRecords.Waiting
    ) throws(LegacyError) -> (Chain, ringStart: Int?) {
        var chain = Chain()
        let start = visitCount
        var next: PostponedRecords.Waiting? = first
        while let waiting = next {
            if let visit = try visits.value(of: UInt64(waiting.number)) {
                guard case .number(let visit) = visit, visit >= start else { break }
                return (chain, Int(visit) - start)
            }
            try visits.updateValue(.number(UInt64(visitCount)), of: UInt64(waiting.number))
            visitCount += 1
            try chain.append(waiting.number, in: memory)
            next = nil
            if let holder = waiting.holder,
                case .number(let number)? = try numbers.value(of: Self.key(holder))
            {
                next = try records.waiting(at: Int(number))
            }
        }
        return (chain, nil)
    }

    /// Those of a ring; nil where they are too many or too large to be updated together.
    private func ring(
        _ chain: Chain,
        from start: Int
    ) throws(LegacyError) -> [PostponedRecords.Waiting]? {
        guard chain.count - start <= sizeMax else { return nil }
        var ring: [PostponedRecords.Waiting] = []
        var byteCount = 0
        for place in start..<chain.count {
            guard let waiting = try records.waiting(at: chain.number(at: place)) else { continue }
            byteCount += waiting.record.heldByteCount
            if byteCount > byteCountMax { return nil }
            ring.append(waiting)
        }
        return ring
    }
}
