package import Reprise

/// A tree: a model that refers to itself on both sides, with `cascade` downwards.
package struct Folder: AuditedModel, Equatable {
    package var id: ID
    package var name: String
    package var parent: Folder.ID?
    /// Anonymous inverse, to its own model.
    package var shortcut: Folder.ID?

    package static let schema = ModelSchema(
        "folder",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name),
        .toOne("parent", \.parent, inverse: "children"),
        .toOne("shortcut", \.shortcut)
    )
    .toMany("children", of: Folder.self, inverse: "parent", onDelete: .cascade)
    .toMany("notes", of: Note.self, inverse: "folder", onDelete: .cascade)
    .unique("parent", "name")

    package static let children = Relationship<Folder, Folder>("children")
    package static let notes = Relationship<Folder, Note>("notes")
}

extension Folder {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            name: row["name", default: "?"],
            parent: row["parent"],
            shortcut: row["shortcut"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["name": name, "parent": parent, "shortcut": shortcut])
    }
}

/// Many-to-many with repeats: `tags` has a named inverse, `links` leads to its own model and has none.
package struct Note: AuditedModel, Equatable {
    package var id: ID
    package var title: String?
    package var written: Double
    package var folder: Folder.ID?

    package static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("written", \.written, indexed: true),
        .toOne("folder", \.folder)
    )
    .toMany("tags", of: Tag.self)
    .toMany("links", of: Note.self)
    .toMany("readers", of: Person.self, onDelete: .deny)
    .index("title", "written")

    package static let tags = Relationship<Note, Tag>("tags")
    package static let links = Relationship<Note, Note>("links")
}

extension Note {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            title: row["title"],
            written: row["written", default: -1],
            folder: row["folder"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["title": title, "written": written, "folder": folder])
    }
}

/// The named, derived side of `note.tags`.
package struct Tag: AuditedModel, Equatable {
    package var id: ID
    package var name: String

    package static let schema = ModelSchema(
        "tag",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .inverse("notes", of: Note.self, "tags")

    package static let notes = Relationship<Tag, Note>("notes")
}

extension Tag {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, name: row["name", default: "?"])
    }

    package var data: [String: Datum] { [String: Datum](present: ["name": name]) }
}

/// Has a relationship to its own model for each rule, so that random links make cycles and diamonds of all of them.
package struct Vertex: AuditedModel, Equatable {
    package var id: ID
    package var weight: Int?
    /// Goes with this one.
    package var next: Vertex.ID?
    /// Must go first.
    package var anchor: Vertex.ID?
    /// Takes this one along when it goes; otherwise kept in order.
    package var keeper: Vertex.ID?

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("weight", \.weight, indexed: true),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("anchor", \.anchor, onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept")
    )
    .toMany("kept", of: Vertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: Vertex.self, onDelete: .cascade)
    .inverse("owners", of: Vertex.self, "owned", onDelete: .nullify)
    .toMany("guarded", of: Vertex.self, onDelete: .nullify)
    .inverse("guards", of: Vertex.self, "guarded", onDelete: .deny)

    package static let kept = Relationship<Vertex, Vertex>("kept")
    package static let owned = Relationship<Vertex, Vertex>("owned")
    package static let guarded = Relationship<Vertex, Vertex>("guarded")
}

extension Vertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            weight: row["weight"],
            next: row["next"],
            anchor: row["anchor"],
            keeper: row["keeper"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "weight": weight, "next": next, "anchor": anchor, "keeper": keeper,
        ])
    }
}
