package import Reprise

// This target is built as an app of Xcode is by default: everything in it belongs to the main actor unless it is said
// otherwise. Nothing is said here: the models are plain declarations.

package enum Colour: String, StoredValue, CaseIterable { case red, white }

package struct Size: Embedded {
    var width: Double
    var note: String?

    package static let embedded = EmbeddedSchema(Self.init, .attribute("width", \.width), .attribute("note", \.note))
}

package struct Label: CodableValue {
    var text: String
}

package struct Bed: Model {
    package var id: ID
    package var name: String

    package static let flowers = Relationship<Bed, Flower>("flowers", inverse: \.bed, onDelete: .cascade)
    package static let schema = ModelSchema("bed", Self.init, .id("id", \.id), .attribute("name", \.name))
        .toMany(flowers)
}

package struct Flower: Model {
    package var id = ID()
    package var name: String
    package var colour = Colour.red
    package var size: Size?
    package var label: Label?
    package var isOpen = false
    package var bed: Bed.ID?

    package static let schema = ModelSchema(
        "flower",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .attribute("colour", \.colour),
        .attribute("size", \.size),
        .attribute("label", \.label),
        .attribute("is_open", \.isOpen),
        .toOne("bed", \.bed)
    )
}

/// What a view would use.
package final class Garden {
    private let store: Store
    package private(set) var shown: [Flower] = []

    package init(at path: String) throws {
        store = try Store.open(at: path, schema: Schema(Bed.self, Flower.self))
    }

    package func plant(_ names: [String], in bed: Bed.ID) throws {
        try store.write { tx in
            try tx.insert(Bed(id: bed, name: "\(bed)"))
            for name in names {
                try tx.insert(Flower(name: name, size: Size(width: 1), label: Label(text: name), bed: bed))
            }
        }
    }

    package func open(_ name: String) async throws {
        try await store.write { tx in
            for flower in try tx.fetch(FetchDescriptor<Flower>().where { $0.name == name && !$0.isOpen }) {
                try tx.update(Flower.self, id: flower.id) {
                    $0.isOpen = true
                    $0.colour = .white
                }
            }
        }
    }

    package func openFlowers(in bed: Bed.ID) throws -> [Flower] {
        try store.read { tx in
            try tx.fetch(FetchDescriptor<Flower>().where { $0.isOpen && $0.bed == bed }.sorted(by: \.name))
        }
    }

    package func names(in bed: Bed.ID) async throws -> [String] {
        try await store.read { tx in
            try tx.entries(Bed.flowers, of: bed).compactMap { try tx.fetch(Flower.self, id: $0.target)?.name }
        }
    }

    /// Shows what is open until `count` flowers are.
    package func watch(until count: Int) async throws {
        for try await update in store.observe(FetchDescriptor<Flower>().where { $0.isOpen }.sorted(by: \.name)) {
            shown = update.results
            if shown.count == count { break }
        }
    }

    package func query() -> LiveQuery<Flower> {
        LiveQuery(FetchDescriptor<Flower>().sorted(by: \.name), in: store)
    }
}
