internal import Reprise

/// What a store holds, in dictionaries and arrays: the naive model that every store is compared with.
package struct ModelState: Equatable, Sendable {
    package private(set) var items: [String: Item] = [:]
    package private(set) var shelves: [String: Shelf] = [:]
    /// The items that stand on each shelf, and those that it picks.
    package private(set) var members: [String: [String]] = [:]
    package private(set) var picks: [String: [String]] = [:]
    /// Identifiers in the order in which they came: dictionaries have none that a seed could repeat.
    package private(set) var itemIDs: [String] = []
    package private(set) var shelfIDs: [String] = []

    package init() {}

    package mutating func apply(_ change: Change) {
        switch change {
        case .addShelf(let shelf):
            shelves[shelf.id.rawValue] = shelf
            members[shelf.id.rawValue] = []
            picks[shelf.id.rawValue] = []
            shelfIDs.append(shelf.id.rawValue)
        case .removeShelf(let id):
            for item in members[id] ?? [] { remove(item) }
            shelves[id] = nil
            members[id] = nil
            picks[id] = nil
            shelfIDs.removeAll { $0 == id }
        case .add(let item):
            items[item.id.rawValue] = item
            itemIDs.append(item.id.rawValue)
            if let shelf = item.shelf { members[shelf.rawValue]?.append(item.id.rawValue) }
        case .revise(let id, let amount, let note):
            items[id]?.amount = amount
            items[id]?.note = note
        case .reshelve(let id, let shelf):
            let old = items[id]?.shelf?.rawValue
            if old == shelf { return }
            if let old { members[old]?.removeAll { $0 == id } }
            items[id]?.shelf = shelf.map { Shelf.ID($0) }
            if let shelf { members[shelf]?.append(id) }
        case .remove(let id): remove(id)
        case .pick(let shelf, let item, let index):
            let count = picks[shelf]?.count ?? 0
            picks[shelf]?.insert(item, at: min(index, count))
        case .unpick(let shelf, let index): picks[shelf]?.remove(at: index)
        case .movePick(let shelf, let from, let to):
            if let item = picks[shelf]?.remove(at: from) { picks[shelf]?.insert(item, at: to) }
        }
    }

    private mutating func remove(_ id: String) {
        if let shelf = items[id]?.shelf { members[shelf.rawValue]?.removeAll { $0 == id } }
        for shelf in shelfIDs { picks[shelf]?.removeAll { $0 == id } }
        items[id] = nil
        itemIDs.removeAll { $0 == id }
    }
}
