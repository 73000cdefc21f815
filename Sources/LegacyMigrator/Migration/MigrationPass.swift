import ExportFormats
import LegacyRecords
import Reprise

/// What one pass over an export knows and has found, be it to migrate it or only to compare it.
final class MigrationPass {
    let source: SourceIdentity
    let store: Store
    let shape: SourceShape
    /// What migrations of this source have written.
    let owned: PositionRanges
    /// What migrations of other sources have written.
    let foreign: PositionRanges
    /// Where the store has made attributes wider by itself.
    let widened: PositionRanges
    /// Whether a migration of the source has been made before.
    let isRerun: Bool
    /// The attributes and lists that earlier exports of the source had, by model.
    let spokenFields: [String: Set<String>]
    /// What is remembered of the records, here and by whoever makes the pass.
    let memory: RecordMemory
    let namesRowsOfStore: Bool
    /// Whether what the export does not say is no reason to take anything away.
    let isPartial: Bool

    /// How many records of each class came, by the ordinals of the shapes.
    private var readCounts: [Int]
    /// Of these, how many were left out before they were compared with the store, by model.
    private(set) var leftOutCounts: [String: Int] = [:]
    private var told = Told()
    /// The identifiers of the records that came, as the store has them, by model.
    private let seen: RememberedKeys
    private let partnerClaims: PartnerClaims
    /// The identifiers that another source has taken.
    private let renamed: RememberedKeys
    /// What follows an identifier that another source has taken.
    private let suffix: String

    init(_ source: some LegacySource, _ history: SourceHistory, _ shape: SourceShape, in store: Store) throws {
        self.source = source.identity
        self.shape = shape
        self.store = store
        widened = try Widenings.positions(in: store)
        owned = history.owned
        foreign = history.foreign
        isRerun = history.base != nil
        spokenFields = history.fields
        namesRowsOfStore = source.namesRowsOfStore
        isPartial = source.isPartial
        memory = RecordMemory(byteCountMax: RecordMemory.byteCountMax)
        seen = RememberedKeys(in: memory)
        partnerClaims = PartnerClaims(in: memory)
        renamed = RememberedKeys(in: memory)
        readCounts = [Int](repeating: 0, count: shape.models.count)
        suffix = source.identity.suffix
        for misfit in shape.misfits { warn(misfit.kind, misfit.message) }
        let vanished = try store.read { try shape.vanished.warnings(in: $0, isOurs: isOurs) }
        for warning in vanished { warn(warning.kind, warning.message) }
    }

    // MARK: Counting

    /// How many records came, by the names of the models.
    var recordCounts: [String: Int] { Dictionary(uniqueKeysWithValues: zip(shape.models, readCounts)) }
    var readCount: Int { readCounts.reduce(0, +) }

    /// What was warned of so far.
    struct Told {
        fileprivate(set) var warnings: [LegacyWarning] = []
        fileprivate var tally = WarningTally()
    }

    var warnings: [LegacyWarning] { told.warnings }

    /// What was warned of so far, so that all that comes after it can be forgotten.
    var toldSoFar: Told { told }

    func forget(since earlier: Told) { told = earlier }

    func warn(_ kind: LegacyWarning.Kind, _ message: @autoclosure () throws -> String) rethrows {
        guard told.tally.count(kind) else { return }
        told.warnings.append(LegacyWarning(kind: kind, message: try message()))
    }

    /// A warning of the source, which counts its own.
    func note(_ warning: LegacyWarning) {
        told.warnings.append(warning)
    }

    /// The source's warnings and those of the pass.
    func warningCounts(_ reading: LegacyReading) -> [LegacyWarning.Kind: Int] {
        reading.warningCounts.merging(told.tally.counts) { $0 + $1 }
    }

    /// Whether the export speaks of all of which earlier ones have spoken.
    var hasSpokenOfAll: Bool { !isPartial && leftOutCounts.isEmpty && shape.vanished.isEmpty }

    // MARK: Records

    /// A record as the store has it, or would.
    struct Row {
        let shape: ClassShape
        let reference: EntityReference
        /// In the order of the model's attributes; nil where the source says nothing.
        var values: [Value?]
        let times: LegacyTimes?

        var id: String { reference.id }
    }

    /// The row that a record becomes, with the identifiers that it and its references have in the store; nil where a
    /// record before this one has the same key.
    func row<State: StateReading & ~Copyable>(_ record: ShapedRecord, in state: borrowing State) throws -> Row? {
        let shape = record.shape
        readCounts[shape.ordinal] += 1
        let id = try newIdentifier(shape.model, record.key, in: state)
        guard try seen.insert(id, of: shape.model) else {
            leftOutCounts[shape.model, default: 0] += 1
            warn(.refusedRecord, "A second \(shape.model) \(LibraryReport.quoted(id)) was left out.")
            return nil
        }
        var row = Row(
            shape: shape,
            reference: EntityReference(model: shape.model, id: id),
            values: record.values,
            times: record.times
        )
        // Where no other source has rows all identifiers are the record's own.
        if !foreign.isEmpty { try nameTargets(of: &row, in: state) }
        for name in shape.hasPairs ? try partnerClaims.settle(&row) : [] {
            warn(
                .disputedPartner,
                "The \(name) of \(shape.model) \(LibraryReport.quoted(id)) has another partner by a record before it."
            )
        }
        warnOfMisfits(record, id)
        return row
    }

    /// Puts the identifiers that records have in the store in the place of those that they have in the source.
    private func nameTargets<State: StateReading & ~Copyable>(
        of row: inout Row,
        in state: borrowing State
    ) throws {
        for toOne in row.shape.toOnes {
            guard case .reference(let key)? = row.values[toOne.place] else { continue }
            row.values[toOne.place] = .reference(try storedIdentifier(toOne.target, key, in: state))
        }
        for held in row.shape.held {
            guard case .map(let entries)? = row.values[held.place] else { continue }
            row.values[held.place] = .map(
                try entries.map { entry in
                    guard case .string(let key) = entry.value else { return entry }
                    let id = try storedIdentifier(held.target, key, in: state)
                    return Value.Entry(entry.name, .string(id))
                }
            )
        }
    }

    /// The values of a row that is not there yet: what the source says nothing of is nil or nothing, unless nothing may
    /// only be in one row.
    ///
    /// - Returns: the values, and the places of those of which the source says nothing.
    func newValues(_ row: Row) -> (values: [Value?], unsaid: [Int]) {
        guard row.shape.hasRequiredAbsent || isPartial else { return (row.values, []) }
        var (values, unsaid) = (row.values, [Int]())
        for place in values.indices where values[place] == nil {
            unsaid.append(place)
            let nothing = row.shape.nothings[place]
            if row.shape.mayBeNothing(place), !nothing.isNull { values[place] = nothing }
        }
        return (values, unsaid)
    }

    /// Counts a record that the store cannot hold.
    func leaveOut(_ row: Row) { leftOutCounts[row.shape.model, default: 0] += 1 }

    /// A record whose row the store cannot hold is as good as none for those that name it.
    func forgetSeen(_ row: Row) throws(LegacyError) {
        try seen.remove(row.id, of: row.shape.model)
    }

    /// Whether an event is this source's.
    func isOurs(_ position: Position) -> Bool { owned.contains(position) }

    /// Whether the export has a record that became this row, as far as it has been read.
    func hasSeen(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        try seen.contains(id, of: model)
    }

    /// Whether a record that another one names is there, once all have come: the export has it, or somebody else put it
    /// into the store. What an earlier export had and this one lacks is as good as gone.
    func resolves<State: StateReading & ~Copyable>(
        _ model: String,
        _ id: String,
        in state: borrowing State
    ) throws -> Bool {
        if try hasSeen(model, id) { return true }
        guard let row = try state.revision(of: EntityReference(model: model, id: id)) else { return false }
        return !isRerun || isPartial || !isOurs(row.created)
    }

    /// Of a list in which a member can stand only once: which of its places are the last of their members. Nil where it
    /// can stand there several times.
    func lastOccurrences(
        _ members: LegacyReferences,
        in list: ClassShape.ToMany
    ) throws(LegacyError) -> [Bool]? {
        guard list.memberToOne != nil else { return nil }
        let known = RememberedKeys(in: memory)
        var kept = [Bool](repeating: true, count: members.count)
        for place in members.indices.reversed() {
            kept[place] = try known.insert(members[place], of: list.target)
        }
        return kept
    }

    // MARK: Identifiers

    /// The identifier that a record has in the store, or gets.
    func newIdentifier<State: StateReading & ~Copyable>(
        _ model: String,
        _ key: String,
        in state: borrowing State
    ) throws -> String {
        guard try isTaken(model, key, in: state) else { return key }
        if try renamed.insert(key, of: model) {
            warn(
                .identifierTaken,
                "Another source's \(model) is called \(LibraryReport.quoted(key));"
                    + " this one was named \(LibraryReport.quoted(key + suffix))."
            )
        }
        return key + suffix
    }

    /// The identifier in the store of a record that another one names.
    func storedIdentifier<State: StateReading & ~Copyable>(
        _ model: String,
        _ key: String,
        in state: borrowing State
    ) throws -> String {
        if namesRowsOfStore {
            return try renamed.contains(key, of: model) ? key + suffix : key
        }
        return try isTaken(model, key, in: state) ? key + suffix : key
    }

    private func isTaken<State: StateReading & ~Copyable>(
        _ model: String,
        _ key: String,
        in state: borrowing State
    ) throws -> Bool {
        guard !foreign.isEmpty else { return false }
        if try renamed.contains(key, of: model) { return true }
        if let found = try state.revision(of: EntityReference(model: model, id: key)) {
            return foreign.contains(found.created)
        }
        // The other source's row may be gone by now; this one keeps its name.
        let own = EntityReference(model: model, id: key + suffix)
        guard let found = try state.revision(of: own) else { return false }
        return isOurs(found.created)
    }
}
