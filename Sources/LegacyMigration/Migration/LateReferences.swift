import Reprise

/// To-ones whose targets had not come, in their order: 25 bytes each where the identifiers are sixteen upper-case
/// hexadecimal digits, otherwise about as many more as these are long; beyond a ``RecordMemory`` on disk.
final class LateReferences {
    /// What many have in common.
    private struct Kind: Hashable {
        let model: String
        let place: Int
        let name: String
        let targetModel: String
    }

    private var kinds: [Kind] = []
    private var ordinals: [Kind: Int] = [:]
    private let kindOfReference: RememberedIdentifiers
    private let rows: RememberedIdentifiers
    private let targets: RememberedIdentifiers

    init(in memory: RecordMemory) {
        kindOfReference = RememberedIdentifiers(in: memory)
        rows = RememberedIdentifiers(in: memory)
        targets = RememberedIdentifiers(in: memory)
    }

    var count: Int { targets.count }
    var isEmpty: Bool { count == 0 }

    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(_ reference: LateReference) throws(LegacyError) {
        let kind = Kind(
            model: reference.row.model,
            place: reference.place,
            name: reference.name,
            targetModel: reference.targetModel
        )
        let ordinal = ordinals[kind] ?? kinds.count
        if ordinal == kinds.count {
            ordinals[kind] = ordinal
            kinds.append(kind)
        }
        try kindOfReference.append(.number(UInt64(ordinal)))
        try rows.append(RecordKey(reference.row.id))
        try targets.append(RecordKey(reference.target))
    }

    func reference(at place: Int) throws(LegacyError) -> LateReference {
        guard case .number(let ordinal) = try kindOfReference.key(at: place) else {
            preconditionFailure("A kind is a number.")
        }
        let kind = kinds[Int(ordinal)]
        return LateReference(
            row: EntityReference(model: kind.model, id: try rows.key(at: place).text),
            place: kind.place,
            name: kind.name,
            targetModel: kind.targetModel,
            target: try targets.key(at: place).text
        )
    }
}
