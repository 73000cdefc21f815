import Reprise
import TestSupport

/// Two searchable attributes of different weight, one that is not, and an ordinary index.
struct Article: Model, Equatable {
    var id: ID
    var title: String
    var text: String?
    var note: String = ""
    var year: Int = 0

    static let schema = ModelSchema(
        "article",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("text", \.text),
        .attribute("note", \.note),
        .attribute("year", \.year)
    )
    .searchable("title", weight: 2)
    .searchable("text")
}

/// Has no search index.
struct Plain: Model, Equatable {
    var id: ID
    var title: String

    static let schema = ModelSchema(
        "plain",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title)
    )
}

enum SearchStore {
    static let schema = Schema(Plain.self, Article.self)
}
