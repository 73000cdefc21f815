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

    private var orders: [Key: WantedOrders] = [:]

    /// Notes the place of a row in the lists that it is in.
    ///
    /// - Parameter inAnyOrder: whether the store may have another order because it had rows before. In an empty one it
    ///   can only where a row names what comes later.
    mutating func place(_ row: MigrationPass.Row, inAnyOrder: Bool) {
        for toOne in row.shape.toOnes where inAnyOrder || toOne.mayComeLater {
            guard let list = toOne.inverse else { continue }
            guard case .reference(let owner)? = row.values[toOne.place] else { continue }
            let key = Key(
                member: row.shape.model,
                toOne: toOne.name,
                owner: toOne.target,
                list: list
            )
            orders[key, default: WantedOrders()].append(row.id, to: owner)
        }
    }

    /// All lists of each sort, in an order that the export alone determines.
    func grouped() -> [(key: Key, lists: WantedLists)] {
        orders.sorted { ($0.key.owner, $0.key.list) < ($1.key.owner, $1.key.list) }
            .map { ($0.key, $0.value.grouped()) }
    }

    /// The lists of one sort.
    func grouped(_ key: Key) -> WantedLists {
        orders[key, default: WantedOrders()].grouped()
    }
}
