import ExportFormats
import LegacyRecords
import Reprise

/// What a comparison of an export with a store finds, counted and told.
final class MigrationFindings: IntakeObserver {
    let pass: MigrationPass
    private let isPlan: Bool
    /// Called now and then; throws to stop.
    private let progress: (MigrationProgress) throws -> Void
    private var state: MigrationProgress
    private(set) var replacement: Replacement
    private(set) var times = RecordedTimes()
    /// What was warned of before the comparison began.
    private let toldBefore: MigrationPass.Told
    private var found = Counts()

    /// How many rows of each model were found to be what.
    private struct Counts {
        var new: [String: Int] = [:]
        var overwritten: Set<EntityReference> = []
    }

    private static let notesPerStep = 1000
    private var noteCount = 0

    init(
        _ pass: MigrationPass,
        isPlan: Bool,
        byteCount: UInt64,
        progress: @escaping (MigrationProgress) throws -> Void
    ) {
        self.pass = pass
        self.isPlan = isPlan
        self.progress = progress
        state = MigrationProgress(.comparing, byteCount: byteCount)
        state.bytesRead = byteCount
        state.recordsRead = pass.readCount
        replacement = Replacement()
        toldBefore = pass.toldSoFar
    }

    // MARK: What the comparison asks

    func begin() {
        replacement = Replacement()
        times = RecordedTimes()
        pass.forget(since: toldBefore)
        found = Counts()
        noteCount = 0
    }

    func isOwn(_ position: Position) -> Bool { pass.isOurs(position) }

    func isChangedElsewhere(_ row: EntityReference, created: Position, revision: Position) throws -> Bool {
        guard let shape = pass.shape.classes[row.model], !pass.owned.contains(created...revision) else { return false }
        let given = Set(shape.givenPlaces.map { shape.attributes[$0].name })
        if given.count == shape.attributes.count { return false }
        let followsFromLists = Set(pass.shape.classes.values.flatMap(\.lists.values).compactMap(\.memberToOne))
        var isChanged = false
        try pass.store.read { state in
            try state.forEachEvent(of: row) { event in
                guard event.cause == nil, event.type == "updated", !pass.isOurs(event.position),
                    !pass.widened.contains(event.position)
                else { return event.type != "inserted" }
                isChanged = event.changes.contains {
                    $0.from != $0.to && !given.contains($0.name) && !followsFromLists.contains($0.name)
                }
                return !isChanged
            }
        }
        return isChanged
    }

    func hasSpoken(of name: String, _ model: String) -> Bool {
        // An older version did not note the fields.
        guard let fields = pass.spokenFields[model] else { return pass.spokenFields.isEmpty }
        return fields.contains(name)
    }

    func gives(_ attribute: String, of model: String) -> Bool {
        guard let shape = pass.shape.classes[model] else { return false }
        return shape.givenPlaces.contains { shape.attributes[$0].name == attribute }
    }

    func wasChanged(_ row: EntityReference, _ attribute: String) throws -> Bool {
        try pass.store.read { try pass.isChangedHere(row, to: attribute, in: $0) }
    }

    func wasListChanged(_ list: String, of owner: EntityReference) throws -> Bool {
        guard let toMany = pass.shape.classes[owner.model]?.lists[list] else { return false }
        return try pass.store.read { try pass.isChangedHere(toMany, of: owner, in: $0) }
    }

    func wasDeleted(_ row: EntityReference) throws -> Bool {
        try pass.store.read { try pass.wasDeletedHere(row, in: $0) }
    }

    func isStated(_ model: String, _ id: String) throws -> Bool { try pass.hasSeen(model, id) }

    func looks(for model: String) -> Bool { pass.shape.classes[model] != nil }

    func note(_ finding: IntakeFinding) throws {
        noteCount += 1
        if noteCount % Self.notesPerStep == 0 { try progress(state) }
        switch finding {
        case .new(let row, let attachment, let wasDeletedHere):
            found.new[row.model, default: 0] += 1
            if let shape = pass.shape.classes[row.model], !shape.vanishedPlaces.isEmpty { warnOfVanished(row, shape) }
            if wasDeletedHere { warnRestored(row) }
            keepTimes(attachment, of: row)
        case .same(let row, let keeps):
            replacement.noteCommon(nil)
            if !keeps.isEmpty { warnOfKept(keeps, of: row) }
        case .different(let row, let attachment, let keeps, let replaced):
            replacement.noteCommon(
                replaced.map { value in
                    let values = [value.from, value.to].map(DifferenceReport.text)
                    return "\(row.told): \(value.name) \(values[0]) becomes \(values[1])"
                }
            )
            if !keeps.isEmpty { warnOfKept(keeps, of: row) }
            keepTimes(attachment, of: row)
        case .overwritten(let row): found.overwritten.insert(row)
        case .staysDeleted(let row):
            warn(
                .localChangeKept,
                "The \(row.model) \(LibraryReport.quoted(row.id)) was deleted here and stays so; the values that the"
                    + " export has of it are those of before."
            )
        case .keptThoughGone(let row):
            replacement.noteMissing("\(row.told) is not in the export")
            warn(
                .deletedInSourceButChanged,
                "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but it was changed here; it"
                    + " was kept."
            )
        case .gone(let row): replacement.noteMissing("\(row.told) is not in the export")
        case .missingTarget(let row, let name):
            warn(
                .missingTarget,
                "The \(name) of \(row.model) \(LibraryReport.quoted(row.id)) does not exist; it has none."
            )
        case .missingMember(let owner, _, let target):
            warn(
                .missingTarget,
                "\(owner.model) \(LibraryReport.quoted(owner.id)) has an entry \(LibraryReport.quoted(target)) that"
                    + " does not exist; it was left out."
            )
        case .missingOwner(let owner, let list):
            warn(
                .missingTarget,
                "The \(list) of \(owner.model) \(LibraryReport.quoted(owner.id)) are left out, because it does not"
                    + " exist."
            )
        case .keptList(let owner, let list):
            warn(
                .localChangeKept,
                "The \(list) of \(owner.model) \(LibraryReport.quoted(owner.id)) stay as they were changed here; what"
                    + " the export has anew came to the end."
            )
        case .changedList(let owner, let list):
            warn(
                .localChangeOverwritten,
                "The \(list) of \(owner.model) \(LibraryReport.quoted(owner.id)) were changed here and in the export;"
                    + " they are as in the export now, with what was added here."
            )
        case .leaving(let owner, let list, let targets, let count):
            guard pass.namesRowsOfStore else { return }
            replacement.noteCommon(count - targets.count)
            for target in targets {
                let entry = LibraryReport.quoted(target)
                replacement.noteMissing("\(list) of \(owner.told): \(entry) is not in the export")
            }
        case .addedHere(let owner):
            warn(
                .entryAddedHere,
                "The \(owner.model) \(LibraryReport.quoted(owner.id)) keeps what was added to its list here."
            )
        case .tooLarge(let error, let row): warnOfRefusal(row, error)
        }
    }

    private func keepTimes(_ attachment: [UInt8], of row: EntityReference) {
        if attachment.isEmpty { return }
        times.append(row, RecordedTimes.times(attachment))
    }

    // MARK: What is said

    private func warn(_ kind: LegacyWarning.Kind, _ message: @autoclosure () -> String) {
        pass.warn(kind, message())
    }

    private func warnOfVanished(_ row: EntityReference, _ shape: ClassShape) {
        for place in shape.vanishedPlaces where shape.mayBeNothing(place) {
            warn(
                .defaultedValue,
                "The export has no \(shape.attributes[place].name) any more, which the new \(row.model)"
                    + " \(LibraryReport.quoted(row.id)) needs; it is zero, false or empty there."
            )
        }
    }

    private func warnOfKept(_ names: [String], of row: EntityReference) {
        warn(
            .localChangeKept,
            "The \(row.model) \(LibraryReport.quoted(row.id)) keeps what was changed here"
                + " (\(names.sorted().joined(separator: ", "))); the export says of that what it said before."
        )
    }

    private func warnOverwritten(_ row: EntityReference) {
        warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was changed here since the last migration; it "
                + (isPlan ? "would be overwritten." : "now is as in the export.")
        )
    }

    private func warnRestored(_ row: EntityReference) {
        warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was deleted here since the last migration; it "
                + (isPlan ? "would be there again." : "is there again, as in the export.")
        )
    }

    private func warnOfRefusal(_ row: EntityReference, _ error: StoreError) {
        warn(
            .refusedRecord,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }

    /// Hands all that was found to the pass, with what the rules of the schema have decided.
    func finish(_ report: IntakeReport) {
        for conflict in report.report.settled {
            warn(of: conflict)
            // It keeps what was set here.
            if case .missing = conflict.kind { found.overwritten.remove(conflict.entity) }
        }
        for row in found.overwritten.sorted(by: { ($0.model, $0.id) < ($1.model, $1.id) }) { warnOverwritten(row) }
    }

    private func warn(of conflict: ChangeSet.Conflict) {
        let row = conflict.entity
        let told = "The \(row.model) \(LibraryReport.quoted(row.id))"
        switch conflict.kind {
        case .changed, .existing: warnOverwritten(row)
        case .moved(let list, _):
            warn(
                .localChangeOverwritten,
                "The \(list) of \(row.model) \(LibraryReport.quoted(row.id)) were put in order here and in the export;"
                    + " the order is the export's."
            )
        case .changedSince(let names):
            warn(
                .deletedInSourceButChanged,
                "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but it was changed here"
                    + " (\(names.joined(separator: ", "))); it was kept."
            )
        case .used(let user, _, _):
            warn(
                .deletedInSourceButInUse,
                "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id)), but the \(user.model)"
                    + " \(LibraryReport.quoted(user.id)) needs it; it was kept."
            )
        case .taken(let names, let holder):
            warn(
                .uniqueValueTaken,
                "\(told) is not as in the export: the \(holder.model) \(LibraryReport.quoted(holder.id)) has its"
                    + " \(names.joined(separator: ", "))."
            )
        case .missing(let relationship, let target):
            warn(
                isRequired(relationship, of: row.model) ? .refusedRecord : .missingTarget,
                "The \(relationship) of \(row.model) \(LibraryReport.quoted(row.id)) is the \(target.model)"
                    + " \(LibraryReport.quoted(target.id)), which does not exist."
            )
        case .lacking(let name):
            warn(.refusedRecord, "\(told) is not as in the export: it has no \(name), which the store requires.")
        case .gone: warn(.refusedRecord, "\(told) is not as in the export: it was deleted here.")
        }
    }

    private func isRequired(_ name: String, of model: String) -> Bool {
        pass.shape.classes[model]?.attributes.first { $0.name == name }?.isOptional == false
    }

    /// What became of the records of each model.
    func counts(_ report: IntakeReport) -> [String: MigrationCounts] {
        var counts: [String: MigrationCounts] = [:]
        for (model, readCount) in pass.recordCounts {
            let made = report.counts[model] ?? IntakeReport.Counts()
            var all = MigrationCounts()
            all.read = readCount
            (all.inserted, all.updated, all.deleted) = (made.inserted, made.updated, made.deleted)
            let leftOut = pass.leftOutCounts[model, default: 0] + (found.new[model, default: 0] - made.inserted)
            all.unchanged = max(0, readCount - made.inserted - made.updated - leftOut)
            counts[model] = all
        }
        return counts
    }
}

extension EntityReference {
    fileprivate var told: String { "\(model) \(LibraryReport.quoted(id))" }
}
