import Foundation
import Reprise
import TestSupport
import Testing

/// What opening with a declaration would do can be asked beforehand (STO-87).
@Suite struct SchemaPlanTests {
    private typealias One = FirstVersion
    private typealias Two = SecondVersion

    @Test func `a plan names each step with the rows that it reads, and changes nothing`() throws {
        let app = try AppStore()
        try app.fill(10)
        let before = try content(of: app)
        let plan = try Store.plan(Two.schema, at: app.path)
        #expect(!plan.isRefused && !plan.isOlder)
        #expect(
            plan.steps.map(\.description) == [
                "adds the model folder", "sets the version of note to 2", "adds note.color", "adds note.folder",
                "builds an index of note: title", "builds a unique index of note: email",
                "builds an index of note: color", "drops the index of note: length",
                "builds the search index of note: title", "adds the relationship note.folder",
            ]
        )
        #expect(plan.steps.map(\.rowCount) == [0, 0, 0, 0, 10, 10, 10, 0, 10, 0])
        #expect(plan.steps.filter(\.buildsIndex).map(\.names) == [["title"], ["email"], ["color"], ["title"]])
        #expect(
            Set(plan.steps.map(\.kind)) == [
                "addsModel", "setsVersion", "addsAttribute", "addsIndex", "addsUniqueIndex", "dropsIndex",
                "addsSearchIndex", "addsRelationship",
            ]
        )
        #expect(try content(of: app) == before)
    }

    @Test func `a declaration that was made is no step any more, and the one before it is older`() throws {
        let app = try AppStore()
        try app.fill(1)
        #expect(try Store.plan(One.schema, at: app.path).steps.isEmpty)
        try app.with(Two.schema) { _ in }
        let newer = try Store.plan(Two.schema, at: app.path)
        #expect(newer.steps.isEmpty && !newer.isOlder && !newer.isRefused)
        let older = try Store.plan(One.schema, at: app.path)
        #expect(older.steps.isEmpty && older.isOlder && !older.isRefused)
    }

    @Test func `code that is too old is told why`() throws {
        let app = try AppStore()
        try app.fill(1)
        try app.with(LooseVersion.schema) { _ in }
        let plan = try Store.plan(One.schema, at: app.path)
        #expect(plan.isOlder && plan.isRefused)
        #expect(
            plan.refusals
                == ["A newer version of the program has changed the schema: note.length is optional now."]
        )
        #expect(failure { try app.with(One.schema) { _ in } }?.code == .newerSchema)
    }

    @Test func `refusals are those of opening, word for word`() throws {
        let app = try AppStore()
        try app.fill(1)
        let declared = Schema(Shorter.self)
        let plan = try Store.plan(declared, at: app.path)
        #expect(plan.isRefused && !plan.isOlder)
        #expect(plan.refusals.count == 2)
        #expect(plan.steps.map(\.description) == ["drops the index of note: length"])
        let error = failure { try app.with(declared) { _ in } }
        #expect(error?.cause == .schemaMismatch(plan.refusals))
    }

    @Test func `a check of every row is a step, and rows that fail it are found when the change is made`() throws {
        let app = try AppStore()
        try app.fill(4)
        let plan = try Store.plan(StrictVersion.schema, at: app.path)
        #expect(plan.steps.map(\.kind) == ["makesRequired"])
        #expect(plan.steps.map(\.rowCount) == [4])
        #expect(!plan.isRefused)
        #expect(failure { try app.with(StrictVersion.schema) { _ in } }?.code == .invalidValue)
    }

    @Test func `a plan of a store that is not there makes none`() throws {
        let app = try AppStore()
        #expect(failure { _ = try Store.plan(One.schema, at: app.path) }?.code == .storeNotFound)
        #expect(!FileManager.default.fileExists(atPath: app.path))
    }

    private func content(of app: AppStore) throws -> Data {
        try Data(contentsOf: URL(filePath: app.path).appending(path: "data.mdb"))
    }

    /// Its title is a number, and it has no email.
    private struct Shorter: Model {
        var id: ID
        var title: Int
        var length: Int
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length)
        )
    }
}
