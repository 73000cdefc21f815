import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct Shelf: Model {
    var id: ID
    var label: String
    static let schema = ModelSchema(
        "shelf",
        Self.init,
        .id("id", \.id),
        .attribute("label", \.label)
    )
    .toMany("books", of: Book.self, inverse: "shelf", onDelete: .cascade)
}

private struct Cover: Embedded, Equatable {
    var color: String?
    var width: Double
    static let embedded = EmbeddedSchema(
        Self.init,
        .attribute("color", \.color),
        .attribute("width", \.width)
    )
}

private enum Binding: Int, StoredValue { case paper, cloth }

private struct Book: Model, Equatable {
    var title: String
    var id: ID
    var pages: Int = 0
    var price: Decimal?
    var binding: Binding?
    var tags: [String] = []
    var cover: Cover?
    var shelf: Shelf.ID?
    var printed: Date?
    private(set) var isbn: UUID?
    var ratio: Float = 0
    var raw: Data = Data()
    var marks: Set<Int> = []
    var words: [String: Int] = [:]

    static let schema = ModelSchema(
        "book",
        version: 2,
        Self.init,
        .attribute("title", \.title, indexed: true),
        .id("id", \.id),
        .attribute("pages", \.pages, default: 10),
        .attribute("price", \.price),
        .attribute("binding", \.binding),
        .attribute("tags", \.tags),
        .attribute("cover", \.cover),
        .toOne("shelf", \.shelf),
        .attribute("printed", \.printed),
        .attribute("isbn", \.isbn),
        .attribute("ratio", \.ratio),
        .attribute("raw", \.raw),
        .attribute("marks", \.marks),
        .attribute("words", \.words)
    )
}

/// Its stored property is reached through a computed one, which has no offset in memory.
private struct Computed: Model {
    var id: ID
    var stored: Int
    var shown: Int { stored * 2 }
    init(id: ID, shown: Int) {
        self.id = id
        stored = shown / 2
    }
    static let schema = ModelSchema(
        "computed",
        { Computed(id: $0, shown: $1) },
        .id("id", \.id),
        .attribute("shown", \.shown)
    )
}

struct ModelSchemaTests {
    private let book = Book(
        title: "T\0é",
        id: "b1",
        pages: -3,
        price: 12.5,
        binding: .cloth,
        tags: ["x", ""],
        cover: Cover(color: nil, width: 2),
        shelf: "s1",
        printed: Date(timeIntervalSinceReferenceDate: 1),
        isbn: nil,
        ratio: 1.5,
        raw: Data([1, 2]),
        marks: [3, 1],
        words: ["a": 1]
    )

    private func encode<M: Model>(_ model: M, _ slots: SlotMap? = nil) throws -> [UInt8] {
        var writer = RowPayloadWriter()
        let map = slots ?? SlotMap(identity: M.schema.declaration.stored.count)
        let fields = map.fields(of: M.schema.declaration)
        try unsafe withUnsafePointer(to: model) { pointer throws(ValueError) in
            try unsafe writer.writeRow(
                UnsafeRawPointer(pointer),
                fields.map { field in unsafe field.map { unsafe Unmanaged.passUnretained($0) } }
            )
        }
        withExtendedLifetime(fields) {}
        return writer.array
    }

    private func decode<M: Model>(_ id: String, _ bytes: [UInt8], _ slots: SlotMap? = nil) throws
        -> M
    {
        let map = slots ?? SlotMap(identity: M.schema.declaration.stored.count)
        return try unsafe bytes.withUnsafeBytes {
            try M.schema.decode(id: Identifier(id), payload: unsafe RowPayload($0), slots: map)
        }
    }

    @Test func `a model of every type round-trips`() throws {
        #expect(try decode("b1", encode(book)) == book)
    }

    @Test func `a computed property is stored through its key path`() throws {
        let back: Computed = try decode("c", encode(Computed(id: "c", shown: 8)))
        #expect(back.stored == 4)
    }

    @Test func `stored slots may be in another order than properties`() throws {
        let count = Book.schema.declaration.stored.count
        let map = SlotMap(slots: (0..<count).map { count + 1 - $0 }, slotCount: count + 2)
        let bytes = try encode(book, map)
        #expect(try decode("b1", bytes, map) == book)
        let title = try unsafe bytes.withUnsafeBytes {
            unsafe try String.read(try #require(try RowPayload($0).slot(count + 1)))
        }
        #expect(title == book.title)
    }

    @Test func `slots are found by name in the stored schema`() throws {
        let schema = Schema(Shelf.self, Book.self)
        var stored = try #require(schema.model(Book.self))
        stored.attributes[0].slot = 13
        stored.slotCount = 14
        let map = try SlotMap(Book.schema.declaration, stored: stored)
        #expect(map.slots == [13] + Array(1...12))
        #expect(map.attributes == [-1] + Array(1...12) + [0])
        stored.attributes[0].type = .int
        #expect(throws: SchemaError.self) { try SlotMap(Book.schema.declaration, stored: stored) }
    }

    @Test func `a row from before an attribute takes its default, or names what is missing`() throws
    {
        var writer = RowPayloadWriter()
        var row = writer.beginRow(slotCount: 1)
        writer.write("old", in: &row)
        try writer.endRow(row)
        let bytes = writer.array
        #expect(throws: ValueError(.missingValue, attribute: "tags")) {
            let _: Book = try decode("b", bytes)
        }
    }

    @Test func `an error inside an embedded struct names the field`() throws {
        var bytes = try encode(Book(title: "", id: "x", cover: Cover(color: "red", width: 1)))
        let place = try #require(bytes.firstRange(of: Array("red".utf8)))
        bytes[place.lowerBound] = 0xFF
        #expect(throws: ValueError(.invalidText, attribute: "cover.color")) {
            let _: Book = try decode("x", bytes)
        }
    }

    @Test func `mutated rows never trap when they are decoded`() throws {
        var random = Seeded(state: 8)
        let good = try encode(book)
        let map = SlotMap(identity: Book.schema.declaration.stored.count)
        for _ in 0..<10_000 {
            var bytes = good
            random.mutate(&bytes)
            unsafe bytes.withUnsafeBytes {
                guard let payload = try? unsafe RowPayload(trusting: $0) else { return }
                _ = try? Book.schema.decode(id: "b1", payload: payload, slots: map)
            }
        }
    }

    @Test func `a to-one is written with order key zero and read past it`() throws {
        let bytes = try encode(book)
        try unsafe bytes.withUnsafeBytes {
            let slot = unsafe try #require(try RowPayload($0).slot(6))
            #expect(unsafe Array(slot) == Array(repeating: 0, count: 8) + Array("s1".utf8))
        }
    }

    @Test func `a property finds its stored name`() {
        #expect(Book.schema.attributeName(of: \.title) == "title")
        #expect(Book.schema.attributeName(of: \.title.count) == nil)
    }

    @Test func `both sides of a to-one become one relation`() throws {
        let description = Schema(Shelf.self, Book.self).description
        #expect(
            description.relations == [
                RelationDescription(
                    number: 1,
                    kind: .reference(slot: 6),
                    source: .init(model: 2, name: "shelf", onDelete: .nullify),
                    target: .init(model: 1, name: "books", onDelete: .cascade)
                )
            ]
        )
        #expect(
            description.model(named: "book")?.indexes == [
                .init(number: 1, slots: [0], isUnique: false)
            ]
        )
    }
}
