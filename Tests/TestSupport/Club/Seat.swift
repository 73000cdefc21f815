package import Reprise

/// A model that the second release brings. It refers to one that was there.
package struct Seat: AuditedModel, Equatable {
    package var id: ID
    package var row: Int?
    package var sitter: Person.ID?

    package static let schema = ModelSchema(
        "seat",
        Self.init,
        .id("id", \.id),
        .attribute("row", \.row, unique: true),
        .toOne("sitter", \.sitter)
    )
}

extension Seat {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, row: row["row"], sitter: row["sitter"])
    }

    package var data: [String: Datum] { [String: Datum](present: ["row": row, "sitter": sitter]) }
}
