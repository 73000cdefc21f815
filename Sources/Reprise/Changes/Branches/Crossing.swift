internal import RepriseLMDB
internal import RepriseLog

/// Two stores that have each merged a copy of the other, so that neither knows of the other's merge.
///
/// What theirs has taken over from ours is nothing new to ours. Only what theirs has written itself is new.
struct Crossing: Equatable {
    /// The commits in which theirs has taken over what ours had, since ours has merged it, ascending.
    let takeovers: [ClosedRange<UInt64>]
    /// Up to where theirs knows ours by them.
    let position: UInt64

    /// Nil where theirs has taken over nothing.
    ///
    /// - Parameter position: up to where ours has merged theirs.
    init?(of theirs: BranchSide, taking ours: BranchSide, behind position: UInt64) throws {
        // Only merges of the store itself count: one that goes on from it, or that it goes on from, may have brought
        // what the store does not have.
        let merges = try theirs.merges(of: ours.lineage.own.branch, behind: position).filter { merge in
            try ours.isAlive(merge.point.position) && ours.hash(at: merge.point.position) == merge.point.hash
        }
        guard let newest = merges.map(\.point.position).max() else { return nil }
        takeovers = merges.map(\.commit).reversed()
        self.position = newest
    }

    /// The places in lists that ours has given to entries and members since theirs has merged it, but for those that
    /// its own merges of theirs have given.
    ///
    /// - Parameter theirs: the number of the other store.
    /// - Complexity: O(events of ours since then). Some sixty bytes of memory for each place.
    func ownPlaces(of ours: BranchSide, beside theirs: UInt32, _ schema: CompiledSchema) throws -> OwnPlaces {
        let places = OwnPlaces()
        var merges = try ours.merges(of: theirs, behind: position).map(\.commit)
        try ours.travel.forEachStep(from: position, to: ours.head) { event, isUndone in
            while let next = merges.last, event.position > next.upperBound { merges.removeLast() }
            if isUndone || merges.last?.contains(event.position) ?? false { return }
            func note(_ model: UInt16, _ slot: (Int) throws -> [UInt8]?) throws {
                // A row of a model that was removed has no place in a list any more.
                guard let model = try? schema.model(model) else { return }
                for reference in model.references {
                    guard let place = try ReferencePlace(slot(reference.slot)) else { continue }
                    let list = ListKey(relation: reference.relation.number, id: place.target)
                    places.insert(list, place.orderKey, member: unsafe [UInt8](event.id))
                }
            }
            switch try Change(event) {
            case .inserted(let payload):
                let row = unsafe [UInt8](payload)
                try note(event.model) { try row.rowSlot($0) }
            case .updated(let changes):
                try note(event.model) { slot in
                    guard let change = changes.slots.first(where: { $0.slot == slot }) else { return nil }
                    return unsafe change.to.map { unsafe [UInt8]($0) }
                }
            case .linked(let relation, let place, let serial, let target),
                .moved(let relation, _, let place, let serial, let target):
                let entry = ListEntry(orderKey: place, serial: serial, target: unsafe [UInt8](target))
                places.insert(ListKey(relation: relation, id: unsafe [UInt8](event.id)), entry)
            default: break
            }
        }
        return places
    }
}

/// Places in lists that a store has given itself, each with the entry or the member that it has put there last.
final class OwnPlaces {
    private let places = PlaceTable()

    fileprivate func insert(_ list: ListKey, _ entry: ListEntry) { places[list, entry.orderKey] = entry.identity }

    fileprivate func insert(_ list: ListKey, _ orderKey: UInt64, member: [UInt8]) {
        places[list, orderKey] = XXH64.hash(member)
    }

    func has(_ list: ListKey, _ orderKey: UInt64, entry: ListEntry) -> Bool { places[list, orderKey] == entry.identity }

    func has(_ list: ListKey, _ orderKey: UInt64, member: [UInt8]) -> Bool {
        places[list, orderKey] == XXH64.hash(member)
    }
}
