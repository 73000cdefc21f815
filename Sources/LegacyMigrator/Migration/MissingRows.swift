import ExportFormats
import LegacyRecords
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
}

extension MigrationPass {
    /// Whether at least one of the rows can go as things stand, or a circle of them can be broken.
    func canAnyGo(_ missing: RememberedRows, in state: borrowing ReadTransaction) throws -> Bool {
        let free = try free(missing, mayEmptyLists: true, in: state)
        let known = try MissingRows(free, in: memory)
        let closures = DeletionClosures(among: known, within: deletionBounds, in: memory)
        for index in 0..<free.count {
            let row = try free.row(at: index)
            let outlook = try known.outlook(
                of: row,
                within: deletionBounds,
                stopsWhereHeavy: false,
                in: state
            )
            switch outlook {
            case .alone: return true
            case .withOthers:
                if try closures.closure(of: row, mayBeDenied: false, in: state) != nil {
                    return true
                }
            // What is in its lists is taken out of them first.
            case .stays: return true
            case .heavy: continue
            }
        }
        return try !circles(among: free, in: state).isEmpty
    }

    /// Those of the rows that nothing keeps as things stand but each other. A row that stays keeps what it leads to,
    /// holds and lists, again and again, be it one that the export lacks, too.
    ///
    /// - Parameter mayEmptyLists: whether what the run takes out of their lists before keeps them neither.
    func free(
        _ missing: RememberedRows,
        mayEmptyLists: Bool = false,
        in state: borrowing ReadTransaction
    ) throws -> RememberedRows {
        let known = try MissingRows(missing, in: memory)
        return try settle(missing, known, in: state) { row, countMax in
            try isHeld(
                row,
                by: known,
                countMax: countMax,
                mayEmptyLists: mayEmptyLists,
                in: state
            )
        }
    }

    /// Those of the rows that can go when the records of the export that point to them point somewhere else.
    ///
    /// A row that stays may keep others, again and again. It is enough to look at first hand: what goes along and may
    /// not go is one of the rows itself, or stays.
    func leaving(
        _ missing: RememberedRows,
        in state: borrowing ReadTransaction
    ) throws -> RememberedRows {
        let known = try MissingRows(missing, in: memory)
        return try settle(missing, known, in: state) { row, countMax in
            // What stays as somebody else has set it points there still, whatever the records say.
            if try heldByKept.contains(row) { return false }
            return try isLetGo(row, by: known, countMax: countMax, state)
        }
    }

    /// As ``settle(_:_:isHeld:)``, without those that can only go after each other either.
    private func settle(
        _ rows: RememberedRows,
        _ known: MissingRows,
        in state: borrowing ReadTransaction,
        isHeld: (EntityReference, _ countMax: Int) throws -> Bool?
    ) throws -> RememberedRows {
        var left = try settle(rows, known, isHeld: isHeld)
        while try removeStuck(left, from: known, in: state) {
            left = try settle(left, known, isHeld: isHeld)
        }
        return left
    }

    /// Takes rows out of those that are known until each of the others is held by nothing but them. Returns these, in
    /// the same order.
    ///
    /// - Parameter isHeld: whether nothing holds a row but those that are known; nil where there is more than so much
    ///   that holds it.
    /// - Complexity: as ``RecordMemory/settle(_:lookCountMax:_:)``.
    func settle(
        _ rows: RememberedRows,
        _ known: MissingRows,
        isHeld: (EntityReference, _ countMax: Int) throws -> Bool?
    ) throws -> RememberedRows {
        // Rows that very many lead to are looked through when all others are settled.
        let heavy = RememberedRows(in: memory)
        let isHeavy = RememberedKeys(in: memory)
        var hasChanged = true
        while hasChanged {
            try memory.settle(rows.count, lookCountMax: .max / 2) { index in
                let row = try rows.row(at: index)
                guard try known.contains(row) else { return true }
                if try isHeavy.contains(row) { return false }
                switch try isHeld(row, deletionBounds.severedCountMax) {
                case true?: return false
                case false?:
                    try known.remove(row)
                    return true
                case nil:
                    try isHeavy.insert(row)
                    try heavy.append(row)
                    return false
                }
            }
            hasChanged = false
            for index in 0..<heavy.count {
                let row = try heavy.row(at: index)
                guard try known.contains(row), try isHeld(row, .max) == false else { continue }
                try known.remove(row)
                hasChanged = true
            }
        }
        let left = RememberedRows(in: memory)
        for index in 0..<rows.count {
            let row = try rows.row(at: index)
            if try known.contains(row) { try left.append(row) }
        }
        return left
    }

    /// Whether all that holds a row goes itself, or has a record of the export that says where it points; nil where
    /// there is more than `countMax` of that.
    private func isLetGo(
        _ row: EntityReference,
        by known: MissingRows,
        countMax: Int,
        _ state: borrowing ReadTransaction
    ) throws -> Bool? {
        var isLetGo = true
        var count = 0
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            count += 1
            switch consequence {
            case .deletes(let other):
                isLetGo =
                    try known.contains(other) || isGiven(other) { $0.target == row.model }
                    || isTakenOut(other, nil, ofListsOf: row, in: state)
            case .isDenied(let denial):
                let partner = denial.partner
                isLetGo =
                    try known.contains(partner) || isGiven(partner) { $0.target == row.model }
                    || isTakenOut(partner, nil, ofListsOf: row, in: state)
            case .nullifies(let reference):
                let entity = reference.entity
                isLetGo =
                    try known.contains(entity)
                    || isGiven(entity) { $0.name == reference.attribute }
                    || isTakenOut(entity, reference.attribute, ofListsOf: row, in: state)
            case .unlinks(let entry):
                let owner = entry.owner
                isLetGo =
                    try known.contains(owner)
                    || hasSeen(owner.model, owner.id)
                        && shape.classes[owner.model]?.lists[entry.relationship] != nil
                        && isOurs(Position(rawValue: entry.entry.serial))
            case .dropsEntry:
                // Nothing else comes after these.
                count -= 1
                return false
            }
            return isLetGo && count <= countMax
        }
        if !isLetGo { return false }
        return count > countMax ? nil : true
    }

    /// Whether the export has a record of a row, with such a to-one.
    private func isGiven(
        _ row: EntityReference,
        _ isIt: (ClassShape.ToOne) -> Bool
    ) throws -> Bool {
        guard try hasSeen(row.model, row.id), let shape = shape.classes[row.model] else {
            return false
        }
        return shape.toOnes.contains(where: isIt)
    }
}
