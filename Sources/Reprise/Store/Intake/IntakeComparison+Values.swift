internal import RepriseLMDB
internal import RepriseLog

/// The values of rows, slot by slot.
extension IntakeComparison {
    /// Whether a row of which nothing is noted is as the export says it, and as the last export left it.
    ///
    /// Of most rows of most exports that is so, so their bytes are compared in place.
    func isUntouched(_ subject: Subject, _ stated: StatedRow) throws -> Bool {
        guard isRepeated, saysKept, subject.change == nil, subject.placements.isEmpty, subject.entries.isEmpty,
            let present = subject.present
        else { return false }
        let model = subject.model
        let assigned = intake.isPartial ? [] : intake.assignedSlots(of: model.number)
        return try unsafe stated.payload.withUnsafeBytes { stating in
            try unsafe present.withUnsafeBytes { present in
                let (said, now) = try unsafe (RowPayload(trusting: stating), RowPayload(trusting: present))
                for slot in model.slots.indices where model.slots[slot] != nil {
                    guard stated.says(slot) else {
                        if assigned.contains(slot) { return false }
                        continue
                    }
                    let (said, now) = unsafe (said.slot(slot), now.slot(slot))
                    guard let said = unsafe said, let now = unsafe now else {
                        if unsafe (said == nil) != (now == nil) { return false }
                        continue
                    }
                    guard let toOne = model.referenceSlots.first(where: { $0.slot == slot }) else {
                        if unsafe !said.hasSameBytes(as: now) { return false }
                        continue
                    }
                    let target = try unsafe ReferenceBytes(said).target
                    // What the export has no more goes, and the to-one is empty then.
                    guard try unsafe target.hasSameBytes(as: ReferenceBytes(now).target),
                        try unsafe resolves(EntityKey(model: toOne.targetModel, id: target))
                    else { return false }
                }
                return true
            }
        }
    }

    /// What the export says of a row, slot by slot.
    func wanted(
        _ subject: Subject,
        _ stated: StatedRow,
        _ reference: EntityReference
    ) throws -> [WantedValue] {
        var wanted: [WantedValue] = []
        let assigned = intake.assignedSlots(of: subject.model.number)
        for (slot, compiled) in subject.model.slots.enumerated() {
            guard let compiled else { continue }
            var placement = subject.placements[slot]
            // What a row says of its partner itself counts.
            if placement?.isOfPair == true, stated.says(slot) { placement = nil }
            let isAssigned = assigned.contains(slot) && !(intake.isPartial && placement == nil)
            guard stated.says(slot) || isAssigned || placement != nil else { continue }
            let attribute = subject.model.attributesInOrder[compiled.place]
            let toOne = subject.model.referenceSlots.first { $0.slot == slot }
            // Of a row that is new only the to-ones can be otherwise than the export says.
            if subject.present == nil, toOne == nil { continue }
            var said = stated.says(slot) ? try stated.payload.rowSlot(slot) : nil
            if let placement { said = placement.owner.map { ReferencePlace.bytes(0, $0) } }
            var value = try WantedValue(slot, attribute.name, said, toOne, isKnown: isKnown)
            let description = subject.model.description.attributes[compiled.place]
            if description.isWidened { value.origin = description.origins.first }
            value.isUnlisted = !stated.says(slot) && placement == nil
            if let toOne, let target = try ReferencePlace(said)?.target {
                let entity = EntityKey(model: toOne.targetModel, id: target)
                if entity == subject.entity || value.leadsToKnown && !staysDeleted.contains(entity) {
                    let now = try ReferencePlace(subject.present?.rowSlot(slot))
                    let place = placement.flatMap { $0.orderKey == 0 ? nil : $0.orderKey }
                    let orderKey =
                        try place ?? (now?.target == target ? now?.orderKey : endKey(toOne, target))
                    value.bytes = ReferencePlace.bytes(orderKey ?? 0, target)
                    value.isPlaced = place != nil
                } else if compiled.isOptional {
                    value.bytes = nil
                    let wasSaid = try subject.base.map { try value.hash(of: $0) == value.hash } ?? false
                    let known = known.rows[subject.entity]
                    let wasKept = known?.lost[slot] == value.hash || known?.slots[slot] == value.hash
                    if !staysDeleted.contains(entity) || !wasSaid && !wasKept {
                        try observer.note(.missingTarget(reference, attribute.name))
                    }
                }
            }
            wanted.append(value)
        }
        return wanted
    }

    /// Whether others than the source have set a value that the last export left.
    func isOthers(
        _ value: WantedValue,
        _ now: [UInt8]?,
        _ subject: Subject,
        _ reference: EntityReference
    ) throws -> Bool {
        if !isRepeated { return !observer.isOwn(Position(subject.created)) }
        // No export has said anything of it so far.
        if now == nil || hasSpoken(of: value.slot, subject.model) { return false }
        return try observer.wasChanged(reference, value.name)
    }

    /// What was kept here while its type was narrower stays when the type becomes wider: a checksum does not.
    func saidNarrower(_ value: WantedValue, _ known: Deviations.Row?) -> UInt64? {
        value.origin.flatMap { known?.slots[$0] } == nil ? nil : value.hash
    }

    /// Whether a to-one is empty because what it led to was deleted here, and not because it was emptied.
    func isLost(_ value: WantedValue, wasLost: Bool, _ subject: Subject) throws -> Bool {
        if wasLost { return true }
        guard value.isReference, let base = subject.base,
            let toOne = subject.model.referenceSlots.first(where: { $0.slot == value.slot }),
            let target = try ReferencePlace(base.rowSlot(value.slot))?.target
        else { return false }
        return try workspace.row(EntityKey(model: toOne.targetModel, id: target)) == nil
    }

    /// The place at the end of the list on the other side of a to-one.
    private func endKey(_ toOne: ReferenceSlot, _ target: [UInt8]) throws -> UInt64? {
        guard toOne.partnerSlot == nil else { return 0 }
        return OrderKey.after(try workspace.lastOrderKey(of: ListKey(relation: toOne.relation.number, id: target)))
    }
}

/// What the export says of one value of a row.
struct WantedValue {
    let slot: Int
    let name: String
    /// What the row is to have.
    var bytes: [UInt8]?
    let isReference: Bool
    /// Whether it is a to-one that leads to what the export has, or the store.
    let leadsToKnown: Bool
    /// The checksum of what is said; of a to-one that leads to nothing, of nothing.
    let hash: UInt64
    /// Whether its place in a list is said.
    var isPlaced = false
    /// Whether it is said by lists, and none of them names the row.
    var isUnlisted = false
    /// The slot that the value had while its type was narrower.
    var origin: Int?

    init(
        _ slot: Int,
        _ name: String,
        _ bytes: [UInt8]?,
        _ toOne: ReferenceSlot?,
        isKnown: (EntityKey) throws -> Bool
    ) throws {
        (self.slot, self.name, self.bytes, isReference) = (slot, name, bytes, toOne != nil)
        guard let toOne else {
            hash = IntakeComparison.hash(bytes)
            leadsToKnown = false
            return
        }
        let target = try ReferencePlace(bytes)?.target
        leadsToKnown = try target.map { try isKnown(EntityKey(model: toOne.targetModel, id: $0)) } ?? false
        hash = IntakeComparison.hash(leadsToKnown ? target : nil)
    }

    /// The checksum of what a row has there.
    func hash(of row: [UInt8]) throws -> UInt64 {
        let bytes = try row.rowSlot(slot)
        return IntakeComparison.hash(isReference ? bytes.map { Array($0.dropFirst(8)) } : bytes)
    }

    /// Whether a row has it; the place of a to-one in a list makes no difference.
    func isSame(as other: [UInt8]?) -> Bool {
        isReference ? bytes.map { $0.dropFirst(8) } == other.map { $0.dropFirst(8) } : bytes == other
    }
}
