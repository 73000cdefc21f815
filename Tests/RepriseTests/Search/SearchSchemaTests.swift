import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// A search index in the schema, and its entries in the views (SRC-32).
struct SearchSchemaTests {
    private func schema(_ change: (inout SearchDescription) -> Void = { _ in }) -> SchemaDescription
    {
        var description = SearchStore.schema.description
        if var search = description.models[1].search {
            change(&search)
            description.models[1].search = search
        }
        return description
    }

    @Test func `a schema with a search index comes back as it was`() throws {
        let description = schema()
        #expect(
            description.models[1].search
                == SearchDescription(
                    number: 2,
                    fields: [.init(slot: 0, weight: 2), .init(slot: 1, weight: 1)]
                )
        )
        let bytes = description.encode()
        #expect(bytes[4] == 2)
        #expect(try SchemaDescription(decoding: bytes) == description)
        var plain = description
        plain.models[1].search = nil
        #expect(plain.encode()[4] == 1)
    }

    private func declared(_ bytes: [UInt8]) throws(StoreError) -> SchemaDescription {
        try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try unsafe SchemaDescription(inLog: bytes) }
        }.get()
    }

    @Test func `what this version does not know is refused by name`() throws {
        var bytes = schema().encode()
        bytes[4] = 5
        #expect(throws: SchemaError.self) { try SchemaDescription(decoding: bytes) }
        let error = #expect(throws: StoreError.self) { try declared(bytes) }
        #expect(error?.code == .newerFormat)
        // Another tokenizer: the byte before the number of the search index.
        bytes = schema().encode()
        let tail = [1, 2, 0, 2, 0, 0, 2, 1, 0, 1] as [UInt8]
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: tail) })
        bytes[place] = 2
        let other = #expect(throws: StoreError.self) { try declared(bytes) }
        #expect(other?.code == .newerFormat)
        bytes[place + 9] = 0
        bytes[place] = 1
        let damaged = #expect(throws: StoreError.self) { try declared(bytes) }
        #expect(damaged?.code == .corrupted)
        // Version 2 for a schema that version 1 can say.
        var plain = schema()
        plain.models[1].search = nil
        #expect(throws: SchemaError.self) {
            try SchemaDescription(decoding: [0x52, 0x50, 0x53, 0x44, 2, 0, 0, 0, 0])
        }
    }

    @Test func `a search index that cannot be is refused`() {
        for broken in [
            schema { $0.number = 1 }, schema { $0.number = 0 }, schema { $0.fields = [] },
            schema { $0.fields[0].slot = 3 }, schema { $0.fields[0].slot = 9 },
            schema { $0.fields[0].slot = 1 }, schema { $0.fields[0].weight = 0 },
            schema { $0.fields = Array(repeating: $0.fields[0], count: 17) },
        ] {
            let error = #expect(throws: SchemaError.self) { try broken.validate() }
            #expect(error?.code == .invalidIndex)
        }
    }

    @Test func `broken bytes of a schema with a search index never stop the program`() {
        var random = SeededGenerator(seed: 5)
        let bytes = schema().encode()
        for _ in 0..<10_000 {
            var broken = bytes
            broken[random.below(broken.count)] = UInt8(truncatingIfNeeded: random.next())
            if random.once(in: 4) { broken.removeLast(random.below(broken.count)) }
            guard let other = try? SchemaDescription(decoding: broken) else { continue }
            #expect(other.encode() == broken)
        }
    }

    @Test func `entries are as the page says`() throws {
        struct Page: Model {
            var id: ID
            var title: String
            var text: String?
            static let schema = ModelSchema(
                "page",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .attribute("text", \.text)
            )
            .searchable("title", weight: 2).searchable("text")
        }
        let place = try TemporaryDirectory()
        let store = try Store.open(at: place.path("store"), schema: Schema(Page.self))
        try store.write { try $0.insert(Page(id: "x", title: "L'Été", text: "In été!")) }
        store.close()
        var written: [String: [UInt8]] = [:]
        for (number, entry) in (try RawTables.read(place.path("store"))["index.a"] ?? [])
            .enumerated()
        {
            written["index \(number + 1), key"] = entry.key
            written["index \(number + 1), value"] = entry.value
        }
        try SpecificationPage("search").check(written)
    }
}
