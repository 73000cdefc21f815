import Reprise

/// `reprise link`: puts entities into a list, one after the other in the order in which they are named.
struct LinkCommand: Command {
    /// The end of the list at which they are put.
    enum Place: String, CaseIterable, Sendable {
        case first, last
    }

    var store: StoreLocation
    var owner: EntityReference
    var list: String
    var targets: [String]
    var place = Place.last
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let (list, entries) = try store.open(for: .writing) { store in
            let list = try TypedList(self.list, of: owner, in: try store.schema)
            let entries = try store.write(CommitContext(intent: "link")) { transaction in
                var entries: [EntryID] = []
                for target in targets {
                    let placement =
                        switch place {
                        case .last: Placement.last
                        case .first: entries.last.map { Placement.after($0) } ?? .first
                        }
                    entries.append(try transaction.link(list.name, of: owner, to: target, at: placement))
                }
                return entries
            }
            return (list, entries)
        }
        try console.listChange("linked", list, entries, isJSON: isJSON)
        return .done
    }
}

/// `reprise unlink`: takes entries out of a list. What they lead to stays.
struct UnlinkCommand: Command {
    var store: StoreLocation
    var owner: EntityReference
    var list: String
    /// Entries, or targets that the list has once.
    var entries: [String]
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let (list, removed) = try store.open(for: .writing) { store in
            let list = try TypedList(self.list, of: owner, in: try store.schema)
            let removed = try store.write(CommitContext(intent: "unlink")) { transaction in
                var removed: [EntryID] = []
                for text in entries {
                    let entry = try list.entry(typed: text, in: transaction)
                    try transaction.unlink(list.name, entry: entry, of: owner)
                    removed.append(entry)
                }
                return removed
            }
            return (list, removed)
        }
        try console.listChange("unlinked", list, removed, isJSON: isJSON)
        return .done
    }
}

/// `reprise move`: puts an entry in another place of its list.
struct MoveCommand: Command {
    /// Where to; entries are named as a person does.
    enum Place: Equatable, Sendable {
        case first, last
        case before(String)
        case after(String)
    }

    var store: StoreLocation
    var owner: EntityReference
    var list: String
    var entry: String
    var place: Place
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let (list, moved) = try store.open(for: .writing) { store in
            let list = try TypedList(self.list, of: owner, in: try store.schema)
            let moved = try store.write(CommitContext(intent: "move")) { transaction in
                let moved = try list.entry(typed: entry, in: transaction)
                let placement =
                    switch place {
                    case .first: Placement.first
                    case .last: Placement.last
                    case .before(let other): Placement.before(try list.entry(typed: other, in: transaction))
                    case .after(let other): Placement.after(try list.entry(typed: other, in: transaction))
                    }
                try transaction.move(list.name, entry: moved, of: owner, to: placement)
                return moved
            }
            return (list, moved)
        }
        try console.listChange("moved", list, [moved], isJSON: isJSON)
        return .done
    }
}
