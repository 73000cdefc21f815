import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct Note: Model, Codable, Equatable {
    var id: ID
    var title: String
    var parent: ID?

    static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .toOne("parent", \.parent)
    )
}

struct IdentifierTests {
    struct Nothing {}

    @Test func `identifiers are equal exactly when their bytes are`() {
        let composed = Identifier<Nothing>("\u{E9}")
        let decomposed = Identifier<Nothing>("e\u{301}")
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
        #expect("a" as Identifier<Nothing> == Identifier("a"))
        #expect("\(composed)" == "\u{E9}")
    }

    @Test func `an identifier is written as a literal, with what it is made of, or as a UUID`() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(Note.ID(uuid).rawValue == "00112233-4455-6677-8899-aabbccddeeff")
        #expect("\(5)" as Note.ID == Note.ID("5"))
        #expect(String(Note.ID("five")) == "five")
        #expect(Note(id: "note-\(1 + 1)", title: "").id == "note-2")
    }

    /// VAL-01
    @Test func `a new identifier is a UUID of version 7 with the time of now`() throws {
        let before = UInt64(Date().timeIntervalSince1970 * 1000)
        let id = Note.ID()
        #expect(id.rawValue == id.rawValue.lowercased())
        let digits = id.rawValue.filter { $0 != "-" }
        #expect(digits.count == 32 && id.rawValue.count == 36)
        #expect(digits.dropFirst(12).first == "7")
        #expect(digits.dropFirst(16).first.map { "89ab".contains($0) } == true)
        let time = try #require(UInt64(digits.prefix(12), radix: 16))
        #expect(time + 1 >= before && time < before + 60_000)
        #expect(UUID(uuidString: id.rawValue) != nil)
    }

    /// VAL-01
    @Test func `new identifiers ascend and are never made twice, whichever thread makes them`() async {
        let ids = await withTaskGroup(of: [Note.ID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in Note.ID() } } }
            return await group.reduce(into: [[Note.ID]]()) { $0.append($1) }
        }
        for made in ids { #expect(made == made.sorted()) }
        #expect(Set(ids.flatMap(\.self)).count == 20_000)
    }

    /// VAL-01
    @Test func `identifiers of one millisecond ascend, more than 4096 of them and with a clock that goes back`() {
        var maker = TimeOrderedUUID()
        let now: UInt64 = 1_800_000_000_000
        let made = (0..<10_000).map { maker.next(at: $0 < 9000 ? now : now - 50).uuidString }
        #expect(made == made.sorted())
        #expect(Set(made).count == made.count)
        let later = maker.next(at: now + 1000)
        #expect(later.uuidString > made[9999])
    }

    /// VAL-02
    @Test func `a model is Codable without more, and its identifiers are plain strings`() throws {
        let note = Note(id: "a", title: "A", parent: "b")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(note)
        #expect(String(decoding: data, as: UTF8.self) == #"{"id":"a","parent":"b","title":"A"}"#)
        #expect(try JSONDecoder().decode(Note.self, from: data) == note)
    }

    /// VAL-03
    @Test func `an empty identifier is refused where a row would get it`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Note.self))
        func refusal(_ body: () throws -> Void) -> StoreError? {
            do {
                try body()
                return nil
            } catch {
                return error as? StoreError
            }
        }
        let inserted = refusal { try store.write { try $0.insert(Note(id: "", title: "")) } }
        #expect(inserted?.code == .invalidIdentifier)
        #expect(inserted?.message == "A new note has an empty identifier.")
        let put = refusal {
            try store.write { _ = try $0.put(.init(model: "note", id: ""), values: ["title": .string("")]) }
        }
        #expect(put?.code == .invalidIdentifier)
        let asked = try store.read { try $0.refusal(of: .init(model: "note", id: ""), inOrder: [.string(""), nil]) }
        #expect(asked?.code == .invalidIdentifier)
        let pointing = refusal { try store.write { try $0.insert(Note(id: "a", title: "", parent: "")) } }
        #expect(pointing?.code == .targetMissing)
        #expect(try store.fetch(Note.self, id: "") == nil)
    }
}
