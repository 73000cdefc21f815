package import Reprise
internal import Synchronization

/// One app in three versions: the first, one that only adds to it, and one that changes it in every way there is.
package enum Archive {
    package enum One {
        package struct Card: Model, Hashable {
            package var id: ID
            package var title: String
            package var first: String
            package var last: String
            package var stars: Double
            package var code: Int
            package var color: String?
            package var note: String?
            package var drawer: Drawer.ID?

            package static let schema = ModelSchema(
                "card",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("first", \.first),
                .attribute("last", \.last),
                .attribute("stars", \.stars, indexed: true),
                .attribute("code", \.code),
                .attribute("color", \.color),
                .attribute("note", \.note),
                .toOne("drawer", \.drawer)
            )
        }

        package struct Drawer: Model, Hashable {
            package var id: ID
            package var name: String

            package static let schema = ModelSchema(
                "drawer",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name)
            )
            .toMany("cards", of: Card.self, inverse: "drawer")
        }

        package struct Label: Model, Hashable {
            package var id: ID
            package static let schema = ModelSchema("label", Self.init, .id("id", \.id))
        }

        package static let schema = Schema(Card.self, Drawer.self, Label.self)
    }

    /// Adds attributes, a model, a relationship and indexes. Code of the first version goes on with it.
    package enum More {
        package struct Card: Model, Hashable {
            package var id: ID
            package var title: String
            package var first: String
            package var last: String
            package var stars: Double
            package var code: Int
            package var color: String?
            package var note: String?
            package var drawer: Drawer.ID?
            package var level: Int
            package var tag: Tag.ID?

            package static let schema = ModelSchema(
                "card",
                version: 2,
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .attribute("first", \.first),
                .attribute("last", \.last),
                .attribute("stars", \.stars, indexed: true),
                .attribute("code", \.code, unique: true),
                .attribute("color", \.color),
                .attribute("note", \.note),
                .toOne("drawer", \.drawer),
                .attribute("level", \.level, indexed: true, default: 3),
                .toOne("tag", \.tag)
            )
            .searchable("title")
        }

        package struct Drawer: Model, Hashable {
            package var id: ID
            package var name: String

            package static let schema = ModelSchema(
                "drawer",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name)
            )
            .toMany("cards", of: Card.self, inverse: "drawer")
        }

        package struct Tag: Model, Hashable {
            package var id: ID
            package static let schema = ModelSchema("tag", Self.init, .id("id", \.id))
                .toMany("cards", of: Card.self, inverse: "tag")
        }

        package static let schema = Schema(Card.self, Drawer.self, One.Label.self, Tag.self)
    }

    /// Adds attributes with defaults, renames, removes, builds indexes, converts an attribute of every row, and runs
    /// code.
    package enum Two {
        package struct Card: Model, Hashable {
            package var id: ID
            package var heading: String
            package var name: String
            package var stars: Int
            package var code: Int
            package var level: Int
            package var place: String
            package var box: Box.ID?
            package var tag: Tag.ID?

            package static let schema = ModelSchema(
                "card",
                version: 2,
                Self.init,
                .id("id", \.id),
                .attribute("heading", \.heading, indexed: true, renamedFrom: "title"),
                .attribute("name", \.name),
                .attribute("stars", \.stars, indexed: true),
                .attribute("code", \.code, unique: true),
                .attribute("level", \.level, indexed: true, default: 3),
                .attribute("place", \.place, default: "here"),
                .toOne("box", \.box, renamedFrom: "drawer"),
                .toOne("tag", \.tag)
            )
            .searchable("heading")
            .removed("note")
            .removed("color")
            .converting("name", from: "first", "last") { (first: String, last: String) in
                Ambush.function.pass()
                return "\(first) \(last)"
            }
            .converting("stars", from: "stars") { (stars: Double) -> Int in Int(stars) }
        }

        package struct Box: Model, Hashable {
            package var id: ID
            package var name: String

            package static let schema = ModelSchema(
                "box",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name)
            )
            .renamedFrom("drawer")
            .toMany("cards", of: Card.self, inverse: "box", onDelete: .cascade)
        }

        package struct Tag: Model, Hashable {
            package var id: ID
            package static let schema = ModelSchema("tag", Self.init, .id("id", \.id))
                .toMany("cards", of: Card.self, inverse: "tag")
        }

        /// The same change without code: a conversion of most rows, for which all views are written anew.
        package static let schemaWithoutCode = Schema(Card.self, Box.self, Tag.self, removed: ["label"])

        package static let schema = schemaWithoutCode
            .change(to: 1) { old, new in
                try old.forEachRecord(RecordQuery(model: "card")) { card in
                    Ambush.closure.pass()
                    guard case .string(let color) = card["color"] else { return true }
                    let tag = Tag.ID(color)
                    if try new.fetch(Tag.self, id: tag) == nil { try new.insert(Tag(id: tag)) }
                    _ = try new.update(Card.self, id: .init(card.id)) { $0.tag = tag }
                    return true
                }
            }
    }
}

/// A place in the program's own code that ends the process after it was passed so many times.
package final class Ambush: Sendable {
    package static let function = Ambush()
    package static let closure = Ambush()

    private let left = Atomic(Int.max)

    package func lie(behind count: Int) { left.store(count, ordering: .sequentiallyConsistent) }

    fileprivate func pass() {
        if left.load(ordering: .relaxed) == .max { return }
        let before = left.subtract(1, ordering: .sequentiallyConsistent).oldValue
        precondition(before > 0, "Code of the program has a mistake.")
    }
}

// MARK: - Content

extension Archive {
    private static let colors: [String?] = [nil, "red", nil, "green", nil, nil, "blue", nil]

    /// One of the cards that ``fill(_:at:)`` makes, or that a process of a crowd adds.
    package static func first(_ number: Int, id: String? = nil) -> One.Card {
        One.Card(
            id: .init(id ?? "card-\(number)"),
            title: "title \(number % 7) of \(number)",
            first: "Ada \(number % 5)",
            last: "L\(number)",
            stars: Double(number % 10),
            code: number,
            color: colors[number % 8],
            note: number.isMultiple(of: 3) ? "note \(number)" : nil,
            drawer: number.isMultiple(of: 2) ? .init("drawer-\(number % 4)") : nil
        )
    }

    /// The same in the version that only adds.
    package static func more(_ number: Int, id: String? = nil) -> More.Card {
        let card = first(number, id: id)
        return More.Card(
            id: .init(card.id.rawValue),
            title: card.title,
            first: card.first,
            last: card.last,
            stars: card.stars,
            code: card.code,
            color: card.color,
            note: card.note,
            drawer: card.drawer.map { .init($0.rawValue) },
            level: 3
        )
    }

    /// What the change makes of it.
    package static func second(_ number: Int, id: String? = nil, isTagged: Bool = true) -> Two.Card {
        let card = first(number, id: id)
        return Two.Card(
            id: .init(card.id.rawValue),
            heading: card.title,
            name: "\(card.first) \(card.last)",
            stars: Int(card.stars),
            code: card.code,
            level: 3,
            place: "here",
            box: card.drawer.map { .init($0.rawValue) },
            tag: isTagged ? card.color.map { .init($0) } : nil
        )
    }

    /// Makes a store of the first version with so many cards.
    package static func fill(_ count: Int, at path: String) throws {
        let store = try Store.open(at: path, schema: One.schema)
        defer { store.close() }
        try store.write { transaction in
            for number in [0, 2] {
                try transaction.insert(One.Drawer(id: .init("drawer-\(number)"), name: "Drawer \(number)"))
            }
            try transaction.insert(One.Label(id: "label"))
            for number in 0..<count { try transaction.insert(first(number)) }
        }
    }
}
