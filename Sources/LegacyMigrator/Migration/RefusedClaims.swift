import Reprise

/// What must be unique and was wanted by rows that wait and were refused, in one turn in which all of them are tried.
///
/// Whoever comes after them does not get it in the same turn, though it may have been let go of meanwhile: in a run
/// that takes up this one after that, it is free when the turn begins, and the first gets it.
struct RefusedClaims {
    private struct Kind: Hashable {
        let model: String
        let places: [Int]
    }

    /// The first that wanted it.
    private var claimants: [Kind: [[Value]: EntityReference]] = [:]

    mutating func removeAll() {
        claimants.removeAll()
    }

    mutating func insert(_ row: MigrationPass.Row) {
        for places in row.shape.uniquePlaces {
            guard let values = Self.values(of: row, at: places) else { continue }
            let kind = Kind(model: row.shape.model, places: places)
            if claimants[kind]?[values] != nil { continue }
            claimants[kind, default: [:]][values] = row.reference
        }
    }

    /// The places of what a row wants together and was refused to one before it.
    func places(of row: MigrationPass.Row) -> [[Int]] {
        if claimants.isEmpty { return [] }
        return row.shape.uniquePlaces.filter { places in
            guard let known = claimants[Kind(model: row.shape.model, places: places)],
                let values = Self.values(of: row, at: places),
                let first = known[values]
            else { return false }
            return first != row.reference
        }
    }

    /// Nil where one of them is nil or stays as it is.
    private static func values(of row: MigrationPass.Row, at places: [Int]) -> [Value]? {
        var values: [Value] = []
        for place in places {
            guard let value = row.values[place], !value.isNull else { return nil }
            values.append(value)
        }
        return values
    }
}

extension MigrationWriter {
    /// Whether a row wants what was refused to one before it in this turn, and does not have it itself.
    func isClaimed(
        _ row: MigrationPass.Row,
        in state: borrowing WriteTransaction
    ) throws -> Bool {
        let wanted = claims.places(of: row)
        if wanted.isEmpty { return false }
        guard let record = try state.record(model: row.shape.model, id: row.id, lists: false)
        else { return true }
        let stored = StoredValues(record)
        return wanted.contains { places in
            places.contains { stored[row.shape.attributes[$0].name] != row.values[$0] }
        }
    }
}

extension StoreError {
    /// Whether a row that must have a partner would lose it, or another one that comes first decides about it.
    var isOfPartner: Bool {
        switch cause {
        case .partnerNeeded?, .partnerDecided?: true
        default: false
        }
    }

    /// Whether another row has what is wanted, and may let go of it.
    var isOfHolder: Bool { code == .uniqueViolation || isOfPartner }

    /// The row that has the values, or the partner, or decides about it.
    var holder: EntityReference? {
        switch cause {
        case .uniqueViolation(_, let existing)?: existing
        case .partnerNeeded(_, let existing)?: existing
        case .partnerDecided(_, let first)?: first
        default: nil
        }
    }

    /// The attributes that another row has the values of, or the partner.
    var takenAttributes: [String]? {
        switch cause {
        case .uniqueViolation(let names, _)?: names
        case .partnerNeeded(let name, _)?, .partnerDecided(let name, _)?: [name]
        default: nil
        }
    }
}
