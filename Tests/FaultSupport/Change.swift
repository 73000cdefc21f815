package import Reprise

/// One operation of a write, described by what both a store and a dictionary can do.
package enum Change: Sendable {
    case addShelf(Shelf)
    case removeShelf(String)
    case add(Item)
    case revise(String, amount: Int, note: String?)
    case reshelve(String, to: String?)
    case remove(String)
    /// Puts an item before the entry that is at `index`, or at the end.
    case pick(shelf: String, item: String, index: Int)
    case unpick(shelf: String, index: Int)
    /// `to` counts in the list without the entry.
    case movePick(shelf: String, from: Int, to: Int)

    package func apply(to transaction: inout Reprise.WriteTransaction) throws {
        switch self {
        case .addShelf(let shelf): try transaction.insert(shelf)
        case .removeShelf(let id): try transaction.delete(Shelf.self, id: Shelf.ID(id))
        case .add(let item): try transaction.insert(item)
        case .revise(let id, let amount, let note):
            try transaction.update(Item.self, id: Item.ID(id)) { item in
                item.amount = amount
                item.note = note
            }
        case .reshelve(let id, let shelf):
            try transaction.update(Item.self, id: Item.ID(id)) { item in
                item.shelf = shelf.map { Shelf.ID($0) }
            }
        case .remove(let id): try transaction.delete(Item.self, id: Item.ID(id))
        case .pick(let shelf, let item, let index):
            let entries = try transaction.entries(Shelf.picks, of: Shelf.ID(shelf))
            try transaction.link(
                Shelf.picks,
                from: Shelf.ID(shelf),
                to: Item.ID(item),
                at: index < entries.count ? .before(entries[index].id) : .last
            )
        case .unpick(let shelf, let index):
            let entries = try transaction.entries(Shelf.picks, of: Shelf.ID(shelf))
            try transaction.unlink(Shelf.picks, entry: entries[index].id, of: Shelf.ID(shelf))
        case .movePick(let shelf, let from, let to):
            var entries = try transaction.entries(Shelf.picks, of: Shelf.ID(shelf))
            let entry = entries.remove(at: from)
            try transaction.move(
                Shelf.picks,
                entry: entry.id,
                of: Shelf.ID(shelf),
                to: to < entries.count ? .before(entries[to].id) : .last
            )
        }
    }
}
