package import Reprise

/// Owns items in an order of its own and picks any items, repeats included: every kind of view is filled.
package struct Shelf: Model, Hashable {
    package var id: ID
    package var title: String

    package init(id: ID, title: String) {
        self.id = id
        self.title = title
    }

    package static let schema = ModelSchema(
        "shelf",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true)
    )
    .toMany("items", of: Item.self, inverse: "shelf", onDelete: .cascade)
    .toMany("picks", of: Item.self, onDelete: .nullify)

    package static let items = Relationship<Shelf, Item>("items")
    package static let picks = Relationship<Shelf, Item>("picks")
}

package struct Item: Model, Hashable {
    package var id: ID
    package var name: String
    package var amount: Int
    /// Occurs once.
    package var code: Int?
    package var note: String?
    package var shelf: Shelf.ID?

    package init(
        id: ID,
        name: String,
        amount: Int = 0,
        code: Int? = nil,
        note: String? = nil,
        shelf: Shelf.ID? = nil
    ) {
        self.id = id
        self.name = name
        self.amount = amount
        self.code = code
        self.note = note
        self.shelf = shelf
    }

    package static let schema = ModelSchema(
        "item",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .attribute("amount", \.amount, indexed: true),
        .attribute("code", \.code, unique: true),
        .attribute("note", \.note),
        .toOne("shelf", \.shelf)
    )
    .inverse("pickedBy", of: Shelf.self, "picks")

    package static let pickedBy = Relationship<Item, Shelf>("pickedBy")

    /// Stored nowhere: a filter that names it is a programmer's error.
    package var shoutedName: String { name.uppercased() }
}

package enum FaultModels {
    package static let schema = Schema(Item.self, Shelf.self)
}
