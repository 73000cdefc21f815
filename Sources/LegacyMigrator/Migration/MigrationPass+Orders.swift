import ExportFormats
import Reprise

extension MigrationPass {
    /// Whether members of a list on the other side of their to-one lose places that somebody else has given them after
    /// the source.
    ///
    /// - Parameters:
    ///   - present: what the list has.
    ///   - wanted: the order that it comes into.
    ///   - isWritten: whether a member's own record changes it: then its place is none that it had.
    /// - Complexity: O(members · log n).
    func losesOrder<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        _ present: [EntryID],
        to wanted: [String],
        in state: borrowing State,
        isWritten: (EntityReference) throws -> Bool
    ) throws -> Bool {
        guard let toOne = list.memberToOne else { return false }
        var places: [ExactText: Int] = [:]
        for (place, member) in wanted.enumerated() { places[ExactText(member)] = place }
        var kept: [(member: EntityReference, place: Int)] = []
        for entry in present {
            guard let place = places[ExactText(entry.target)] else { continue }
            let member = EntityReference(model: list.target, id: entry.target)
            if try !isWritten(member) { kept.append((member, place)) }
        }
        // The first of the places of what stands behind each.
        var least = [Int](repeating: .max, count: kept.count + 1)
        for index in kept.indices.reversed() {
            least[index] = min(least[index + 1], kept[index].place)
        }
        var greatest = -1
        for (index, (member, place)) in kept.enumerated() {
            defer { greatest = max(greatest, place) }
            // Those that keep their places among the others lose nothing.
            guard greatest > place || least[index + 1] < place,
                let found = try state.revision(of: member),
                !isUndisturbed(found.created...found.revision.position)
            else { continue }
            let placing = try state.lastPlacing(of: member, by: toOne, where: isNoPartOfRun)
            if let placing, !isOurs(placing) { return true }
        }
        return false
    }
}
