internal import RepriseLMDB
internal import RepriseLog

/// One-to-ones that a plan makes or ends.
struct PlanPairs {
    private let sides: PlaceSort

    init(_ makeFile: @escaping () throws(LMDBError) -> SpillFile) { sides = PlaceSort(makeFile) }

    /// Notes that a row leaves its partner without being of the plan.
    func addLeaving(_ entity: EntityKey, _ pair: ReferenceSlot, partner: EntityKey) throws {
        try add(entity, pair, partner: partner.id, isMade: false)
    }

    /// Completes those of which the plan changes only one side, so that no row has to follow another one.
    ///
    /// - Returns: whether rows were changed for that; nil where two rows would have one partner, or a row would lose
    ///   one that it needs.
    /// - Complexity: O(n log n) of the sides that change.
    func complete(_ plan: ChangePlan, _ workspace: Workspace) throws -> Bool? {
        let schema = workspace.schema
        guard schema.allModels.contains(where: { !$0.pairSlots.isEmpty }) else { return false }
        try plan.rows.forEach { entity, row in
            let pairs = Self.pairs(of: try schema.model(entity.model))
            if pairs.isEmpty { return }
            let before: [UInt8]?
            switch row {
            case .insert: before = nil
            case .update(let from, _): before = from
            case .delete: before = try workspace.row(entity).map { unsafe [UInt8]($0.payload) }
            }
            for pair in pairs {
                let left = try ReferencePlace(before?.rowSlot(pair.slot))?.target
                let wanted = try ReferencePlace(row.payload?.rowSlot(pair.slot))?.target
                if left == wanted { continue }
                if let left { try add(entity, pair, partner: left, isMade: false) }
                if let wanted { try add(entity, pair, partner: wanted, isMade: true) }
            }
        }
        var (hasChanged, isPossible) = (false, true)
        var open: PairSide?
        // Of each pair the side of the source comes, and then that of the target.
        try unsafe sides.takeAll { key, target in
            let side = try unsafe PairSide(key: key, target: target)
            if let other = open, other.isOtherSide(of: side) { return open = nil }
            if let open { try isPossible = open.follow(in: plan, workspace, &hasChanged) && isPossible }
            open = side
        }
        if let open { try isPossible = open.follow(in: plan, workspace, &hasChanged) && isPossible }
        return isPossible ? hasChanged : nil
    }

    /// The one-to-ones of a model. What rows say in removed relations has no other side.
    fileprivate static func pairs(of model: CompiledModel) -> [ReferenceSlot] {
        model.pairSlots.filter { pair in model.ends.contains { $0.relation.number == pair.relation.number } }
    }

    /// Takes what one side of a pair says of it.
    private func add(_ entity: EntityKey, _ pair: ReferenceSlot, partner: [UInt8], isMade: Bool) throws {
        let isSource = pair.side == .source
        let (source, target) = isSource ? (entity.id, partner) : (partner, entity.id)
        var order = unsafe target.withUnsafeBytes { unsafe XXH64.hash($0) } & ~3
        if isMade { order |= 2 }
        if !isSource { order |= 1 }
        var value = ByteWriter(capacity: target.count)
        unsafe target.withUnsafeBytes { unsafe value.bytes($0) }
        try sides.add(ListKey(relation: pair.relation.number, id: source), order, value: value)
    }
}

/// What one side of a pair says of it.
private struct PairSide {
    let relation: UInt16
    let source: [UInt8]
    let target: [UInt8]
    /// Which side says so.
    let side: RelationEnd.Side
    /// Whether the pair is made, and not ended.
    let isMade: Bool

    init(key: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) throws {
        var parser = unsafe KeyParser(key, skipping: 2)
        relation = unsafe Workspace.modelNumber(of: key)
        source = try parser.identifier()
        let order = try parser.number()
        self.target = unsafe [UInt8](target)
        side = order & 1 == 0 ? .source : .target
        isMade = order & 2 != 0
    }

    func isOtherSide(of other: PairSide) -> Bool {
        relation == other.relation && source == other.source && target == other.target && isMade == other.isMade
            && side != other.side
    }

    /// Has the row of the other side say it as well. Returns false where that has another partner, or needs this one.
    func follow(in plan: ChangePlan, _ workspace: Workspace, _ hasChanged: inout Bool) throws -> Bool {
        let relation = try workspace.schema.relation(relation)
        let end = side == .source ? relation.target : relation.source
        let (partner, own) = side == .source ? (source, target) : (target, source)
        let entity = EntityKey(model: end.model, id: own)
        let model = try workspace.schema.model(end.model)
        guard
            let pair = PlanPairs.pairs(of: model).first(where: {
                $0.relation.number == relation.number && $0.side == side.other
            })
        else { return true }
        let planned = try plan.rows.row(of: entity)
        if planned?.isDeletion ?? false { return true }
        let present = try workspace.row(entity).map { unsafe [UInt8]($0.payload) }
        guard let row = planned?.payload ?? present else { return true }
        let leadsTo = try ReferencePlace(row.rowSlot(pair.slot))?.target
        if isMade ? leadsTo == partner : leadsTo != partner { return true }
        let isOptional = model.attribute(slot: pair.slot)?.isOptional ?? true
        guard isMade ? leadsTo == nil : isOptional else { return false }
        let to = isMade ? ReferencePlace.bytes(0, partner) : nil
        let followed = try DeltaComposer.rewritten(row, [SlotDelta(slot: pair.slot, from: nil, to: to)])
        switch planned {
        case .insert: try plan.rows.set(.insert(followed), for: entity)
        case .update(let from, _): try plan.rows.set(.update(from: from, to: followed), for: entity)
        case .delete, nil: if let present { try plan.rows.set(.update(from: present, to: followed), for: entity) }
        }
        hasChanged = true
        return true
    }
}
