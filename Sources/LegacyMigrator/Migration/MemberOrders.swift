import ExportFormats
import LegacyRecords
import Reprise

/// The order in which an export has the members of lists that are the other side of a to-one: that of its records.
struct MemberOrders {
    /// One such list.
    struct Key: Hashable {
        /// The model of the members, and their to-one.
        let member: String
        let toOne: String
        /// The model of the owners, and their list.
        let owner: String
        let list: String

        /// The list as the shape of its owner has it.
        var toMany: ClassShape.ToMany {
            ClassShape.ToMany(name: list, target: member, inverse: nil, memberToOne: toOne)
        }
    }

    private let memory: RecordMemory
    private var orders: [Key: WantedOrders] = [:]

    init(in memory: RecordMemory) {
        self.memory = memory
    }

    /// Notes the place of a row in the lists that it is in.
    mutating func place(_ row: MigrationPass.Row) throws(LegacyError) {
        for toOne in row.shape.toOnes {
            guard let list = toOne.inverse, case .reference(let owner)? = row.values[toOne.place]
            else { continue }
            let key = Key(
                member: row.shape.model,
                toOne: toOne.name,
                owner: toOne.target,
                list: list
            )
            let wanted = orders[key] ?? WantedOrders(in: memory)
            orders[key] = wanted
            try wanted.append(row.id, to: owner)
        }
    }

    /// All lists of each sort, in an order that the export alone determines.
    func grouped() throws(LegacyError) -> [(key: Key, lists: WantedLists)] {
        let sorted = orders.sorted { ($0.key.owner, $0.key.list) < ($1.key.owner, $1.key.list) }
        var found: [(key: Key, lists: WantedLists)] = []
        for (key, wanted) in sorted { found.append((key, try wanted.grouped())) }
        return found
    }
}
