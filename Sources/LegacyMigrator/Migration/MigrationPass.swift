import ExportFormats
import LegacyRecords
import Reprise

/// What one pass over an export knows and has found, whether it writes or only compares.
final class MigrationPass {
    let source: SourceIdentity
    let shape: SourceShape
    /// What migrations of this source have written.
    var owned: PositionRanges
    /// What the store has widened by itself, by which nobody has changed anything.
    let widenings: Widenings
    /// What migrations of other sources have written.
    let foreign: PositionRanges
    /// Whether the source's rows may be in the store already, made by an earlier migration or by somebody else.
    let isRerun: Bool
    /// The first position of the batch that is being written: from there on everything is ours.
    var batchStart = UInt64.max
    /// Where the migration that is being made begins, or the interrupted one that is to be taken up; what another
    /// comparison looks at is before that.
    var firstPosition = UInt64.max

    /// By the ordinals of the shapes.
    private var countsOfShapes: [MigrationCounts]
    private(set) var warnings: [LegacyWarning] = []
    private var tally = WarningTally()

    /// Which shapes' models had rows when the pass began; of the others nothing has to be looked up.
    private let populated: [Bool]
    /// How many rows the store had then of the models of the export.
    let rowCount: Int
    /// What is remembered of the records, here and by whoever makes the pass.
    let memory: RecordMemory
    /// What the deletion of rows that the export lacks may take.
    let deletionBounds: DeletionBounds
    /// The identifiers of the records that came, as the store has them, by model.
    private let seen: RememberedKeys
    /// Those of records that were refused, to be tried again.
    private let waiting: RememberedKeys
    private let seesAll: Bool
    let namesRowsOfStore: Bool
    /// Whether what is said of rows is what would become of them.
    var isPlan = false
    /// Whether what the export does not say is no reason to take anything away.
    let isPartial: Bool
    private let partnerClaims: PartnerClaims
    /// The rows of others of which it was said that they lose their partner.
    let told: RememberedKeys
    /// The rows of which it was said that somebody else had changed them.
    let overwritten: RememberedKeys
    /// The rows and lists of which it was said that they keep what somebody else has changed.
    let kept: RememberedKeys
    /// The rows that what is kept, or cannot be otherwise, leads to, or has in a list.
    let heldByKept: RememberedKeys
    /// What the source has come to say as somebody else had set it before.
    let agreements: Agreements
    /// The lists of which the export gives any, by the model and their name.
    var givenLists: Set<String> = []
    /// The identifiers that another source has taken.
    private let renamed: RememberedKeys
    /// What follows an identifier that another source has taken.
    private let suffix: String

    /// - Parameters:
    ///   - seesAll: whether all records that came are remembered, even where the store has none of them.
    ///   - memory: what may be remembered of the records.
    init(
        _ source: some LegacySource,
        _ history: SourceHistory,
        _ shape: SourceShape,
        in store: Store,
        seesAll: Bool = false,
        memory: RecordMemory = RecordMemory(),
        deletionBounds: DeletionBounds = .current
    ) throws {
        self.deletionBounds = deletionBounds
        self.source = source.identity
        self.shape = shape
        owned = history.owned
        widenings = try Widenings(in: store)
        foreign = history.foreign
        namesRowsOfStore = source.namesRowsOfStore
        isPartial = source.isPartial
        self.memory = memory
        seen = RememberedKeys(in: memory)
        waiting = RememberedKeys(in: memory)
        partnerClaims = PartnerClaims(in: memory)
        told = RememberedKeys(in: memory)
        overwritten = RememberedKeys(in: memory)
        kept = RememberedKeys(in: memory)
        heldByKept = RememberedKeys(in: memory)
        agreements = try Agreements(of: source.identity, history.owned, in: store, memory: memory)
        renamed = RememberedKeys(in: memory)
        let counts = try store.read { $0.counts.filter { $0.count > 0 } }
        let populated = Set(counts.map(\.model))
        rowCount = counts.reduce(0) { shape.classes[$1.model] == nil ? $0 : $0 + $1.count }
        self.populated = shape.models.map(populated.contains)
        // A run that takes up a first migration finds rows of its own as well, and has to do the same.
        isRerun = !history.owned.isEmpty || self.populated.contains(true)
        self.seesAll = seesAll || isRerun
        countsOfShapes = [MigrationCounts](repeating: MigrationCounts(), count: shape.models.count)
        suffix = source.identity.suffix
        for misfit in shape.misfits { warn(misfit.kind, misfit.message) }
        let vanished = try store.read { try shape.vanished.warnings(in: $0, isOurs: isOurs) }
        for warning in vanished { warn(warning.kind, warning.message) }
    }

    /// Compares as a run that takes up a migration.
    func takeUp(_ interrupted: MigrationRecord) {
        firstPosition = interrupted.firstPosition.rawValue
    }

    // MARK: Counting

    func count(_ shape: ClassShape, _ change: (inout MigrationCounts) -> Void) {
        change(&countsOfShapes[shape.ordinal])
    }

    /// Counts a new row, and says what of it the export does not have any more.
    func countInserted(_ row: EntityReference, _ shape: ClassShape) {
        count(shape) { $0.inserted += 1 }
        if !shape.vanishedPlaces.isEmpty { warnOfVanished(row, shape) }
    }

    func count(_ model: String, _ change: (inout MigrationCounts) -> Void) {
        guard let shape = shape.classes[model] else { return }
        count(shape, change)
    }

    /// By the names of the models.
    var counts: [String: MigrationCounts] {
        Dictionary(uniqueKeysWithValues: zip(shape.models, countsOfShapes))
    }

    func warn(_ kind: LegacyWarning.Kind, _ message: @autoclosure () throws -> String) rethrows {
        guard tally.count(kind) else { return }
        warnings.append(LegacyWarning(kind: kind, message: try message()))
    }

    /// A warning of the source, which counts its own.
    func note(_ warning: LegacyWarning) {
        warnings.append(warning)
    }

    /// The source's warnings and those of the pass.
    func warningCounts(_ reading: LegacyReading) -> [LegacyWarning.Kind: Int] {
        reading.warningCounts.merging(tally.counts) { $0 + $1 }
    }

    /// Whether any of that was said by the pass.
    func hasWarned(ofAny kinds: Set<LegacyWarning.Kind>) -> Bool {
        !kinds.isDisjoint(with: tally.counts.keys)
    }

    /// How many records were written so far.
    var writtenCount: Int { countsOfShapes.reduce(0) { $0 + $1.written + $1.deleted } }
    var deletedCount: Int { countsOfShapes.reduce(0) { $0 + $1.deleted } }
    var readCount: Int { countsOfShapes.reduce(0) { $0 + $1.read } }

    // MARK: Records

    /// A record as the store has it, or would.
    struct Row {
        let shape: ClassShape
        let reference: EntityReference
        /// How many records came before its own in the export.
        let number: Int
        /// In the order of the model's attributes; nil where the source says nothing.
        var values: [Value?]
        /// About what these take.
        let byteCount: Int
        let times: LegacyTimes?
        /// The places of values that take the place of what somebody else has changed.
        var overwritten: [Int] = []

        var id: String { reference.id }

        /// Leaves the attributes as they are in which another row has the same values, or the partner.
        ///
        /// - Returns: whether there are any.
        mutating func keepWhatIsTaken(_ error: StoreError) -> Bool {
            guard let names = error.takenAttributes else { return false }
            let places = values.indices.filter {
                values[$0] != nil && names.contains(shape.attributes[$0].name)
            }
            for place in places { values[place] = nil }
            return !places.isEmpty
        }
    }

    /// The row that a record becomes, with the identifiers that it and its references have in the store; nil where
    /// the store has no model for it, or a record before this one has the same key.
    ///
    /// - Parameter isFirstTry: whether it has not been tried before.
    func row<State: StateReading & ~Copyable>(
        _ record: ShapedRecord,
        isFirstTry: Bool = true,
        in state: borrowing State
    ) throws -> Row? {
        let shape = record.shape
        count(shape) { $0.read += 1 }
        let id = try newIdentifier(shape.model, record.key, in: state)
        // Of one that waits it is remembered elsewhere that it came.
        let hasCome =
            try isFirstTry && isWaiting(shape.model, id)
            || (seesAll || shape.isTracked) && !seen.insert(id, of: shape.model)
        if hasCome {
            warn(
                .refusedRecord,
                "A second \(shape.model) \(LibraryReport.quoted(id)) was left out."
            )
            return nil
        }
        var row = Row(
            shape: shape,
            reference: EntityReference(model: shape.model, id: id),
            number: record.number,
            values: record.values,
            byteCount: record.heldByteCount,
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
        if isFirstTry { warnOfMisfits(record, id) }
        return row
    }

    /// Puts the identifiers that records have in the store in the place of those that they have in the source.
    private func nameTargets<State: StateReading & ~Copyable>(
        of row: inout Row,
        in state: borrowing State
    ) throws {
        for toOne in row.shape.toOnes {
            guard case .reference(let key)? = row.values[toOne.place] else { continue }
            row.values[toOne.place] = .reference(
                try storedIdentifier(toOne.target, key, in: state)
            )
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
    func newValues(_ row: consuming Row) -> [Value?] {
        guard row.shape.hasRequiredAbsent || isPartial else { return row.values }
        var values = row.values
        for place in values.indices where values[place] == nil && row.shape.mayBeNothing(place) {
            values[place] = row.shape.nothings[place]
        }
        return values
    }

    /// What the store has of a row.
    enum Standing {
        case absent
        case same
        /// The row differs, and what somebody else has changed in it is overwritten or not.
        case different(isChangedHere: Bool)
    }

    /// Compares a row with the store.
    func standing<State: StateReading & ~Copyable>(
        of row: Row,
        in state: borrowing State
    ) throws -> Standing {
        guard mayHold(row.shape) else { return .absent }
        do {
            guard let standing = try state.standing(of: row.reference, inOrder: row.values) else {
                return .absent
            }
            if standing.isSame { return .same }
            return .different(isChangedHere: row.overwritten.contains { row.values[$0] != nil })
        } catch let error as StoreError where MigrationWriter.refusals.contains(error.code) {
            // What the store cannot hold is refused, and said, when it is written.
            return .different(isChangedHere: false)
        }
    }

    /// A record that was refused comes again later.
    func forget(_ row: Row) throws(LegacyError) {
        count(row.shape) { $0.read -= 1 }
        try seen.remove(row.id, of: row.shape.model)
        try waiting.insert(row.id, of: row.shape.model)
    }

    /// A record whose row stays deleted is as good as none for those that name it.
    func forgetSeen(_ row: Row) throws(LegacyError) {
        try seen.remove(row.id, of: row.shape.model)
    }

    /// Whether a record of the export that belongs to this row was refused, to be tried again.
    func isWaiting(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        try waiting.contains(id, of: model)
    }

    /// Whether an event is this source's.
    func isOurs(_ position: Position) -> Bool {
        position.rawValue >= batchStart || owned.contains(position)
    }

    /// Whether nobody but this source has done anything in a stretch of the log.
    func isUndisturbed(_ range: ClosedRange<Position>) -> Bool {
        if widenings.positions.isEmpty { return owned.contains(range) }
        var all = owned
        all.insert(widenings.positions)
        return all.contains(range)
    }

    /// Whether an event changes nothing that somebody has said: the store has widened what was there.
    func isNeutral(_ position: Position) -> Bool { widenings.positions.contains(position) }

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
        guard let row = try state.revision(of: EntityReference(model: model, id: id)) else {
            return false
        }
        return try !isRerun || isPartial || !isOurs(row.created) || isWaiting(model, id)
    }

    /// Whether the store may hold rows of a model that this pass did not insert.
    func mayHold(_ shape: ClassShape) -> Bool {
        populated[shape.ordinal]
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
