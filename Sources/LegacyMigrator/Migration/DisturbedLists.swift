import ExportFormats
import LegacyRecords
import Reprise

/// Lists whose members may have come to their places late, because a row was tried again.
///
/// When such a row is written depends on where an interrupted run has ended, and so do the order keys that its
/// neighbours get, and where it is put among members that the export does not have. So at the end, and not before,
/// these lists come into the order of the export (``ListArrangement``) and are respaced (REL-15), in an unbroken run
/// and in one that is taken up, which then agree.
final class DisturbedLists {
    /// The lists of one name that the export gives by themselves or with their owners.
    fileprivate final class Kind {
        let list: ClassShape.ToMany
        let owners: RememberedRows

        init(_ list: ClassShape.ToMany, in memory: RecordMemory) {
            self.list = list
            owners = RememberedRows(in: memory)
        }
    }

    private let memory: RecordMemory
    /// The rows that were tried again.
    private let rows: RememberedKeys
    /// Lists that have to do with them.
    fileprivate private(set) var kinds: [Kind] = []
    /// Whether there is none.
    private(set) var isEmpty = true

    init(in memory: RecordMemory) {
        self.memory = memory
        rows = RememberedKeys(in: memory)
    }

    /// Notes a row that was tried again, or whose to-ones may be.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput`, as all that asks what does not fit into memory.
    func insert(_ row: EntityReference) throws(LegacyError) {
        isEmpty = false
        try rows.insert(row.id, of: row.model)
    }

    func append(_ list: ClassShape.ToMany, of owner: EntityReference) throws(LegacyError) {
        isEmpty = false
        let known = kinds.first { $0.list.name == list.name && $0.list.target == list.target }
        let kind = known ?? Kind(list, in: memory)
        if known == nil { kinds.append(kind) }
        try kind.owners.append(owner)
    }

    func contains(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        isEmpty ? false : try rows.contains(id, of: model)
    }
}

extension MigrationWriter {
    /// Whether when a row is written depends on where an interrupted run has ended.
    func mayBeLate(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        if try waitingRows.contains(model, id) { return true }
        return try disturbed.contains(model, id)
    }

    /// Notes a list that is to be respaced in the end.
    func noteIfDisturbed(_ list: ListInProgress, in state: borrowing WriteTransaction) throws {
        if list.isDisturbed || disturbed.isEmpty && waitingRows.isEmpty { return }
        let owner = EntityReference(model: list.shape.model, id: list.id)
        let target = list.list.target
        let isRefused = try waitingRows.isRefused(list.list.named(of: owner))
        if try isRefused || mayBeLate(owner.model, owner.id) {
            list.isDisturbed = true
        } else {
            for key in list.members {
                let id = try pass.storedIdentifier(target, key, in: state)
                guard try mayBeLate(target, id) else { continue }
                list.isDisturbed = true
                break
            }
        }
        if list.isDisturbed { try disturbed.append(list.list, of: owner) }
    }

    /// Whether a list whose members say themselves where they belong may get some of them late.
    func mayBeDisturbed(
        _ owner: EntityReference,
        _ members: [String],
        of model: String
    ) throws(LegacyError) -> Bool {
        if disturbed.isEmpty && waitingRows.isEmpty { return false }
        if try mayBeLate(owner.model, owner.id) { return true }
        for member in members where try mayBeLate(model, member) { return true }
        return false
    }

    /// Gives the lists that have to do with rows that were tried again their order and their places.
    func settleDisturbedLists(from store: Store, _ loader: inout BulkLoader) throws {
        if disturbed.isEmpty && waitingRows.isEmpty { return }
        try loader.publish()
        for model in pass.shape.models {
            guard let shape = pass.shape.classes[model] else { continue }
            for toOne in shape.toOnes where toOne.inverse == nil && !toOne.isPaired {
                let targets = try disturbedTargets(of: toOne, shape, in: store)
                try respace(targets, &loader) { target, limit, transaction in
                    try transaction.respaceUnlisted(
                        model,
                        by: toOne.name,
                        to: target,
                        atMost: limit
                    )
                }
            }
        }
        for kind in disturbed.kinds {
            try respace(kind.owners, &loader) { owner, limit, transaction in
                // What stays as somebody else has arranged it was not put in order by the source.
                if try pass.kept.contains(kind.list.named(of: owner)) { return 0 }
                return try transaction.respace(kind.list.name, of: owner, atMost: limit)
            }
        }
        try forEachOrder(&loader) { key, owner, wanted, present, transaction in
            guard try mayBeDisturbed(owner, wanted, of: key.member) else { return 0 }
            let arranged = ListArrangement(of: present.map(\.target), wanted).members
            guard
                try order(key.toMany, of: owner, present, arranged, given: wanted, &transaction)
            else { return 0 }
            let moveCount = try transaction.respace(key.list, of: owner)
            if moveCount > 0 { didWrite() }
            return moveCount
        } long: { long, loader in
            if try mayBeDisturbed(long) { try settle(long, of: store, &loader) }
        }
    }

    /// What rows lead to by a to-one that has no list on its other side, where it or one of them was tried again.
    ///
    /// - Complexity: O(rows of the model).
    private func disturbedTargets(
        of toOne: ClassShape.ToOne,
        _ shape: ClassShape,
        in store: Store
    ) throws -> RememberedRows {
        let known = RememberedKeys(in: pass.memory)
        let targets = RememberedRows(in: pass.memory)
        try store.read { state in
            try state.forEachRecord(RecordQuery(model: shape.model), lists: false) { record in
                guard case .reference(let target) = record[toOne.name],
                    try mayBeLate(shape.model, record.id) || mayBeLate(toOne.target, target),
                    try known.insert(target, of: toOne.target)
                else { return true }
                try targets.append(EntityReference(model: toOne.target, id: target))
                return true
            }
        }
        return targets
    }

    /// Respaces lists, as many in a batch as fit; a long one takes several.
    ///
    /// - Parameter body: respaces one or a part of it, of so many entries at most, and returns how many have another
    ///   place now.
    func respace(
        _ owners: RememberedRows,
        _ loader: inout BulkLoader,
        _ body: (EntityReference, _ limit: Int, inout WriteTransaction) throws -> Int
    ) throws {
        let limit = 2 * longBounds.window
        var next = 0
        while next < owners.count {
            try batch(.ordering, &loader) { transaction in
                var unitCount = 0
                while next < owners.count, unitCount < batchUnitCount {
                    let owner = try owners.row(at: next)
                    unitCount += 1
                    var count = 0
                    // Another process may have deleted it.
                    if try exists(owner.model, owner.id, in: transaction) {
                        count = try body(owner, limit, &transaction)
                    }
                    unitCount += count
                    if count > 0 { didWrite() }
                    if count < limit { next += 1 }
                }
            }
        }
    }
}
