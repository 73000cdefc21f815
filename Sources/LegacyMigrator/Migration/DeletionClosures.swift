import ExportFormats
import LegacyRecords
import Reprise

/// Finds out which rows go together with others that the export lacks, too, in memory and time that have bounds.
///
/// The closure of a row is what goes with it: what `cascade` takes along, and what these take along. One that is too
/// large for one commit is none.
final class DeletionClosures {
    /// Rows that can go together.
    struct Closure {
        let members: RememberedRows
        /// What forbids it, where that may be.
        var denials: [DeletionPlan.Denial]
        /// What it counts for in a batch.
        var unitCount: Int
        /// One of them that first has to be severed from its entries, because these are too many.
        var overfull: EntityReference?
    }

    /// How much is looked at for nothing, in one round.
    private static let stepCountMax = 20_000_000

    private let known: MissingRows
    private let bounds: DeletionBounds
    /// Rows of which no closure can be made that has them.
    private let hopeless: RememberedKeys
    private var stepCount = 0

    /// - Parameter known: the rows that may go.
    init(among known: MissingRows, within bounds: DeletionBounds, in memory: RecordMemory) {
        self.known = known
        self.bounds = bounds
        hopeless = RememberedKeys(in: memory)
    }

    /// A closure in the making.
    private struct Draft {
        // It has a bound of its own, and is gone soon.
        private static var memory: RecordMemory { RecordMemory(byteCountMax: .max) }

        let members = RememberedRows(in: Draft.memory)
        let isMember = RememberedKeys(in: Draft.memory)
        /// The places of those because of which they go.
        var causes: [Int] = []
        var denials: [DeletionPlan.Denial] = []
        var stepCount = 0
        /// What the members take with them.
        var burdenCount = 0
        var overfull: EntityReference?

        mutating func append(_ row: EntityReference, cause: Int) throws(LegacyError) {
            guard try isMember.insert(row) else { return }
            try members.append(row)
            causes.append(cause)
        }

        var count: Int { members.count + denials.count + burdenCount }
    }

    /// Finds out whether a row can go with others; nil where not, or where it was not looked through.
    ///
    /// - Parameter mayBeDenied: whether rows that may go, too, but do not go along, may forbid it. They are named.
    /// - Complexity: O(the closure's consequences · log n), up to a bound; a closure that has a row which was found to
    ///   stay ends there.
    func closure<State: StateReading & ~Copyable>(
        of row: EntityReference,
        mayBeDenied: Bool,
        in state: borrowing State
    ) throws -> Closure? {
        guard stepCount < Self.stepCountMax else { return nil }
        var draft = Draft()
        try draft.append(row, cause: 0)
        let isFree = try complete(&draft, in: state)
        let denials = try draft.denials.filter { try !draft.isMember.contains($0.partner) }
        let isWhole = isFree && (mayBeDenied || denials.isEmpty)
        // What goes is not looked at again.
        if !isWhole || mayBeDenied { stepCount += draft.stepCount }
        guard isWhole else { return nil }
        return Closure(
            members: draft.members,
            denials: denials,
            unitCount: draft.members.count + draft.burdenCount,
            overfull: draft.overfull
        )
    }

    /// Looks through the members, and what they take along; false where one of them stays, or there are too many.
    private func complete<State: StateReading & ~Copyable>(
        _ draft: inout Draft,
        in state: borrowing State
    ) throws -> Bool {
        var place = 0
        while place < draft.members.count {
            let member = try draft.members.row(at: place)
            let before = draft.count
            guard try !hopeless.contains(member), try look(at: member, place, &draft, in: state)
            else {
                // So does whatever takes it along.
                var cause = place
                while cause > 0 {
                    try hopeless.insert(draft.members.row(at: cause))
                    cause = draft.causes[cause]
                }
                try hopeless.insert(draft.members.row(at: 0))
                return false
            }
            if draft.count > bounds.closureCountMax {
                // No closure of others that has it is smaller.
                try hopeless.insert(draft.members.row(at: 0))
                if draft.count - before > bounds.closureCountMax { try hopeless.insert(member) }
                return false
            }
            place += 1
        }
        return true
    }

    /// Takes over what the deletion of one member does at first hand; false where it stays.
    private func look<State: StateReading & ~Copyable>(
        at member: EntityReference,
        _ place: Int,
        _ draft: inout Draft,
        in state: borrowing State
    ) throws -> Bool {
        var isFree = true
        var ownedCount = 0
        try state.forEachConsequence(ofDeletingMissing: member) { consequence in
            draft.stepCount += 1
            switch consequence {
            case .deletes(let other):
                isFree = try known.contains(other)
                if isFree { try draft.append(other, cause: place) }
            case .isDenied(let denial):
                isFree = try known.contains(denial.partner)
                // What goes along does not count, and most often it is what came before.
                if isFree, try !draft.isMember.contains(denial.partner) {
                    draft.denials.append(denial)
                }
            case .nullifies(let reference):
                isFree = try known.contains(reference.entity)
                draft.burdenCount += 1
            case .unlinks(let entry):
                isFree = try known.contains(entry.owner)
                draft.burdenCount += 1
            case .dropsEntry:
                ownedCount += 1
            }
            let isOverfull = ownedCount > bounds.ownedCountMax
            if isOverfull { draft.overfull = draft.overfull ?? member }
            return isFree && !isOverfull && draft.count + ownedCount <= bounds.closureCountMax
        }
        if ownedCount <= bounds.ownedCountMax { draft.burdenCount += ownedCount }
        return isFree
    }
}
