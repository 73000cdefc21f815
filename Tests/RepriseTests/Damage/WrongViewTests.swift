import RepriseLMDB
import Testing

@testable import Reprise

/// Views that are not those of the log: HIS-44.
struct WrongViewTests {
    private struct Page: Model {
        var id: ID
        var title: String
        var book: Book.ID?

        static let schema = ModelSchema(
            "page",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true),
            .toOne("book", \.book)
        )
        .searchable("title")
    }

    private struct Book: Model {
        var id: ID

        static let pages = Relationship<Book, Page>("pages", inverse: \.book)
        static let marks = Relationship<Book, Page>("marks")
        static let schema = ModelSchema("book", Self.init, .id("id", \.id)).toMany(pages).toMany(marks)
    }

    private let store: Store

    init() throws {
        store = try Store.temporary(Schema(Book.self, Page.self))
        try store.write { tx in
            try tx.insert(Book(id: "b"))
            try tx.insert(Page(id: "p", title: "First words", book: "b"))
            try tx.insert(Page(id: "q", title: "Last", book: nil))
            try tx.append(Book.marks, of: "b", contentsOf: ["q", "p"])
            try tx.insert(Page(id: "gone", title: "Gone", book: "b"))
        }
        try store.write { try $0.delete(Page.self, id: "gone") }
        try store.createSnapshot(named: "here")
    }

    @Test(arguments: [VerificationReport.Kind.row, .index, .list, .backlink, .tombstone, .label])
    func `each entry that is missing, changed or too many is a fault of its view`(
        _ kind: VerificationReport.Kind
    ) throws {
        #expect(try store.verify().isSound)
        let entries = try entries(kind)
        #expect(!entries.isEmpty)
        for (key, value) in entries {
            try set(kind, key, nil)
            try expectFault(kind, "This entry is missing.")
            try set(kind, key, value.dropLast() + [value.last.map { $0 ^ 1 } ?? 1])
            try expectFault(kind, "This entry differs from what follows from the log.")
            try set(kind, key, value)
            try set(kind, key + [0], value)
            try expectFault(kind, "This entry does not follow from the log.")
            try set(kind, key + [0], nil)
        }
        #expect(try store.verify().isSound)
    }

    @Test func `a verification can be ended while it compares`() throws {
        var seen: [Int] = []
        _ = try store.verify {
            seen.append($0.eventCount)
            return true
        }
        #expect(seen.last == seen.dropLast().last)
        var left = seen.count - 1
        let error = #expect(throws: StoreError.self) {
            try store.verify { _ in
                left -= 1
                return left >= 0
            }
        }
        #expect(error?.code == .cancelled)
        #expect(try store.verify().isSound)
    }

    private func expectFault(_ kind: VerificationReport.Kind, _ message: String) throws {
        let faults = try store.verify().faults
        #expect(faults.contains { $0.kind == kind && $0.message == message }, "\(faults)")
    }

    private func table(_ kind: VerificationReport.Kind) -> Table {
        let tables = store.tables[.a]
        switch kind {
        case .row: return tables.rows
        case .index: return tables.index
        case .list: return tables.edges
        case .backlink: return tables.backlinks
        case .tombstone: return tables.tombstones
        default: return tables.labels
        }
    }

    private func entries(_ kind: VerificationReport.Kind) throws -> [(key: [UInt8], value: [UInt8])] {
        let transaction = try store.environment.beginRead()
        var cursor = try transaction.reader.cursor(table(kind))
        var entries: [(key: [UInt8], value: [UInt8])] = []
        while try cursor.next() { entries.append(unsafe ([UInt8](cursor.key), [UInt8](cursor.value))) }
        return entries
    }

    /// Writes an entry past the log; without a value it is removed.
    private func set(_ kind: VerificationReport.Kind, _ key: [UInt8], _ value: [UInt8]?) throws {
        let transaction = try store.environment.beginWrite()
        try unsafe key.withUnsafeBytes { key in
            if let value {
                try unsafe value.withUnsafeBytes { try unsafe transaction.put(table(kind), key: key, value: $0) }
            } else {
                _ = try unsafe transaction.delete(table(kind), key: key)
            }
        }
        try transaction.commit()
    }
}
