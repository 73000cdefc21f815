import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct Author: Model {
    var id: Identifier<Author>
    var name: String

    static let schema = ModelSchema(
        "author",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name)
    )
    .toMany("books", of: Book.self, inverse: "author", onDelete: .deny)
}

struct Book: Model {
    var id: Identifier<Book>
    var title: String
    var pages: Int?
    var weight: Double?
    var published: Date?
    var cover: Data?
    var isLent: Bool
    var author: Author.ID?
    var series: Series.ID?

    static let schema = ModelSchema(
        "book",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("pages", \.pages),
        .attribute("weight", \.weight),
        .attribute("published", \.published),
        .attribute("cover", \.cover),
        .attribute("isLent", \.isLent),
        .toOne("author", \.author),
        .toOne("series", \.series)
    )
}

struct Series: Model {
    var id: Identifier<Series>
    var title: String

    static let schema = ModelSchema(
        "series",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title)
    )
    .toMany("volumes", of: Book.self, inverse: "series", onDelete: .cascade)
}

struct Shelf: Model {
    var id: Identifier<Shelf>
    var name: String

    static let schema = ModelSchema(
        "shelf",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name)
    )
    .toMany("books", of: Book.self)
}

/// A store in a directory of its own, on which command lines are run; gone with the value.
final class TestStore {
    let directory: URL
    var path: String { directory.appendingPathComponent("store").path }

    /// Four models, and the books `a`, `b` and `c`; `a` stands twice on the shelf.
    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("reprise-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // Microseconds that a date has exactly, so that texts are the same in every run.
        let now = Date(timeIntervalSinceReferenceDate: 0)
        let store = try Store.open(
            at: path,
            schema: Schema(Author.self, Book.self, Series.self, Shelf.self),
            configuration: Store.Configuration(actor: "test", now: { now })
        )
        defer { store.close() }
        try store.write(CommitContext(intent: "fill")) { transaction in
            try transaction.insert(Author(id: "kant", name: "Immanuel Kant"))
            try transaction.insert(Series(id: "critiques", title: "Critiques"))
            try transaction.insert(Shelf(id: "top", name: "Top"))
            for (id, title, pages) in [
                ("a", "Pure", 856), ("b", "Practical", 292), ("c", "Ding", nil),
            ] {
                try transaction.insert(
                    Book(
                        id: Identifier(id),
                        title: title,
                        pages: pages,
                        weight: id == "c" ? .nan : 0.5,
                        published: id == "a" ? Date(timeIntervalSinceReferenceDate: -0.25) : nil,
                        cover: id == "a" ? Data([0, 255]) : nil,
                        isLent: id == "b",
                        author: id == "c" ? nil : "kant",
                        series: id == "c" ? nil : "critiques"
                    )
                )
            }
            for id in ["a", "b", "a"] {
                try transaction.link(
                    Relationship<Shelf, Book>("books"),
                    from: "top",
                    to: Identifier(id)
                )
            }
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    struct Answer: Sendable {
        var outcome: Outcome
        var output: String
        var diagnostics: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs `reprise <subcommand…> <store> <words…>`.
    func run(_ subcommand: String, _ words: String..., screen: Int? = nil) -> Answer {
        run(subcommand, words, screen: screen)
    }

    func run(_ subcommand: String, _ words: [String], screen: Int? = nil) -> Answer {
        RunOutside.run(subcommand.split(separator: " ").map(String.init) + [path] + words, screen: screen)
    }
}
