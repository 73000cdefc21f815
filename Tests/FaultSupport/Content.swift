package import Reprise

/// Everything that can be read from a store through its public functions.
package struct Content: Equatable, Sendable {
    package var items: [Item] = []
    package var shelves: [Shelf] = []
    package var members: [[String]] = []
    package var picks: [[String]] = []
    /// The shelves that pick each item, by the order of `items`.
    package var pickers: [[String]] = []

    /// Reads all of one state, by identifier, and checks that queries through indexes give the same.
    package init(_ transaction: borrowing Reprise.ReadTransaction) throws {
        items = try transaction.fetch(FetchDescriptor<Item>())
        shelves = try transaction.fetch(FetchDescriptor<Shelf>())
        for shelf in shelves {
            members.append(
                try transaction.entries(Shelf.items, of: shelf.id).map(\.target.rawValue)
            )
            picks.append(try transaction.entries(Shelf.picks, of: shelf.id).map(\.target.rawValue))
        }
        for item in items {
            pickers.append(
                try transaction.entries(Item.pickedBy, of: item.id).map(\.target.rawValue)
            )
        }
    }

    /// What a store that holds `state` must give.
    package init(_ state: ModelState) {
        items = state.items.values.sorted { $0.id < $1.id }
        shelves = state.shelves.values.sorted { $0.id < $1.id }
        members = shelves.map { state.members[$0.id.rawValue] ?? [] }
        picks = shelves.map { state.picks[$0.id.rawValue] ?? [] }
        var pickers: [String: [String]] = [:]
        for shelf in shelves {
            for item in state.picks[shelf.id.rawValue] ?? [] {
                pickers[item, default: []].append(shelf.id.rawValue)
            }
        }
        self.pickers = items.map { pickers[$0.id.rawValue] ?? [] }
    }
}

/// Answers of the indexes to a fixed set of questions.
package struct IndexAnswers: Equatable, Sendable {
    package var answers: [[String]] = []

    package init(_ transaction: borrowing Reprise.ReadTransaction) throws {
        for number in 0..<30 {
            let name = "Name \(number)"
            let query = FetchDescriptor<Item>().where { $0.name == name }
            answers.append(try transaction.fetch(query).map(\.id.rawValue).sorted())
        }
        let query = FetchDescriptor<Item>().where { $0.amount > 90 }.sorted(by: \.amount)
        answers.append(try transaction.fetch(query).map(\.id.rawValue))
    }

    /// The same from plain arrays.
    package init(_ content: Content) {
        for number in 0..<30 {
            answers.append(
                content.items.filter { $0.name == "Name \(number)" }.map(\.id.rawValue).sorted()
            )
        }
        let large = content.items.filter { $0.amount > 90 }
        answers.append(
            large.sorted { ($0.amount, $0.id) < ($1.amount, $1.id) }.map(\.id.rawValue)
        )
    }
}

extension Store {
    /// Whether the store holds exactly `state`, with indexes that agree.
    package func holds(_ state: ModelState) throws -> Bool {
        let wanted = Content(state)
        return try read { transaction in
            try Content(transaction) == wanted
                && IndexAnswers(transaction) == IndexAnswers(wanted)
        }
    }
}
