import Testing

@testable import Reprise

/// Has initialisers of another number of parameters, and one that decodes.
private struct Stated: Model, Codable, Equatable {
    var id: ID
    var title: String
    var rank: Int

    init(id: ID, title: String, rank: Int) {
        self.id = id
        self.title = title
        self.rank = rank
    }

    init(id: ID, title: String) { self.init(id: id, title: title, rank: 0) }

    static let schema = ModelSchema(
        "stated",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("rank", \.rank)
    )
}

/// Has two initialisers of the same types, of which the right one is named.
private struct Named: Model, Equatable {
    var id: ID
    var title: String
    var rank: Int

    init(id: ID, title: String, rank: Int) {
        self.id = id
        self.title = title
        self.rank = rank
    }

    init(id: ID, shouted title: String, rank: Int) { self.init(id: id, title: title.uppercased(), rank: rank) }

    static let schema = ModelSchema(
        "named",
        Self.init(id:title:rank:),
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("rank", \.rank)
    )
}

/// The same with a closure.
private struct Closed: Model, Equatable {
    var id: ID
    var title: String
    var rank = 7

    static let schema = ModelSchema(
        "closed",
        { Closed(id: $0, title: $1, rank: $2) },
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("rank", \.rank)
    )
}

/// Structs with several initialisers.
struct InitialiserTests {
    @Test func `a model may have several initialisers`() throws {
        let place = try ScratchPlace()
        let schema = Schema(Stated.self, Named.self, Closed.self)
        let store = try Store.open(at: place("store"), schema: schema)
        try store.write { tx in
            try tx.insert(Stated(id: "p", title: "P"))
            try tx.insert(Named(id: "n", shouted: "n", rank: 1))
            try tx.insert(Closed(id: "c", title: "C"))
        }
        #expect(try store.fetch(Stated.self, id: "p") == Stated(id: "p", title: "P", rank: 0))
        #expect(try store.fetch(Named.self, id: "n") == Named(id: "n", title: "N", rank: 1))
        #expect(try store.fetch(Closed.self, id: "c") == Closed(id: "c", title: "C", rank: 7))
    }
}
