import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One app in several versions, each with types of its own for the same stored models.
enum FirstVersion {
    struct Note: Model, Hashable {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("email", \.email)
        )
    }

    static let schema = Schema(Note.self)
}

/// Adds a model, attributes, a relationship and indexes; drops an index.
enum SecondVersion {
    struct Note: Model, Hashable {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        var color: String?
        var folder: Folder.ID?
        static let schema = ModelSchema(
            "note",
            version: 2,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true),
            .attribute("length", \.length),
            .attribute("email", \.email, unique: true),
            .attribute("color", \.color, indexed: true),
            .toOne("folder", \.folder)
        )
        .searchable("title")
    }

    struct Folder: Model, Hashable {
        var id: ID
        var name: String
        static let schema = ModelSchema(
            "folder",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name)
        )
        .toMany("notes", of: Note.self, inverse: "folder", onDelete: .cascade)
        static let notes = Relationship<Folder, Note>("notes")
    }

    static let schema = Schema(Folder.self, Note.self)
}

/// Code of the first version says `length` is required; here it need not be there.
enum LooseVersion {
    struct Note: Model, Hashable {
        var id: ID
        var title: String
        var length: Int?
        var email: String?
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("email", \.email)
        )
    }

    static let schema = Schema(Note.self)
}

/// Demands an email.
enum StrictVersion {
    struct Note: Model, Hashable {
        var id: ID
        var title: String
        var length: Int
        var email: String
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("email", \.email)
        )
    }

    static let schema = Schema(Note.self)
}

/// A store that several versions of the app open one after the other.
struct AppStore {
    private let directory: TemporaryDirectory
    private let configuration: Store.Configuration
    var path: String { directory.path("app") }

    /// Where views that many changes lead to are made.
    enum Views: CaseIterable {
        /// In those that serve, with the changes in memory.
        case present
        /// Beside those that serve, however few changes there are.
        case new

        var configuration: Store.Configuration {
            let isNew = self == .new
            var configuration = Store.Configuration(now: { Date(timeIntervalSince1970: 2_000_000_000) })
            configuration.travelEventCountMax = isNew ? 0 : .max
            configuration.convertedRowCountMin = isNew ? 1 : .max
            configuration.viewStepByteCount = 4096
            configuration.buildingByteCount = 1
            return configuration
        }
    }

    init(_ views: Views? = nil) throws {
        directory = try TemporaryDirectory()
        configuration = views?.configuration ?? Store.Configuration()
    }

    func open(_ schema: Schema) throws -> Store {
        try Store.open(at: path, schema: schema, configuration: configuration)
    }

    func with<R>(_ schema: Schema, _ body: (Store) throws -> R) throws -> R {
        let store = try open(schema)
        defer { store.close() }
        return try body(store)
    }

    /// Opens it in the first version, with notes "n0", "n1", … in it.
    func fill(_ count: Int) throws {
        try with(FirstVersion.schema) { store in
            try store.write { transaction in
                for number in 0..<count {
                    try transaction.insert(
                        FirstVersion.Note(
                            id: .init("n\(number)"),
                            title: "title \(number % 7)",
                            length: number,
                            email: number.isMultiple(of: 3) ? nil : "\(number)@example.org"
                        )
                    )
                }
            }
        }
    }

    /// Makes sure that every view is what follows from the log, folded one event after the other and sorted.
    func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
        let store = try Store.open(existing: path)
        defer { store.close() }
        #expect(try store.verify().faults == [], sourceLocation: location)
        let digest = try store.read { $0.digest }
        #expect(try store.replay().digest == digest, sourceLocation: location)
        #expect(try store.verify().faults == [], sourceLocation: location)
    }
}

/// The error that an operation throws.
func failure(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
