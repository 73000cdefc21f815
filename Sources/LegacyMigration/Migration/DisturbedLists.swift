import Reprise

/// Lists whose members may have come to their places late, because a row was tried again.
///
/// When such a row is written depends on where an interrupted run has ended, and so do the order keys that its
/// neighbours get: the order is the same, the room between the entries is not. At the end these lists are respaced
/// (REL-15), in an unbroken run and in one that is taken up, which then agree.
struct DisturbedLists {
    /// A list that the export gives by itself or with its owner.
    struct Place {
        let owner: EntityReference
        let list: ClassShape.ToMany
    }

    /// The rows that were tried again.
    private var rows: [String: KeySet] = [:]
    /// Lists that have to do with them.
    fileprivate private(set) var places: [Place] = []

    mutating func insert(_ row: EntityReference) {
        rows[row.model, default: KeySet()].insert(row.id)
    }

    mutating func append(_ place: Place) { places.append(place) }

    /// Whether there may be any.
    var isEmpty: Bool { rows.isEmpty }

    func contains(_ model: String, _ id: String) -> Bool { rows[model]?.contains(id) ?? false }
}

extension MigrationWriter {
    /// Whether when a row is written depends on where an interrupted run has ended.
    private func mayBeLate(_ model: String, _ id: String) -> Bool {
        disturbed.contains(model, id) || waitingRows.contains(model, id)
    }

    /// Notes a list that is to be respaced in the end.
    func noteIfDisturbed(_ list: ListInProgress, in state: borrowing WriteTransaction) throws {
        if list.isDisturbed || disturbed.isEmpty && waitingRows.isEmpty { return }
        let owner = EntityReference(model: list.shape.model, id: list.id)
        let target = list.list.target
        if mayBeLate(owner.model, owner.id) {
            list.isDisturbed = true
        } else {
            for key in list.members {
                let id = try pass.storedIdentifier(target, key, in: state)
                guard mayBeLate(target, id) else { continue }
                list.isDisturbed = true
                break
            }
        }
        if list.isDisturbed { disturbed.append(.init(owner: owner, list: list.list)) }
    }

    /// Respaces the lists that have to do with rows that were tried again.
    func respaceDisturbedLists(from store: Store, _ loader: inout BulkLoader) throws {
        if disturbed.isEmpty && waitingRows.isEmpty { return }
        try loader.publish()
        for model in pass.shape.models {
            guard let shape = pass.shape.classes[model] else { continue }
            for toOne in shape.toOnes where toOne.inverse == nil && !toOne.isPaired {
                let targets = try disturbedTargets(of: toOne, shape, in: store)
                try batches(.ordering, targets, &loader) { target, transaction in
                    let count = try transaction.respaceUnlisted(model, by: toOne.name, to: target)
                    if count > 0 { didWrite() }
                }
            }
        }
        try respace(disturbed.places, &loader)
        for (key, lists) in orders.grouped() {
            let list = key.toMany
            var places: [DisturbedLists.Place] = []
            for place in 0..<lists.count {
                let owner = EntityReference(model: key.owner, id: lists.owner(at: place))
                let isDisturbed =
                    mayBeLate(owner.model, owner.id)
                    || lists.members(at: place).contains { mayBeLate(key.member, $0) }
                if isDisturbed { places.append(.init(owner: owner, list: list)) }
                if places.count < batchUnitCount { continue }
                try respace(places, &loader)
                places.removeAll()
            }
            try respace(places, &loader)
        }
    }

    /// What rows lead to by a to-one that has no list on its other side, where it or one of them was tried again.
    ///
    /// - Complexity: O(rows of the model).
    private func disturbedTargets(
        of toOne: ClassShape.ToOne,
        _ shape: ClassShape,
        in store: Store
    ) throws -> [EntityReference] {
        var known = KeySet()
        var targets: [EntityReference] = []
        try store.read { state in
            try state.forEachRecord(RecordQuery(model: shape.model), lists: false) { record in
                guard case .reference(let target) = record[toOne.name],
                    mayBeLate(shape.model, record.id) || mayBeLate(toOne.target, target),
                    known.insert(target)
                else { return true }
                targets.append(EntityReference(model: toOne.target, id: target))
                return true
            }
        }
        return targets
    }

    /// Respaces lists, as many in a batch as fit.
    private func respace(_ places: [DisturbedLists.Place], _ loader: inout BulkLoader) throws {
        var next = 0
        while next < places.count {
            try batch(.ordering, &loader) { transaction in
                var unitCount = 0
                while next < places.count, unitCount < batchUnitCount {
                    let place = places[next]
                    next += 1
                    unitCount += 1
                    guard try exists(place.owner.model, place.owner.id, in: transaction) else {
                        continue
                    }
                    let count = try transaction.respace(place.list.name, of: place.owner)
                    unitCount += count
                    if count > 0 { didWrite() }
                }
            }
        }
    }
}
