internal import RepriseLMDB

/// Which of several rows can be updated together. Nothing is changed.
struct JointUpdate {
    /// A row that can be updated only with others.
    private struct Waiting {
        let place: Int
        let need: Need
        let error: StoreError
    }

    /// What of others a row waits for.
    private enum Need {
        /// That a row gives up a unique value.
        case value([UInt8], holder: Int)
        /// That one that loses its partner, and must have one, gets another.
        case partner(of: PartnerPlace)
        /// That a row becomes smaller, so that it can point back.
        case room(in: Int)
    }

    /// What forbids each row.
    private(set) var refusals: [StoreError?]

    private let access: StateAccess
    private var places: [EntityKey: Int] = [:]
    /// Which row gives up which values of a unique index.
    private var givers: [[UInt8]: Int] = [:]
    /// The identifier of the row that asked for such values first, whatever became of it.
    private var takers: [[UInt8]: [UInt8]] = [:]
    private var matches = PartnerMatches()
    private var wishes: [(wish: PartnerWish, row: Int)] = []
    /// What references those that are updated have room for then.
    private var rooms: [Int: RowRoom] = [:]
    private var waiting: [Waiting] = []
    private let key = KeyCell()

    /// Who gets another partner, or none, by which row.
    var partners: [(wish: PartnerWish, row: Int)] {
        wishes.filter { refusals[$0.row] == nil }
    }

    init(_ rows: [RowValues], in access: StateAccess) throws {
        self.access = access
        refusals = Array(repeating: nil, count: rows.count)
        for (place, row) in rows.enumerated() {
            let model = try access.model(named: row.reference.model)
            let key = EntityKey(model: model.number, id: row.reference.id)
            guard places.updateValue(place, forKey: key) == nil else {
                throw StoreError(
                    .invalidValue,
                    "\(row.reference) is to be updated twice.",
                    advice: "Give each row once."
                )
            }
        }
        for (place, row) in rows.enumerated() {
            do {
                refusals[place] = try examine(row, at: place, among: rows)
            } catch let error as StoreError where Self.codes.contains(error.code) {
                refusals[place] = error
            }
        }
        try checkRooms()
        settle()
    }

    private static let codes: Set<StoreError.Code> = [
        .entityMissing, .invalidIdentifier, .invalidValue, .valueTooLarge, .targetMissing,
        .uniqueViolation,
    ]

    /// Looks at one row by itself, and notes what it gives up and what it wants of others.
    ///
    /// - Returns: what forbids it, whatever becomes of the others. What it wants counts all the same.
    /// - Throws: what forbids it where nobody can say what it wants: it is not there, or cannot be stored.
    private mutating func examine(
        _ row: RowValues,
        at place: Int,
        among rows: [RowValues]
    ) throws -> StoreError? {
        let model = try access.model(named: row.reference.model)
        let key = try unsafe self.key.row(model, row.reference.id)
        guard let old = try access.row(model, row.reference.id) else {
            throw StoreError.entityMissing(row.reference)
        }
        try access.encode(row.values, over: old, model, row.reference.id)
        let before = try unsafe RowPayload(trusting: old.payload)
        let after = try unsafe RowPayload(trusting: access.workspace.scratch.bytes)
        if !model.pairSlots.isEmpty { rooms[place] = RowRoom(after, model) }
        guard WriteSession.hasRoom(forUpdating: before, to: after) else {
            throw StoreError.updateTooLarge(row.reference)
        }
        var given: [[UInt8]] = []
        var wanted: [(index: CompiledIndex, claim: UniqueClaim)] = []
        for index in model.uniqueIndexes {
            let has = try UniqueClaim(index, before)
            let wants = try UniqueClaim(index, after)
            if has?.bytes == wants?.bytes { continue }
            if let has { given.append(has.bytes) }
            if let wants { wanted.append((index, wants)) }
        }
        let toOnes = try toOnes(model, row, from: before, to: after)
        var refusal = toOnes.missing
        for (index, claim) in wanted {
            let holder = try unsafe access.workspace.holder(
                of: claim,
                model,
                index,
                after,
                except: key
            )
            guard let holder else { continue }
            let error = access.workspace.violation(model, index, holder: holder)
            guard let other = places[EntityKey(model: model.number, id: holder)] else {
                refusal = refusal ?? error
                continue
            }
            waiting.append(
                Waiting(place: place, need: .value(claim.bytes, holder: other), error: error)
            )
        }
        for (index, claim) in wanted {
            if let first = takers[claim.bytes] {
                refusal = refusal ?? access.workspace.violation(model, index, holder: first)
            } else {
                takers[claim.bytes] = Array(row.reference.id.utf8)
            }
        }
        for wish in toOnes.kept + toOnes.changed {
            if let first = matches.add(wish, of: place) {
                let error = try decided(wish, of: row.reference, by: rows[first].reference)
                refusal = refusal ?? error
            }
        }
        for wish in toOnes.changed {
            wishes.append((wish, place))
            for loser in wish.losers {
                guard let error = try access.workspace.partnerNeeded(by: loser, wish) else {
                    continue
                }
                waiting.append(Waiting(place: place, need: .partner(of: loser), error: error))
            }
        }
        for claim in given { givers[claim] = place }
        return refusal
    }

    /// That a row which comes first decides about the partners of a wish, or another to-one of the row itself.
    private func decided(
        _ wish: PartnerWish,
        of row: EntityReference,
        by first: EntityReference
    ) throws -> StoreError {
        StoreError(
            .invalidValue,
            first == row
                ? "\(row) says two things of the same partner."
                : "\(first), which comes first, decides about the same partner.",
            advice: first == row ? "Decide for one." : "Update it by itself afterwards.",
            cause: .partnerDecided(
                attribute: try access.workspace.name(of: wish.place),
                by: first
            )
        )
    }

    /// What the to-ones of a row come to.
    private struct ToOnes {
        /// Those that it gets or loses.
        var changed: [PartnerWish] = []
        /// Those that it has and is given: that they stay so is wanted, too.
        var kept: [PartnerWish] = []
        /// That a target is not there.
        var missing: StoreError?
    }

    /// Looks at the to-ones of one row by itself.
    private func toOnes(
        _ model: CompiledModel,
        _ row: RowValues,
        from before: RowPayload,
        to after: RowPayload
    ) throws -> ToOnes {
        let entity = EntityKey(model: model.number, id: row.reference.id)
        var toOnes = ToOnes()
        for reference in model.referenceSlots {
            let old = try unsafe before.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            let new = try unsafe after.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            if old == new {
                guard let place = model.slots[reference.slot]?.place, row.values[place] != nil
                else { continue }
                // Nobody is left by it.
                let wish = try access.workspace.partnerWish(
                    entity,
                    reference,
                    leaving: nil,
                    for: new
                )
                if let wish { toOnes.kept.append(wish) }
                continue
            }
            if let new {
                let target = EntityKey(model: reference.targetModel, id: new)
                if try target != entity && !access.workspace.contains(target) {
                    let error = StoreError.targetMissing(
                        EntityReference(
                            model: try access.workspace.schema.model(reference.targetModel).name,
                            id: target.text
                        ),
                        from: row.reference
                    )
                    toOnes.missing = toOnes.missing ?? error
                }
            }
            let wish = try access.workspace.partnerWish(entity, reference, leaving: old, for: new)
            if let wish { toOnes.changed.append(wish) }
        }
        return toOnes
    }

    /// Refuses the rows whose partners are too large to point back, or become so (STO-15).
    private mutating func checkRooms() throws {
        var references = PartnerReferences()
        for (wish, row) in wishes where refusals[row] == nil {
            guard let partner = wish.partner else { continue }
            let wanted = references.add(partner, to: wish.place.entity)
            let place = places[partner.entity].flatMap { refusals[$0] == nil ? $0 : nil }
            if let place, let room = rooms[place], !room.holds(wanted) {
                refusals[row] = try access.workspace.noRoom(for: partner)
                continue
            }
            guard let room = try access.workspace.room(in: partner.entity), !room.holds(wanted)
            else { continue }
            let error = try access.workspace.noRoom(for: partner)
            if let place {
                waiting.append(Waiting(place: row, need: .room(in: place), error: error))
            } else {
                refusals[row] = error
            }
        }
    }

    /// The rows of which one has to be updated for a row that waits.
    private func helpers(_ need: Need) -> [Int] {
        switch need {
        case .value(let claim, let holder): givers[claim] == holder ? [holder] : []
        case .partner(let place): matches.rows(thatFill: place)
        case .room(let place): [place]
        }
    }

    /// Refuses the rows that wait for what another one keeps, and those that wait for them.
    private mutating func settle() {
        var dependents: [Int: [Int]] = [:]
        /// How many of those that help each one that waits are not refused.
        var helperCounts: [Int] = []
        var refused = refusals.indices.filter { refusals[$0] != nil }
        for (number, wish) in waiting.enumerated() {
            let helpers = helpers(wish.need)
            helperCounts.append(helpers.count)
            for helper in helpers { dependents[helper, default: []].append(number) }
            if helpers.isEmpty, refusals[wish.place] == nil {
                refusals[wish.place] = wish.error
                refused.append(wish.place)
            }
        }
        while let place = refused.popLast() {
            for number in dependents[place] ?? [] {
                helperCounts[number] -= 1
                let wish = waiting[number]
                if helperCounts[number] > 0 || refusals[wish.place] != nil { continue }
                refusals[wish.place] = wish.error
                refused.append(wish.place)
            }
        }
    }
}
