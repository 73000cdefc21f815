import Reprise

/// The order that a list comes into: what stays, and what others put there, keep their places among each other; what is
/// moved or added goes directly behind the wanted entry before it, to the front where there is none, or to the end of
/// the list where all that stays comes before.
struct WantedOrder {
    /// Whether an entry stands elsewhere than at the end, to which new ones come by themselves.
    private(set) var needsArranging = false

    private let lastStay: Int
    private let hasFreeEnd: Bool
    private var front: [EntryID] = []
    /// What goes behind each entry that stays.
    private var following: [EntryID: [EntryID]] = [:]
    private var end: [EntryID] = []
    private var before: EntryID?
    /// What is moved or added.
    private var placed: Set<EntryID> = []

    /// - Parameters:
    ///   - present: the entries that `difference` is of.
    ///   - lastKept: the index of the last of them that stays though nothing is wanted of it; -1 where none does.
    init(_ difference: ListDifference, _ present: [EntryID], lastKept: Int) {
        let lastStay = difference.steps.lastIndex { if case .stay = $0 { true } else { false } }
        var lastStayIndex = -1
        if let lastStay, case .stay(let index) = difference.steps[lastStay] {
            lastStayIndex = index
        }
        self.lastStay = lastStay ?? -1
        hasFreeEnd = lastKept <= lastStayIndex
    }

    mutating func stay(_ entry: EntryID) {
        before = entry
    }

    /// - Parameter isThere: whether it has a place in the list already, and not the last one because it is new.
    mutating func put(_ entry: EntryID, at place: Int, isThere: Bool) {
        placed.insert(entry)
        let isAtEnd = hasFreeEnd && place > lastStay
        if isThere || !isAtEnd { needsArranging = true }
        if isAtEnd {
            end.append(entry)
        } else if let before {
            following[before, default: []].append(entry)
        } else {
            front.append(entry)
        }
    }

    /// All entries of a list, in which the new ones stand anywhere, in their order.
    ///
    /// - Complexity: O(entries).
    func arranged(_ entries: [EntryID]) -> [EntryID] {
        var arranged = front
        arranged.reserveCapacity(entries.count)
        for entry in entries {
            if !placed.contains(entry) { arranged.append(entry) }
            if let next = following[entry] { arranged += next }
        }
        arranged += end
        if arranged.count == entries.count { return arranged }
        // A member that can stand there only once was wanted several times: it is where it was put last.
        var known: Set<EntryID> = []
        return Array(arranged.reversed().filter { known.insert($0).inserted }.reversed())
    }
}
