import Reprise

/// Who is in whose list, as a sum for each member: enough to see whether the other side of a relationship says the
/// same, in sixteen bytes for each entity and a hash table's slack; beyond a ``RecordMemory`` on disk.
struct InverseSides {
    private struct Side: Hashable {
        let model: String
        let inverse: String
    }

    private let memory: RecordMemory
    private var sums: [Side: RememberedMap<UInt64>] = [:]
    private var owners: [Side: String] = [:]

    init(_ memory: RecordMemory) {
        self.memory = memory
    }

    /// Notes the members of one list.
    mutating func note(
        owner: EntityReference,
        members: [String],
        of model: String,
        _ inverse: String
    ) throws(LegacyError) {
        let number = Self.number(owner.id)
        let side = Side(model: model, inverse: inverse)
        owners[side] = owner.model
        // A member that is there twice is in the list once, seen from its side.
        let sums = sums[side] ?? RememberedMap(in: memory)
        self.sums[side] = sums
        for member in Set(members.map(ListMember.init)) {
            let key = Self.number(member.text)
            let sum = try Self.sum(of: key, sums)
            try sums.updateValue(.number(sum &+ number), of: key)
        }
    }

    /// The relationships of a model that have been noted.
    func inverses(of model: String) -> [String] {
        sums.keys.filter { $0.model == model }.map(\.inverse).sorted()
    }

    /// The model of the owners of a relationship's other side.
    func owner(of inverse: String, _ model: String) -> String {
        owners[Side(model: model, inverse: inverse)] ?? ""
    }

    /// Whether a member knows just the owners that have been noted.
    func agrees(
        _ member: String,
        _ owners: [String],
        of model: String,
        _ inverse: String
    ) throws(LegacyError) -> Bool {
        var sum: UInt64 = 0
        for owner in Set(owners.map(ListMember.init)) { sum &+= Self.number(owner.text) }
        guard let sums = sums[Side(model: model, inverse: inverse)] else { return sum == 0 }
        return try Self.sum(of: Self.number(member), sums) == sum
    }

    private static func sum(
        of member: UInt64,
        _ sums: RememberedMap<UInt64>
    ) throws(LegacyError) -> UInt64 {
        if case .number(let sum)? = try sums.value(of: member) { sum } else { 0 }
    }

    /// A number for an identifier: eight bytes of its SHA-256.
    private static func number(_ id: String) -> UInt64 { ContentKey([id]).number }
}
