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

    /// Whether both sides of each are changed, so that no row has to follow another one.
    ///
    /// - Complexity: O(n log n) of the sides that change.
    func areWhole(_ plan: ChangePlan, _ workspace: Workspace) throws -> Bool {
        let schema = workspace.schema
        guard schema.allModels.contains(where: { !$0.pairSlots.isEmpty }) else { return true }
        try plan.rows.forEach { entity, row in
            let model = try schema.model(entity.model)
            // What rows say in removed relations has no other side.
            let pairs = model.pairSlots.filter { pair in
                model.ends.contains { $0.relation.number == pair.relation.number }
            }
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
        var areWhole = true
        var source: (key: [UInt8], target: [UInt8])?
        // Of each pair the side of the source comes, and then that of the target.
        try unsafe sides.takeAll { key, target in
            guard let other = source else {
                source = unsafe ([UInt8](key), [UInt8](target))
                return
            }
            source = nil
            let isSame = unsafe key.dropLast().elementsEqual(other.key.dropLast()) && target.elementsEqual(other.target)
            if unsafe !isSame || key.last != other.key.last.map({ $0 | 1 }) || key.last == other.key.last {
                areWhole = false
            }
        }
        return areWhole && source == nil
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
