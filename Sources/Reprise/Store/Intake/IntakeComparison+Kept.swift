internal import RepriseLMDB
internal import RepriseLog

/// What an export does not speak of: that it was changed here must still be known when a later one does.
extension IntakeComparison {
    /// Notes what was changed here in a row, but for what is compared.
    ///
    /// - Parameter compared: the slots of which the export says something.
    func carry(_ subject: Subject, but compared: Set<Int>) throws {
        let known = known.rows[subject.entity]
        if let known {
            for (slot, noted) in known.slots where !compared.contains(slot) {
                // The value was set back to that.
                if let present = subject.present, try hash(of: present, slot, subject.model) == noted { continue }
                deviations.rows[subject.entity, default: .init()].slots[slot] = noted
            }
            for (slot, hash) in known.lost where !compared.contains(slot) {
                deviations.rows[subject.entity, default: .init()].lost[slot] = hash
            }
        }
        if let base = subject.base, let present = subject.present {
            for change in try DeltaComposer.differences(base, present)
            where !compared.contains(change.slot) && !Self.isPlaceOnly(change, subject.model)
                && known?.slots[change.slot] == nil && known?.lost[change.slot] == nil
            {
                guard hasSpoken(of: change.slot, subject.model) else { continue }
                let said = try hash(of: base, change.slot, subject.model)
                deviations.rows[subject.entity, default: .init()].slots[change.slot] = said
            }
        }
    }

    /// Notes what the last export said of lists that were changed here and that this one does not give.
    ///
    /// - Parameters:
    ///   - bound: the list up to which that is done; nil for all.
    ///   - noted: the lists of which something is noted, from which those are taken.
    func carryLists(
        before bound: ListKey?,
        _ noted: inout ArraySlice<ListKey>,
        _ changes: inout ChangedPlaces
    ) throws {
        guard isRepeated else { return }
        while true {
            let changed = try changes.next(before: bound)
            while let list = noted.first, (changed?.list ?? bound).map({ list.precedes($0) }) ?? true {
                noted.removeFirst()
                try carry(list, [])
            }
            guard let changed else { return }
            if noted.first == changed.list { noted.removeFirst() }
            try carry(changed.list, changed.changes)
        }
    }

    private func carry(_ list: ListKey, _ changes: [PlaceChange]) throws {
        let end = try end(of: list.relation)
        let owner = EntityKey(model: end.own.model, id: list.id)
        guard try workspace.row(owner) != nil else { return }
        if case .reference(let slot) = end.relation.kind {
            let members = try schema.model(end.other.model)
            guard let toOne = members.attribute(slot: Int(slot)) else { return }
            // The export gives the to-one, so a list that none of its rows names is empty.
            if !intake.isPartial, observer.gives(toOne.name, of: members.name) { return }
        }
        if let said = known.lists[list] {
            deviations.lists[list] = said
            return
        }
        guard try hasSpoken(of: end) else { return }
        let present = try workspace.entries(of: list)
        let said = withKept(Self.before(changes, present), StatedList(key: list), end)
        if said != present.map(\.target) { deviations.lists[list] = said }
    }

    /// Whether an export before this one has said something of a slot, be it by the list on the other side.
    func hasSpoken(of slot: Int, _ model: CompiledModel) -> Bool {
        guard let attribute = model.attribute(slot: slot) else { return false }
        if observer.hasSpoken(of: attribute.name, model.name) { return true }
        guard let toOne = model.referenceSlots.first(where: { $0.slot == slot }) else { return false }
        return hasSpokenOfOther(RelationEnd(relation: toOne.relation, side: toOne.side))
    }

    private func hasSpoken(of end: RelationEnd) throws -> Bool {
        let name = end.displayName(in: schema.description)
        return try observer.hasSpoken(of: name, schema.model(end.own.model).name) || hasSpokenOfOther(end)
    }

    private func hasSpokenOfOther(_ end: RelationEnd) -> Bool {
        let other = RelationEnd(relation: end.relation, side: end.side == .source ? .target : .source)
        guard let name = other.own.name, let model = try? schema.model(other.own.model).name else { return false }
        return observer.hasSpoken(of: name, model)
    }

    /// The checksum of what a row has in a slot.
    func hash(of row: [UInt8], _ slot: Int, _ model: CompiledModel) throws -> UInt64 {
        let bytes = try row.rowSlot(slot)
        let isReference = model.referenceSlots.contains { $0.slot == slot }
        return Self.hash(isReference ? bytes.map { Array($0.dropFirst(8)) } : bytes)
    }
}
