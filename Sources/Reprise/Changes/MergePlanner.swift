internal import RepriseLMDB
internal import RepriseLog

/// Decides what changes come to in the present state: a merge in three ways, in which *base* is the state before the
/// changes, *ours* the present one and *theirs* the state after them.
///
/// A field that is the same on both sides, or changed on one, is decided. One that is changed on both, differently, is
/// a conflict. So is what the rules of the schema forbid of the final state: each is looked for when all is decided,
/// and one that ours settles may lead to the next, until there is none.
final class MergePlanner {
    let workspace: Workspace
    private let reader: EntityChangeReader
    /// What theirs takes away because an entity goes, and stays where ours keeps the entity.
    enum Keeping {
        case nothing
        /// To-ones that led to it.
        case toOnes
        /// Entries and to-ones that led to it, and rows that went with it.
        case all
    }

    let keeps: Keeping
    /// Whether the store of theirs is the younger one. What both have put into a list has the places that the older
    /// store has given it.
    let isTheirsLater: Bool
    /// Where both stores have merged each other and do not know of the other's merge: the places in lists that ours has
    /// given since theirs has merged it. All other places came by merges.
    var ownPlaces: OwnPlaces?
    /// Entities that theirs takes away and ours keeps.
    let kept = EntityTable()
    let plan: ChangePlan
    let makeFile: () throws(LMDBError) -> SpillFile
    /// The entries that the plan takes out of lists, while the rules are looked at.
    var going = PlaceTable()
    var hasNotedGoing = false
    /// Users that go with an entity by `cascade`, each with what the plan said of it before.
    var takenAlong: [EntityKey: [(user: EntityKey, row: ChangePlan.Row?)]] = [:]
    /// What one-to-ones of the plan lead to, while the rules are looked at, where that does not lead back.
    struct PartnerWish: Hashable {
        let target: EntityKey
        /// Where it would say so.
        let slot: Int
    }

    /// Who gets it.
    var suitors: [PartnerWish: EntityKey] = [:]
    /// Where entries and members that theirs brings stand in the lists of theirs.
    let arrivals: PlaceSort
    /// Entities that are there in the end, of those that were looked for last.
    var found = RecentKeys()
    /// Whether the deletion of a row takes away what still leads to it from rows that stay.
    var hasConsequences = false
    private(set) var decisions: ConflictDecisions
    /// Whether entries come from another log, and by no merge: then they may have serials of others.
    var looksAtSerials = false
    /// Whether a row stays away that comes with a unique value that is taken, also where it could come without it.
    var leavesOutTaken = false
    /// The hashes of the targets in the list that was looked at last.
    private var targets: (list: ListKey?, bySerial: [UInt64: UInt64]) = (nil, [:])

    init(
        _ workspace: Workspace,
        _ resolution: ChangeSet.Resolution,
        keeps: Keeping = .nothing,
        isTheirsLater: Bool = true,
        planByteCount: Int = ChangePlan.memoryByteCount,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.workspace = workspace
        self.makeFile = makeFile
        arrivals = PlaceSort(makeFile)
        plan = ChangePlan(workspace.schema, memoryByteCount: planByteCount, makeFile: makeFile)
        self.keeps = keeps
        self.isTheirsLater = isTheirsLater
        decisions = ConflictDecisions(resolution, makeFile)
        reader = EntityChangeReader(schema: workspace.schema)
    }

    var schema: CompiledSchema { workspace.schema }

    func reference(_ key: EntityKey) throws -> EntityReference {
        EntityReference(model: try schema.model(key.model).name, id: key.text)
    }

    /// Which side holds.
    ///
    /// - Parameter change: the bytes of the values of a `changed`.
    func decide(
        _ kind: ChangeSet.Conflict.Kind,
        _ entity: EntityKey,
        _ change: ConflictForm.Change? = nil
    ) throws -> ChangeSet.Conflict.Side {
        decisions.decide(ChangeSet.Conflict(entity: try reference(entity), kind: kind), change)
    }

    /// What was decided of the entity that was added last.
    struct Added {
        let entity: EntityKey
        /// The row that it will have; nil where it will not be there.
        var row: [UInt8]?
        /// For each entry that theirs brings to a place, whether it comes there.
        var comes: [Bool] = []
    }

    /// To look into the plan costs much more, once that is in a file.
    private(set) var added: Added?

    func set(_ row: ChangePlan.Row?, for entity: EntityKey) throws {
        if added?.entity == entity { added?.row = try row.map(\.payload) ?? present(entity) }
        if row?.payload == nil { found.remove(entity) }
        try plan.rows.set(row, for: entity)
    }

    /// The present row of an entity.
    func present(_ entity: EntityKey) throws -> [UInt8]? {
        try workspace.row(entity).map { unsafe [UInt8]($0.payload) }
    }

    /// Takes what theirs makes of one entity.
    func add(_ delta: EntityDelta) throws {
        added = nil
        let model = try schema.model(delta.entity.model)
        guard schema.allModels.contains(where: { $0.number == model.number }) else { return }
        let present = try present(delta.entity)
        added = Added(entity: delta.entity, row: present)
        switch (delta.row, present) {
        case (.inserted(let payload), nil):
            guard try !lacks(payload, delta.entity, model) else { return }
            try set(.insert(payload), for: delta.entity)
        case (.inserted(let payload), let present?):
            let differences = try DeltaComposer.differences(present, payload)
            let changes = try differences.filter { try !isPlaceOnly($0, model) }
            var taken = isTheirsLater ? [] : try differences.filter { try isPlaceOnly($0, model) }
            if !changes.isEmpty, try decide(.existing, delta.entity) == .theirs { taken += changes }
            if !taken.isEmpty {
                try set(.update(from: present, to: DeltaComposer.rewritten(present, taken)), for: delta.entity)
            }
        case (.deleted, nil): return
        case (.deleted(let payload), let present?):
            let names = try changedNames(from: payload, to: present, delta, model)
            if !names.isEmpty || delta.isInterrupted,
                try decide(.changedSince(names), delta.entity) == .ours
            {
                kept.insert(delta.entity)
                return
            }
            try set(.delete, for: delta.entity)
            return
        case (.updated, nil), (.same, nil):
            if try changesMoreThanPlaces(delta, model) { _ = try decide(.gone, delta.entity) }
            return
        case (.updated(let slots), let present?):
            let changes = try slots.compactMap { try merged($0, present, delta.entity, model) }
            if !changes.isEmpty {
                try set(.update(from: present, to: DeltaComposer.rewritten(present, changes)), for: delta.entity)
            }
        case (.same, _?): break
        }
        try delta.entries.forEach { entry in
            let comes = try add(entry, of: delta.entity, model)
            if entry.to != nil { added?.comes.append(comes) }
        }
    }

    /// Whether a row of the past has no value where the schema requires one by now.
    private func lacks(_ payload: [UInt8], _ entity: EntityKey, _ model: CompiledModel) throws -> Bool {
        for attribute in model.description.attributes
        where !attribute.isOptional && attribute.defaultValue == nil {
            if try payload.rowSlot(attribute.slot) != nil { continue }
            _ = try decide(.lacking(attribute: attribute.name), entity)
            return true
        }
        return false
    }

    /// Whether a to-one leads where it led, and only its place in the list there is another.
    private func isPlaceOnly(_ change: SlotDelta, _ model: CompiledModel) throws -> Bool {
        guard model.referenceSlots.contains(where: { $0.slot == change.slot }) else { return false }
        return try ReferencePlace(change.from)?.target == ReferencePlace(change.to)?.target
    }

    /// Whether theirs changes an entity in more than places: an attribute, or by an entry that comes into a list of its
    /// own. As ``changedNames(from:to:_:_:)`` says the same of ours, it makes no difference which of them merges.
    private func changesMoreThanPlaces(_ delta: EntityDelta, _ model: CompiledModel) throws -> Bool {
        if case .updated(let slots) = delta.row {
            for change in slots where model.attribute(slot: change.slot) != nil {
                if try !isPlaceOnly(change, model) { return true }
            }
        }
        return try delta.entries.contains { entry in
            entry.from == nil && model.ends.contains { $0.side == .source && $0.relation.number == entry.relation }
        }
    }

    /// What ours has changed of an entity that theirs takes away: attributes, and lists of its own into which entries
    /// have come.
    private func changedNames(
        from base: [UInt8],
        to present: [UInt8],
        _ delta: EntityDelta,
        _ model: CompiledModel
    ) throws -> [String] {
        let changes = try DeltaComposer.differences(base, present).filter { try !isPlaceOnly($0, model) }
        var names = model.description.attributes.filter { attribute in
            changes.contains { $0.slot == attribute.slot }
        }.map(\.name)
        var known = Set<UInt64>(minimumCapacity: delta.entries.count)
        try delta.entries.forEach { known.insert($0.identity) }
        // Nobody can have changed a list that was removed.
        for end in model.ownedLists where model.ends.contains(where: { $0 === end }) {
            let list = ListKey(relation: end.relation.number, id: delta.entity.id)
            // A list of an entity that theirs has made holds what theirs has linked; all else has come since.
            if try !workspace.forEachEntry(of: list, { known.contains($0.identity) }) {
                names.append(end.displayName(in: schema.description))
            }
        }
        return names
    }

    /// What becomes of a slot of a row that is there; nil where nothing does.
    private func merged(
        _ theirs: SlotDelta,
        _ present: [UInt8],
        _ entity: EntityKey,
        _ model: CompiledModel
    ) throws -> SlotDelta? {
        // An attribute that was removed since stays as it was then.
        guard let attribute = model.attribute(slot: theirs.slot) else { return nil }
        let ours = try present.rowSlot(theirs.slot)
        if ours == theirs.to { return nil }
        if theirs.to == nil, !attribute.isOptional, attribute.defaultValue == nil {
            _ = try decide(.lacking(attribute: attribute.name), entity)
            return nil
        }
        let change = SlotDelta(slot: theirs.slot, from: ours, to: theirs.to)
        if let reference = model.referenceSlots.first(where: { $0.slot == theirs.slot }) {
            return try merged(change, base: theirs, reference, attribute, entity)
        }
        if try isSame(ours, theirs.from, attribute), !theirs.isInterrupted { return change }
        if try isSame(theirs.from, theirs.to, attribute) { return nil }
        return try decideChange(change, base: theirs.from, attribute, entity)
    }

    /// Whether two values are the same. A row that is older than an attribute has its default, and so has one in
    /// another store for which a function has made that.
    private func isSame(_ one: [UInt8]?, _ other: [UInt8]?, _ attribute: AttributeDescription) throws -> Bool {
        if one == other { return true }
        guard one == nil || other == nil, attribute.defaultValue != nil else { return false }
        return try reader.value(one, attribute) == reader.value(other, attribute)
    }

    /// The same of a to-one, whose place in the list on the other side is a change of its own.
    private func merged(
        _ change: SlotDelta,
        base: SlotDelta,
        _ reference: ReferenceSlot,
        _ attribute: AttributeDescription,
        _ entity: EntityKey
    ) throws -> SlotDelta? {
        let (from, to) = (try ReferencePlace(base.from), try ReferencePlace(base.to))
        let ours = try ReferencePlace(change.from)
        guard from?.target == to?.target, let to else {
            // Both have put it into the same list.
            if ours?.target == to?.target { return isTheirsLater || to == nil ? nil : change }
            if ours?.target == from?.target, !base.isInterrupted { return change }
            return try decideChange(change, base: base.from, attribute, entity)
        }
        // The entity has left that list: its place there does not matter any more.
        guard ours?.target == to.target else { return nil }
        let place = ListKey(relation: reference.relation.number, id: to.target)
        let hasMoved =
            if let ownPlaces, let ours { ownPlaces.has(place, ours.orderKey, member: entity.id) } else { ours != from }
        // Theirs only tells where it stands there.
        if ownPlaces != nil, from == to { return hasMoved || isTheirsLater ? nil : change }
        if !hasMoved, !base.isInterrupted { return change }
        let owner = EntityKey(model: reference.targetModel, id: to.target)
        let list = RelationEnd(relation: reference.relation, side: .target).displayName(in: schema.description)
        let conflict = ChangeSet.Conflict.Kind.moved(list: list, target: try self.reference(entity))
        return try decide(conflict, owner) == .theirs ? change : nil
    }

    private func decideChange(
        _ change: SlotDelta,
        base: [UInt8]?,
        _ attribute: AttributeDescription,
        _ entity: EntityKey
    ) throws -> SlotDelta? {
        let conflict = ChangeSet.Conflict.Kind.changed(
            attribute: attribute.name,
            base: try reader.value(base, attribute),
            ours: try reader.value(change.from, attribute),
            theirs: try reader.value(change.to, attribute)
        )
        let bytes = ConflictForm.Change(attribute: attribute, base: base, ours: change.from, theirs: change.to)
        return try decide(conflict, entity, bytes) == .theirs ? change : nil
    }

    /// Makes sure that the serial of an entry that comes from another log is not that of another entry there: two
    /// copies of one store may have given it to two.
    private func checkSerial(of theirs: EntryDelta, in list: ListPlace) throws {
        if targets.list != list.key {
            targets = (list.key, [:])
            try workspace.forEachEntry(of: list.key) { entry in
                targets.bySerial[entry.serial] = XXH64.hash(entry.target)
                return true
            }
        }
        guard let other = targets.bySerial[theirs.serial], other != XXH64.hash(theirs.target) else { return }
        throw StoreError(
            .notABranch,
            "Two copies of one store have put different entries into \(list.end.displayName(in: schema.description)) "
                + "of \(try reference(list.owner)), which this store cannot tell apart.",
            advice: "Nothing was written. Apply the file to the store that was copied. Make branches in the place of "
                + "copies, and merge them."
        )
    }

    /// Takes what theirs makes of one entry. Returns whether it is in the plan.
    private func add(_ theirs: EntryDelta, of owner: EntityKey, _ model: CompiledModel) throws -> Bool {
        guard let end = model.ownedLists.first(where: { $0.relation.number == theirs.relation }),
            model.ends.contains(where: { $0 === end })
        else { return false }
        let list = ListPlace(end: end, owner: owner)
        let place = theirs.from ?? theirs.to ?? 0
        let target = String(decoding: theirs.target, as: UTF8.self)
        let isNew = theirs.serial == EntryDelta.newSerial
        let entry = EntryID(serial: theirs.serial, target: target, place: place)
        let ours = isNew ? nil : try workspace.entry(entry, in: list)
        if looksAtSerials, ours == nil, !isNew, theirs.from == nil { try checkSerial(of: theirs, in: list) }
        var to = theirs.to
        switch (theirs.from, theirs.to) {
        // Both have put it into the list.
        case (nil, let wanted) where ours != nil: if isTheirsLater || ours?.orderKey == wanted { return false }
        case (nil, _): break
        case (_, nil):
            // An entry that goes, goes from wherever it stands by now.
            guard ours != nil else { return false }
        case (let from, let wanted):
            guard let ours, ours.orderKey != wanted else { return false }
            let hasMoved =
                ownPlaces?.has(list.key, ours.orderKey, entry: ours) ?? (ours.orderKey != from)
            if from == wanted, hasMoved || isTheirsLater { return false }
            if from != wanted, hasMoved {
                let conflict = ChangeSet.Conflict.Kind.moved(
                    list: end.displayName(in: schema.description),
                    target: try reference(EntityKey(model: end.other.model, id: theirs.target))
                )
                if try decide(conflict, owner) == .ours { return false }
            }
            to = wanted
        }
        let delta = EntryDelta(
            relation: theirs.relation,
            serial: theirs.serial,
            target: theirs.target,
            from: ours?.orderKey,
            to: to
        )
        try plan.entries.append(ChangePlan.Entry(list: list, delta: delta))
        return true
    }
}
