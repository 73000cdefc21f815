import Foundation
import Testing

@testable import Reprise

/// What an app shows of an error.
struct ErrorTextTests {
    private struct Thing: Model {
        var id: ID
        var title: String

        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("title", \.title))
    }

    /// VAL-04
    @Test func `the sentence of an error is what Foundation shows of it`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Thing.self))
        try store.write { try $0.insert(Thing(id: "a", title: "A")) }
        do {
            try store.write { try $0.insert(Thing(id: "a", title: "B")) }
            Issue.record("It was inserted twice.")
        } catch {
            let shown: any Error = error
            #expect(shown.localizedDescription == #"There already is a thing "a"."#)
            let localized = try #require(shown as? any LocalizedError)
            #expect(localized.recoverySuggestion == "Update it, or choose another identifier.")
        }
    }

    /// VAL-04
    @Test func `mistakes in a schema and in values have a sentence, too`() {
        let mistake: any Error = SchemaError(.missingModel, model: "note", attribute: "folder", message: "Add it.")
        #expect(mistake.localizedDescription == "note.folder: Add it.")
        let value: any Error = ValueError(.missingValue, attribute: "title")
        #expect(value.localizedDescription.hasPrefix(#"attribute "title" is required"#))
    }
}
