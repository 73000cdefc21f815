import Reprise

/// Rows that an earlier export had and this one lacks.
struct MissingRows {
    private let rows: RememberedKeys

    /// None.
    init(in memory: RecordMemory) {
        rows = RememberedKeys(in: memory)
    }

    init(_ rows: RememberedRows, in memory: RecordMemory) throws(LegacyError) {
        self.init(in: memory)
        for index in 0..<rows.count {
            try self.rows.insert(try rows.row(at: index))
        }
    }

    func contains(_ row: EntityReference) throws(LegacyError) -> Bool {
        try rows.contains(row)
    }

    func remove(_ row: EntityReference) throws(LegacyError) {
        try rows.remove(row)
    }

    /// Whether nothing else goes, and nothing else loses what it points to or what is in its lists. Entries that the
    /// source had made are gone by now from the lists that the export still gives.
    func containAll(of plan: DeletionPlan) throws -> Bool {
        try plan.deleted.allSatisfy { try contains($0) }
            && plan.nullified.allSatisfy { try contains($0.entity) }
            && plan.unlinked.allSatisfy { try contains($0.owner) }
    }

    /// Whether a row can go as things stand.
    func isFree(_ plan: DeletionPlan) throws -> Bool {
        try !plan.isDenied && containAll(of: plan)
    }
}

extension MigrationPass {
    /// Whether at least one of the rows can go as things stand, or a circle of them can be broken.
    func canAnyGo(_ missing: RememberedRows, in state: borrowing ReadTransaction) throws -> Bool {
        let known = try MissingRows(missing, in: memory)
        for index in 0..<missing.count {
            if try known.isFree(state.plan(delete: missing.row(at: index))) { return true }
        }
        return try !circles(among: missing, in: state).isEmpty
    }

    /// Those of the rows that can go when the records of the export that point to them point somewhere else.
    func leaving(
        _ missing: RememberedRows,
        in state: borrowing ReadTransaction
    ) throws -> RememberedRows {
        var left = missing
        // A row that stays may keep others, again and again.
        while true {
            let known = try MissingRows(left, in: memory)
            let free = RememberedRows(in: memory)
            for index in 0..<left.count {
                let row = try left.row(at: index)
                if try letGo(state.plan(delete: row), by: known) { try free.append(row) }
            }
            if free.count == left.count { return left }
            left = free
        }
    }

    /// Whether all that holds a row goes itself, or has a record of the export that says where it points.
    private func letGo(_ plan: DeletionPlan, by known: MissingRows) throws -> Bool {
        let models = Set(plan.deleted.map(\.model))
        func isGiven(_ holder: EntityReference, _ isIt: (ClassShape.ToOne) -> Bool) throws -> Bool {
            guard try hasSeen(holder.model, holder.id), let shape = shape.classes[holder.model]
            else {
                return false
            }
            return shape.toOnes.contains(where: isIt)
        }
        return try plan.deleted.allSatisfy { row in
            try known.contains(row) || isGiven(row) { models.contains($0.target) }
        }
            && plan.deniedBy.allSatisfy { denial in
                try known.contains(denial.partner)
                    || isGiven(denial.partner) { $0.target == denial.entity.model }
            }
            && plan.nullified.allSatisfy { reference in
                try known.contains(reference.entity)
                    || isGiven(reference.entity) { $0.name == reference.attribute }
            }
            && plan.unlinked.allSatisfy { entry in
                try known.contains(entry.owner)
                    || hasSeen(entry.owner.model, entry.owner.id)
                        && shape.classes[entry.owner.model]?.lists[entry.relationship] != nil
                        && isOurs(Position(rawValue: entry.entry.serial))
            }
    }

    /// Rows that nothing but each other keeps, through to-ones of which enough may be empty.
    func circles<State: StateReading & ~Copyable>(
        among rows: RememberedRows,
        in state: borrowing State
    ) throws -> RememberedRows {
        var rows = rows
        while !rows.isEmpty {
            let count = rows.count
            let known = try MissingRows(rows, in: memory)
            let held = RememberedRows(in: memory)
            // The rows that each of them can only go after, one after the other, and where its own end.
            let holders = RememberedRows(in: memory)
            let ends = RememberedIdentifiers(in: memory)
            for index in 0..<count {
                let row = try rows.row(at: index)
                let plan = try state.plan(delete: row)
                guard try known.containAll(of: plan),
                    try plan.deniedBy.allSatisfy({ try known.contains($0.partner) })
                else { continue }
                try held.append(row)
                for denial in plan.deniedBy where try isLasting(denial, in: state) {
                    try holders.append(denial.partner)
                }
                try ends.append(.number(UInt64(holders.count)))
            }
            // Where a to-one may not be empty its row has to go first.
            let stuck = try MissingRows(held, in: memory)
            try memory.settle(held.count) { index in
                let start = index == 0 ? 0 : try ends.number(at: index - 1)
                for holder in try start..<ends.number(at: index)
                where try stuck.contains(holders.row(at: holder)) { return false }
                try stuck.remove(held.row(at: index))
                return true
            }
            rows = RememberedRows(in: memory)
            for index in 0..<held.count {
                let row = try held.row(at: index)
                if try !stuck.contains(row) { try rows.append(row) }
            }
            if rows.count == count { return rows }
        }
        return rows
    }

    /// Whether what forbids a deletion can only be taken away by deleting the row that it comes from.
    private func isLasting<State: StateReading & ~Copyable>(
        _ denial: DeletionPlan.Denial,
        in state: borrowing State
    ) throws -> Bool {
        let partner = denial.partner
        let toOnes = try referring(partner, to: denial.entity, in: state)
        return toOnes.isEmpty || toOnes.contains { !$0.isOptional }
    }

    /// The to-ones of a row that lead to another one.
    private func referring<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        to target: EntityReference,
        in state: borrowing State
    ) throws -> [AttributeDescription] {
        guard let shape = shape.classes[row.model],
            let record = try state.record(model: row.model, id: row.id, lists: false)
        else { return [] }
        return shape.toOnes.lazy
            .filter { $0.target == target.model && record[$0.name] == .reference(target.id) }
            .map { shape.attributes[$0.place] }
    }

    /// The to-ones of a row that lead to others of a circle and may be empty, with nothing in them.
    func openings<State: StateReading & ~Copyable>(
        of row: EntityReference,
        into circle: MissingRows,
        in state: borrowing State
    ) throws -> [String: Value] {
        guard let shape = shape.classes[row.model],
            let record = try state.record(model: row.model, id: row.id, lists: false)
        else { return [:] }
        var values: [String: Value] = [:]
        for toOne in shape.toOnes where shape.attributes[toOne.place].isOptional {
            guard case .reference(let id) = record[toOne.name],
                try circle.contains(EntityReference(model: toOne.target, id: id))
            else { continue }
            values[toOne.name] = .null
        }
        return values
    }
}
