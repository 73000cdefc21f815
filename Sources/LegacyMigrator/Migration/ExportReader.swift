import LegacyRecords
import Reprise

/// Reads an export from front to back, and gathers what it says in the terms of a store.
struct ExportReader {
    let source: any LegacySource
    let store: Store
    let shape: SourceShape
    let pass: MigrationPass
    let intake: Intake

    /// Enough to make the opening of a read cheap, few enough to keep it short.
    private static let weightPerRead = 512

    init(_ source: any LegacySource, _ history: SourceHistory, _ shape: SourceShape, in store: Store) throws {
        self.source = source
        self.store = store
        self.shape = shape
        pass = try MigrationPass(source, history, shape, in: store)
        intake = try Intake(for: store, isPartial: source.isPartial)
        for model in shape.models {
            for name in shape.classes[model]?.lists.keys.sorted() ?? [] { try intake.declareList(name, of: model) }
        }
    }

    /// What was read and is not gathered yet.
    private enum Piece {
        case record(ShapedRecord)
        case list(LegacyList)
    }

    /// - Parameter progress: throws to stop.
    func read(_ progress: (MigrationProgress) throws -> Void) throws -> LegacyReading {
        var state = MigrationProgress(.reading, byteCount: source.byteCount)
        var shaper = shape.shaper()
        var pieces: [Piece] = []
        var weight = 0
        func gather() throws {
            try source.checkUnchanged()
            try store.read { state in
                for piece in pieces {
                    switch piece {
                    case .record(let record): try add(record, in: state)
                    case .list(let list): try add(list, in: state)
                    }
                }
            }
            pieces.removeAll(keepingCapacity: true)
            weight = 0
        }
        let reading = try source.read { event in
            switch event {
            case .record(let record):
                state.recordsRead += 1
                guard let record = shaper.shaped(record) else { break }
                pieces.append(.record(record))
                weight += record.weightWithLists
            case .list(let list):
                pieces.append(.list(list))
                weight += 1 + list.members.weight
            case .warning(let warning): pass.note(warning)
            case .progress(let step):
                state.bytesRead = step.bytesRead
                state.byteCount = step.byteCount
                try progress(state)
            }
            if weight >= Self.weightPerRead { try gather() }
        }
        try gather()
        try intake.finish()
        state.bytesRead = state.byteCount
        try progress(state)
        return reading
    }

    private func add(_ record: ShapedRecord, in state: borrowing ReadTransaction) throws {
        guard let row = try pass.row(record, in: state) else { return }
        let (values, unsaid) = pass.newValues(row)
        let attachment = row.times.map(RecordedTimes.bytes) ?? []
        if let refusal = try intake.add(row.reference, inOrder: values, unsaid: unsaid, attachment: attachment) {
            pass.warnOfRefusal(row.reference, refusal)
            pass.leaveOut(row)
            if try state.revision(of: row.reference) == nil { try pass.forgetSeen(row) }
            return
        }
        for given in record.lists { try add(given.members, given.list, of: row.reference, in: state) }
    }

    private func add(_ list: LegacyList, in state: borrowing ReadTransaction) throws {
        guard let shape = shape.classes[list.className], let toMany = shape.lists[list.name] else { return }
        let id = try pass.storedIdentifier(shape.model, list.key, in: state)
        try add(list.members, toMany, of: EntityReference(model: shape.model, id: id), in: state)
    }

    private func add(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        let kept = try pass.lastOccurrences(members, in: list)
        try intake.addList(list.name, of: owner) { add in
            for (place, member) in members.enumerated() where kept?[place] != false {
                try add(pass.storedIdentifier(list.target, member, in: state))
            }
        }
    }
}
