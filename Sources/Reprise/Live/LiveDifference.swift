/// What changed between two results of a query, by identity.
///
/// Taken together the parts lead from the old list to the new one: take out what `removed` and `moved` name in the old
/// list, put in what `inserted` and `moved` name in the new one, in ascending order of places. What was not moved
/// keeps its order among its like. `moved` is as short as it can be.
public struct LiveDifference: Sendable, Hashable {
    /// One entity's places in the old and in the new list, from 0.
    public struct Place: Sendable, Hashable {
        /// The place in the old list.
        public let from: Int
        /// The place in the new list.
        public let to: Int
    }

    /// Places in the new list, ascending.
    public internal(set) var inserted: [Int] = []
    /// Places in the old list, ascending.
    public internal(set) var removed: [Int] = []
    /// What stands elsewhere among those that were there before and are there now, by the new place.
    public internal(set) var moved: [Place] = []
    /// What has other content, whether it moved or not, by the new place.
    public internal(set) var updated: [Place] = []

    /// Whether nothing changed.
    public var isEmpty: Bool {
        inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Makes the new list from the old one.
    ///
    /// - Parameters:
    ///   - old: the list of the update before, unchanged; another one is a programmer's error. Who skips an update
    ///     takes its results as they are.
    ///   - results: the list now, which inserted and updated elements are taken from.
    public func apply<Element>(to old: inout [Element], from results: [Element]) {
        let arriving = (inserted.map { ($0, results[$0]) } + moved.map { ($0.to, old[$0.from]) })
            .sorted { $0.0 < $1.0 }
        for place in (removed + moved.map(\.from)).sorted(by: >) { old.remove(at: place) }
        for (place, element) in arriving { old.insert(element, at: place) }
        for place in updated { old[place.to] = results[place.to] }
    }
}

/// The identities and contents of a list that was shown.
struct ShownList {
    /// The identifier's bytes: they, and not what they look like, make two identifiers equal.
    private(set) var ids: [[UInt8]] = []
    /// A hash of each row. Only two contents of one entity are ever compared.
    private(set) var contents: [UInt64] = []
    /// Where an identifier stands.
    private(set) var places: [[UInt8]: Int] = [:]
    /// How many further places an entity has that stands in the list several times.
    private var repeats: [[UInt8]: UInt32] = [:]

    var members: Set<[UInt8]> { Set(ids) }

    /// Appends an entity, which may stand in the list already.
    mutating func append(_ id: [UInt8], content: UInt64) {
        var identity = id
        if let first = places.updateValue(ids.count, forKey: id) {
            places[id] = first
            identity = repeated(id)
            places[identity] = ids.count
        }
        ids.append(identity)
        contents.append(content)
    }

    /// What stands for a further place of an entity: its identifier, and a number behind more bytes than any has.
    private mutating func repeated(_ id: [UInt8]) -> [UInt8] {
        let number = repeats[id, default: 0] + 1
        repeats[id] = number
        let end = unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
        return id + [UInt8](repeating: 0, count: identifierByteCountMax) + end
    }
}

extension LiveDifference {
    /// O((old + new) · log).
    init(from old: ShownList, to new: ShownList) {
        var kept: [Place] = []
        for (place, id) in new.ids.enumerated() {
            if let before = old.places[id] {
                kept.append(Place(from: before, to: place))
                if old.contents[before] != new.contents[place] {
                    updated.append(Place(from: before, to: place))
                }
            } else {
                inserted.append(place)
            }
        }
        if kept.count < old.ids.count {
            removed = old.ids.indices.filter { new.places[old.ids[$0]] == nil }
        }
        let standing = LongestAscent.indices(of: kept.map(\.from))
        if standing.count < kept.count {
            var next = 0
            for (index, place) in kept.enumerated() {
                if next < standing.count, standing[next] == index {
                    next += 1
                } else {
                    moved.append(place)
                }
            }
        }
    }
}
