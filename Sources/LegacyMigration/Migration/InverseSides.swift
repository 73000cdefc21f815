import Reprise

/// Who is in whose list, as a sum for each member: enough to see whether the other side of a relationship says the
/// same, in eight bytes for each entity.
struct InverseSides {
    private struct Side: Hashable {
        let model: String
        let inverse: String
    }

    private var sums: [Side: [UInt64: UInt64]] = [:]
    private var owners: [Side: String] = [:]

    /// Notes the members of one list.
    mutating func note(
        owner: EntityReference,
        members: [String],
        of model: String,
        _ inverse: String
    ) {
        let number = Self.number(owner.id)
        let side = Side(model: model, inverse: inverse)
        owners[side] = owner.model
        // A member that is there twice is in the list once, seen from its side.
        for member in Set(members.map(ListMember.init)) {
            sums[side, default: [:]][Self.number(member.text), default: 0] &+= number
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
    func agrees(_ member: String, _ owners: [String], of model: String, _ inverse: String) -> Bool {
        var sum: UInt64 = 0
        for owner in Set(owners.map(ListMember.init)) { sum &+= Self.number(owner.text) }
        return sums[Side(model: model, inverse: inverse)]?[Self.number(member)] ?? 0 == sum
    }

    /// A number for an identifier: eight bytes of its SHA-256.
    private static func number(_ id: String) -> UInt64 { ContentKey([id]).number }
}
