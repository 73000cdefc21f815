import ExportFormats
import LegacyRecords
import Reprise

/// What the records of an export say of the partners in a one-to-one, on either side. Where two of them say different
/// things the first counts, so that the same export again finds nothing else.
final class PartnerClaims {
    /// Whom each has as a partner: an identifier, or none.
    private let partners: RememberedMap<ContentKey>
    /// The rows of which it was said that they do not get theirs.
    private let told: RememberedKeys

    init(in memory: RecordMemory) {
        partners = RememberedMap(in: memory)
        told = RememberedKeys(in: memory)
    }

    private static func key(_ side: ClassShape.PairSide, _ id: String) -> ContentKey {
        ContentKey(["reprise partner", "\(side.relation)", side.isSource ? "source" : "target", id])
    }

    /// Notes what a row says of its partner. What a record before it has said otherwise is taken out of its values: the
    /// row keeps what it has.
    ///
    /// - Returns: the names of the to-ones of which that has not been said yet.
    func settle(_ row: inout MigrationPass.Row) throws(LegacyError) -> [String] {
        var disputed: [String] = []
        for toOne in row.shape.toOnes {
            guard let side = toOne.pair, let value = row.values[toOne.place] else { continue }
            let own = Self.key(side, row.id)
            let known = try partners.value(of: own)
            if case .reference(let target) = value {
                let other = Self.key(side.other, target)
                let rival = try partners.value(of: other)
                if known ?? RecordKey(target) == RecordKey(target),
                    rival ?? RecordKey(row.id) == RecordKey(row.id)
                {
                    if known == nil { try partners.updateValue(RecordKey(target), of: own) }
                    if rival == nil { try partners.updateValue(RecordKey(row.id), of: other) }
                    continue
                }
            } else if known ?? Self.none == Self.none {
                if known == nil { try partners.updateValue(Self.none, of: own) }
                continue
            }
            row.values[toOne.place] = nil
            if try told.insert(row.id, of: "\(row.shape.model).\(toOne.name)") {
                disputed.append(toOne.name)
            }
        }
        return disputed
    }

    /// No identifier is empty.
    private static let none = RecordKey("")
}
