import LegacyRecords
import Reprise

/// Compares records of an export with rows of a store, by the names of the schema.
final class RecordComparison {
    private let pass: MigrationPass
    private let store: Store
    private let schema: SchemaDescription
    private var shaper: SourceShape.Shaper
    private var report: DifferenceReport
    private var records: [ShapedRecord] = []
    private var weight = 0
    private var lists: [LegacyList] = []
    private var orders: MemberOrders
    private var sides: InverseSides
    /// The lists that the export gives, by their owners.
    private let given: RememberedKeys
    /// To-ones that are empty where the export names a record that has not come yet.
    private var unresolved: [Unresolved] = []

    private struct Unresolved {
        let row: EntityReference
        let name: String
        let target: EntityReference
    }

    /// Enough to make the opening of a read cheap, few enough to keep it short.
    private static let weightPerRead = 512

    init(_ pass: MigrationPass, in store: Store, differenceCountMax: Int) throws {
        self.pass = pass
        sides = InverseSides(pass.memory)
        orders = MemberOrders(in: pass.memory)
        given = RememberedKeys(in: pass.memory)
        self.store = store
        shaper = pass.shape.shaper()
        schema = try store.schema
        report = DifferenceReport(pass, differenceCountMax: differenceCountMax)
    }

    func consume(_ record: LegacyRecord) throws {
        guard let record = shaper.shaped(record) else { return }
        records.append(record)
        weight += record.weightWithLists
        if weight >= Self.weightPerRead { try compare() }
    }

    func consume(_ list: LegacyList) throws {
        if !records.isEmpty { try compare() }
        lists.append(list)
        weight += 1 + list.members.weight
        if weight >= Self.weightPerRead { try compare() }
    }

    /// Compares what is left, the orders, and what the export lacks.
    func finish() throws -> MigrationVerification {
        try compare()
        try compareUnresolved()
        try compareMembers()
        try compareRest()
        return report.verification
    }

    // MARK: Records

    private func compare() throws {
        try store.read { state in
            for record in records { try compare(record, in: state) }
            for list in lists {
                guard let shape = pass.shape.classes[list.className],
                    let toMany = shape.lists[list.name]
                else { continue }
                try compare(list.members, toMany, of: list.key, shape, in: state)
            }
        }
        records.removeAll(keepingCapacity: true)
        weight = 0
        lists.removeAll(keepingCapacity: true)
    }

    private func compare(_ record: ShapedRecord, in state: borrowing ReadTransaction) throws {
        guard let wanted = try pass.row(record, in: state) else { return }
        let model = wanted.shape.model
        report.verification.recordCounts[model, default: 0] += 1
        guard let row = try state.record(model: model, id: wanted.id, lists: false) else {
            if try isRefused(wanted, pass.newValues(wanted).values, in: state) {
                // One that the store cannot hold is as good as none for those that name it.
                return try pass.forgetSeen(wanted)
            }
            try orders.place(wanted)
            report.add(
                .missing,
                wanted.reference,
                nil,
                "The store has no \(model) \(LibraryReport.quoted(wanted.id)).",
                isChangedHere: try pass.wasDeletedHere(wanted.reference, in: state)
            )
            return
        }
        // The row's values stand in the order of the attributes; those that are nil are missing.
        var next = 0
        var found = [Value](repeating: .null, count: wanted.shape.attributes.count)
        for (place, attribute) in wanted.shape.attributes.enumerated()
        where next < row.values.count && row.values[next].name == attribute.name {
            found[place] = row.values[next].value
            next += 1
        }
        let differs = zip(wanted.values, found).contains { wanted, found in
            wanted.map { $0 != found } ?? false
        }
        if differs, try isRefused(wanted, wanted.values, in: state) {
            // It is as it was, and its lists with it.
            var kept = wanted
            for toOne in wanted.shape.toOnes { kept.values[toOne.place] = found[toOne.place] }
            try orders.place(kept)
            for list in record.lists {
                try given.insert(wanted.id, of: model + "." + list.list.name)
            }
            return
        }
        try orders.place(wanted)
        for (place, attribute) in wanted.shape.attributes.enumerated() {
            guard let value = wanted.values[place] else { continue }
            try compare(value, found[place], attribute, place, wanted, row, in: state)
        }
        for given in record.lists {
            try compare(given.members, given.list, of: record.key, wanted.shape, in: state)
        }
    }

    /// Whether the store can hold nothing of a record, whatever other rows have: it is said why, as a migration does.
    private func isRefused(
        _ row: MigrationPass.Row,
        _ values: [Value?],
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard let error = try state.refusal(of: row.reference, inOrder: values), error.code != .uniqueViolation
        else { return false }
        pass.warn(
            .refusedRecord,
            "The \(row.shape.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
        return true
    }

    private func compare(
        _ wanted: Value,
        _ found: Value,
        _ attribute: AttributeDescription,
        _ place: Int,
        _ row: MigrationPass.Row,
        _ record: Record,
        in state: borrowing ReadTransaction
    ) throws {
        report.verification.valueCount += 1
        guard wanted != found else { return }
        if case .reference(let target) = wanted, found.isNull,
            let toOne = row.shape.toOnes.first(where: { $0.place == place }),
            try !pass.hasSeen(toOne.target, target)
        {
            let target = EntityReference(model: toOne.target, id: target)
            unresolved.append(Unresolved(row: row.reference, name: toOne.name, target: target))
            return
        }
        try report.addValue(
            attribute.name,
            found: found,
            wanted: wanted,
            record,
            in: state
        )
    }

    /// Now that all records have come: a to-one may be empty only where its target never came.
    private func compareUnresolved() throws {
        for missing in unresolved {
            let target = missing.target
            if try store.read({ try pass.resolves(target.model, target.id, in: $0) }) {
                let message =
                    "The \(missing.name) of \(missing.row.model) \(LibraryReport.quoted(missing.row.id)) is empty"
                    + " where the export has \(LibraryReport.quoted(target.id))."
                report.add(.differentValue, missing.row, missing.name, message)
            } else {
                pass.warnOfMissing(missing.name, of: missing.row)
            }
        }
    }

    // MARK: Lists

    private func compare(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of key: String,
        _ shape: ClassShape,
        in state: borrowing ReadTransaction
    ) throws {
        let id = try pass.storedIdentifier(shape.model, key, in: state)
        let owner = EntityReference(model: shape.model, id: id)
        try given.insert(id, of: shape.model + "." + list.name)
        if try state.revision(of: owner) == nil, try !pass.hasSeen(owner.model, id) {
            return pass.warnOfMissingOwner(of: list.name, owner)
        }
        let wanted = RememberedIdentifiers(in: pass.memory)
        let kept = try pass.lastOccurrences(members, in: list)
        for (place, member) in members.enumerated() where kept?[place] != false {
            let target = try pass.storedIdentifier(list.target, member, in: state)
            if try pass.resolves(list.target, target, in: state) {
                try wanted.append(RecordKey(target))
            } else {
                pass.warn(
                    .missingTarget,
                    "The \(list.name) of \(owner.model) \(LibraryReport.quoted(id)) name what the export does not"
                        + " have."
                )
            }
        }
        try compare(wanted, list, of: owner, in: state)
    }

    private func compare(
        _ wanted: RememberedIdentifiers,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        report.verification.entryCount += wanted.count
        let comparison = try ListComparison(wanted, list.name, of: owner, in: state)
        // Entries that a damaged file has lost may stand between those that it has.
        let isSame = pass.isPartial ? comparison.hasAllInOrder : comparison.isSame
        if !isSame { try report.addList(list, comparison, owner, wanted, in: state) }
        guard let inverse = list.inverse, !pass.isPartial else { return }
        // Whatever is in it, its members must know.
        let members = isSame ? wanted : RememberedIdentifiers(in: pass.memory)
        if !isSame {
            try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
                try members.append(RecordKey(entry.target))
                return true
            }
        }
        try sides.note(owner: owner, members: members, of: list.target, inverse)
    }

    /// The lists that are the other side of a to-one of records.
    private func compareMembers() throws {
        for (key, lists) in try orders.grouped() {
            try store.read { state in
                for index in 0..<lists.count {
                    let owner = EntityReference(model: key.owner, id: try lists.owner(at: index))
                    try given.insert(owner.id, of: key.owner + "." + key.list)
                    guard try pass.hasSeen(key.owner, owner.id) else { continue }
                    let wanted = try lists.identifiers(at: index, in: pass.memory)
                    try compare(wanted, key.toMany, of: owner, in: state)
                }
            }
        }
    }

    /// Each row of the source once more: whether the export has it, whether its lists are empty where the export
    /// gives none, and whether it knows of the lists that it is in.
    private func compareRest() throws {
        if pass.isPartial { return }
        try store.read { state in
            for model in pass.shape.models {
                guard let shape = pass.shape.classes[model] else { continue }
                let lists = writableLists(of: shape)
                let inverses = sides.inverses(of: model)
                try state.forEachRecord(RecordQuery(model: model), lists: false) { row in
                    let reference = EntityReference(model: model, id: row.id)
                    if try !pass.hasSeen(model, row.id) {
                        if pass.isOurs(row.created) {
                            try report.addSurplus(reference, in: state)
                        }
                        return true
                    }
                    for list in lists
                    where try !given.contains(row.id, of: model + "." + list.name) {
                        let none = RememberedIdentifiers(in: pass.memory)
                        let comparison = try ListComparison(
                            none,
                            list.name,
                            of: reference,
                            in: state
                        )
                        if comparison.isSame { continue }
                        try report.addList(list, comparison, reference, none, in: state)
                    }
                    for inverse in inverses {
                        let sum = try sumOfOwners(inverse, of: reference, in: state)
                        guard try !sides.agrees(row.id, sum, of: model, inverse) else { continue }
                        try report.addOneSided(inverse, reference, in: state)
                    }
                    return true
                }
            }
        }
    }

    /// The sum of the shares of those that have a row in their lists, each once, as the row itself says.
    private func sumOfOwners(
        _ inverse: String,
        of row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> UInt64 {
        let model = sides.owner(of: inverse, row.model)
        var sum: UInt64 = 0
        var last: String?
        try state.forEachEntry(of: inverse, model: row.model, id: row.id) { entry in
            // Those of one owner come one after the other.
            if last?.utf8.elementsEqual(entry.target.utf8) == true { return true }
            last = entry.target
            // Whose lists the export does not have is not its concern.
            let owner = EntityReference(model: model, id: entry.target)
            if try sides.hasNoted(owner, of: row.model, inverse) {
                sum &+= InverseSides.share(of: entry.target)
            }
            return true
        }
        return sum
    }

    /// The lists whose entries the export determines: its own, and those that its to-ones are the other side of.
    private func writableLists(of shape: ClassShape) -> [ClassShape.ToMany] {
        var lists = shape.lists
        for other in pass.shape.classes.values {
            for toOne in other.toOnes where toOne.target == shape.model {
                guard let name = toOne.inverse, lists[name] == nil else { continue }
                lists[name] = ClassShape.ToMany(
                    name: name,
                    target: other.model,
                    inverse: nil,
                    memberToOne: toOne.name
                )
            }
        }
        return lists.values.sorted { $0.name < $1.name }
    }
}
