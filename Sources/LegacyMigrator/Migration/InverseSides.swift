import ExportFormats
import LegacyRecords
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
    /// The owners whose lists have been noted.
    private let noted: RememberedKeys

    init(_ memory: RecordMemory) {
        self.memory = memory
        noted = RememberedKeys(in: memory)
    }

    /// Notes the members of one list.
    mutating func note(
        owner: EntityReference,
        members: RememberedIdentifiers,
        of model: String,
        _ inverse: String
    ) throws(LegacyError) {
        let number = Self.number(owner.id)
        let side = Side(model: model, inverse: inverse)
        owners[side] = owner.model
        try noted.insert(owner.id, of: Self.name(of: owner, model, inverse))
        let sums = sums[side] ?? RememberedMap(in: memory)
        self.sums[side] = sums
        // A member that is there twice is in the list once, seen from its side.
        let known = RememberedSet<UInt64>(in: memory)
        for place in 0..<members.count {
            let key = Self.number(try members.key(at: place).text)
            guard try known.insert(key) else { continue }
            let sum = try Self.sum(of: key, sums)
            try sums.updateValue(.number(sum &+ number), of: key)
        }
    }

    /// Whether a list of an owner has been noted, by the model of its members and the name of its other side.
    func hasNoted(
        _ owner: EntityReference,
        of model: String,
        _ inverse: String
    ) throws(LegacyError) -> Bool {
        try noted.contains(owner.id, of: Self.name(of: owner, model, inverse))
    }

    private static func name(of owner: EntityReference, _ model: String, _ inverse: String) -> String {
        "\(owner.model) \(model).\(inverse)"
    }

    /// The relationships of a model that have been noted.
    func inverses(of model: String) -> [String] {
        sums.keys.filter { $0.model == model }.map(\.inverse).sorted()
    }

    /// The model of the owners of a relationship's other side.
    func owner(of inverse: String, _ model: String) -> String {
        owners[Side(model: model, inverse: inverse)] ?? ""
    }

    /// The share of an owner in the sum of what a member knows.
    static func share(of owner: String) -> UInt64 { number(owner) }

    /// Whether a member knows just the owners that have been noted, by the sum of their shares.
    func agrees(
        _ member: String,
        _ sum: UInt64,
        of model: String,
        _ inverse: String
    ) throws(LegacyError) -> Bool {
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
