import FaultSupport
import RepriseLMDB
import TestSupport
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private enum Shop {
    enum One {
        struct Item: Model {
            var id: ID
            var name: String
            var price: Double
            var shelf: Shelf.ID?
            static let schema = ModelSchema(
                "item",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, indexed: true),
                .attribute("price", \.price, indexed: true),
                .toOne("shelf", \.shelf)
            )
        }

        struct Shelf: Model {
            var id: ID
            var room: String
            static let schema = ModelSchema("shelf", Self.init, .id("id", \.id), .attribute("room", \.room))
                .toMany("items", of: Item.self, inverse: "shelf")
                .toMany("seen", of: Item.self)
            static let seen = Relationship<Shelf, Item>("seen")
        }

        static let schema = Schema(Item.self, Shelf.self)
    }

    enum Two {
        struct Item: Model, Hashable {
            var id: ID
            var name: String
            var price: Int
            var shelf: Shelf.ID?
            static let schema = ModelSchema(
                "item",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, indexed: true),
                .attribute("price", \.price, indexed: true),
                .toOne("shelf", \.shelf)
            )
            .searchable("name")
            .converting("price", from: "price") { (price: Double) in Int(price * 100) }
        }

        struct Shelf: Model, Hashable {
            var id: ID
            var room: String
            static let schema = ModelSchema("shelf", Self.init, .id("id", \.id), .attribute("room", \.room))
                .toMany("items", of: Item.self, inverse: "shelf")
                .toMany("seen", of: Item.self)
            static let seen = Relationship<Shelf, Item>("seen")
        }

        static let schema = Schema(Item.self, Shelf.self)
    }

    /// A store with lists of both kinds, deleted rows, a snapshot and annotations.
    static func fill(_ path: String) throws {
        let store = try Store.open(at: path, schema: One.schema)
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<3 {
                try transaction.insert(One.Shelf(id: .init("s\(number)"), room: "room \(number)"))
            }
            for number in 0..<500 {
                try transaction.insert(
                    One.Item(
                        id: .init("i\(number)"),
                        name: "thing \(number % 17)",
                        price: Double(number) / 4,
                        shelf: number % 5 == 0 ? nil : .init("s\(number % 3)")
                    )
                )
                try transaction.append(One.Shelf.seen, of: .init("s\(number % 2)"), .init("i\(number)"))
            }
        }
        try store.createSnapshot(named: "before")
        try store.write { transaction in
            for number in stride(from: 0, to: 500, by: 9) {
                _ = try transaction.delete(One.Item.self, id: .init("i\(number)"))
            }
            try transaction.annotate(name: "shop.note", key: "1", payload: [1, 2, 3])
        }
    }
}

/// Where functions convert most rows, all views are written anew beside the old ones.
@Suite struct `Views that a conversion writes anew` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(inMemory: true)
        try Shop.fill(scratch("shop"))
    }

    private func open(_ path: String, convertedRowCountMin: Int) throws -> Store {
        var configuration = Store.Configuration(now: { Date(timeIntervalSince1970: 2_000_000_000) })
        configuration.convertedRowCountMin = convertedRowCountMin
        configuration.viewStepByteCount = 4096
        return try Store.open(at: path, schema: Shop.Two.schema, configuration: configuration)
    }

    /// How many transactions the file has had, and how many rows both sets of tables have together.
    private func look(at path: String) throws -> (transactionCount: UInt64, rowCount: Int) {
        let environment = try Environment.open(at: path, tables: StoreTables.names)
        defer { environment.close() }
        let tables = StoreTables(environment)
        let transaction = try environment.beginRead()
        let counts = try ViewSet.allCases.map { try transaction.reader.entryCount(tables[$0].rows) }
        return (try environment.statistics().lastTransactionID, counts.reduce(0, +))
    }

    @Test func `a change that is refused or cancelled leaves nothing of the new views`() throws {
        // STO-82, STO-91, STO-94
        let before = try look(at: scratch("shop"))
        // The rows are written by then: a new index is built of them.
        var configuration = Store.Configuration(schemaProgress: { $0.rowCount < 800 })
        configuration.convertedRowCountMin = 1
        configuration.viewStepByteCount = 4096
        let cancelled = failure {
            try Store.open(at: scratch("shop"), schema: Shop.Two.schema, configuration: configuration).close()
        }
        #expect(cancelled?.code == .cancelled)
        let after = try look(at: scratch("shop"))
        #expect(after.rowCount == before.rowCount)
        try open(scratch("shop"), convertedRowCountMin: 1).close()
        let made = try look(at: scratch("shop"))
        #expect(made.rowCount == before.rowCount)
        #expect(made.transactionCount > after.transactionCount + 5, "It takes several transactions.")
    }

    @Test func `log and state are those of a conversion in place, to the last hash`() throws {
        // STO-82, STO-91
        try FileManager.default.copyItem(atPath: scratch("shop"), toPath: scratch("other"))
        let new = try open(scratch("shop"), convertedRowCountMin: 1)
        defer { new.close() }
        let inPlace = try open(scratch("other"), convertedRowCountMin: .max)
        defer { inPlace.close() }
        let (one, other) = (try new.statistics(), try inPlace.statistics())
        #expect(one.head == other.head && one.commitCount == other.commitCount)
        #expect(one.digest == other.digest && one.counts.map(\.count) == other.counts.map(\.count))
        let commits = try [new, inPlace].map { store in
            try store.read { transaction in
                var hashes: [String] = []
                try transaction.forEachCommit { commit in
                    hashes.append("\(commit.hash)")
                    return true
                }
                return hashes
            }
        }
        #expect(commits[0] == commits[1])
        #expect(try new.verify().faults == [])
        #expect(try new.fetch(Shop.Two.Item.self) == (try inPlace.fetch(Shop.Two.Item.self)))
        #expect(try new.replay().digest == one.digest)
    }

    @Test func `indexes, lists, search and annotations are there, and a rollback goes back over it`() throws {
        // STO-82, STO-86, STO-91
        let store = try open(scratch("shop"), convertedRowCountMin: 1)
        defer { store.close() }
        let cheap = FetchDescriptor<Shop.Two.Item>().where { $0.price == 25 }
        #expect(try store.fetch(cheap).map(\.id) == ["i1"])
        #expect("\(try store.explain(cheap))".contains("index"))
        #expect(try store.count(FetchDescriptor<Shop.Two.Item>().where { $0.name == "thing 3" }) > 20)
        #expect(!(try store.search(Shop.Two.Item.self, "thing", limit: 5)).isEmpty)
        let seen = try store.read { try $0.fetch(Shop.Two.Shelf.seen, of: "s1").map(\.id) }
        #expect(seen.prefix(3) == ["i1", "i3", "i5"])
        #expect(try store.snapshots().map(\.name) == ["before"])
        #expect(try store.read { try $0.annotation(name: "shop.note", key: "1")?.payload } == [1, 2, 3])
        try store.write { try $0.append(Shop.Two.Shelf.seen, of: "s2", "i1") }
        try store.rollback(to: .snapshot("before"))
        #expect(try store.count(Shop.Two.Item.self) == 500)
        #expect(try store.fetch(cheap).map(\.id) == ["i1"])
        #expect(try store.verify().faults == [])
    }

    @Test func `what rollbacks bring back is built and converted as in memory and in place, to the last hash`() throws {
        // HIS-28, STO-86
        var (outcomes, transactionCounts): ([[String]], [UInt64]) = ([], [])
        for (travel, rowCountMin) in [(Int.max, Int.max), (.max, 1), (0, 1)] {
            let path = scratch("travel \(travel) convert \(rowCountMin)")
            try FileManager.default.copyItem(atPath: scratch("shop"), toPath: path)
            var configuration = AppStore.Views.new.configuration
            configuration.travelEventCountMax = travel
            configuration.convertedRowCountMin = rowCountMin
            let store = try Store.open(at: path, schema: Shop.Two.schema, configuration: configuration)
            let converted = try store.statistics().head
            try store.write { transaction in
                try transaction.update(Shop.Two.Item.self, id: "i1") { $0.price = 7 }
                try transaction.update(Shop.Two.Item.self, id: "i2") { $0.name = "another thing" }
                _ = try transaction.delete(Shop.Two.Shelf.self, id: "s0")
            }
            var lines: [String] = []
            let positions = [converted, .origin, Position(rawValue: 500)]
            for point in [.snapshot("before")] + positions.map(Point.position) + [.snapshot("before")] {
                lines.append("\(try store.rollback(to: point))")
                let cheap = FetchDescriptor<Shop.Two.Item>().where { $0.price < 200 }
                lines.append("\(try store.fetch(cheap)) \(try store.explain(cheap))")
                lines.append("\(try store.search(Shop.Two.Item.self, "thing", limit: nil).count)")
                lines.append("\(try store.read { try $0.fetch(Shop.Two.Shelf.seen, of: "s1").count })")
                lines.append("\(try store.statistics().counts) \(try store.snapshots().map(\.name))")
                #expect(try store.verify().faults == [])
            }
            #expect(try store.replay().digest == store.statistics().digest)
            outcomes.append(lines + [try lastHash(of: store)])
            store.close()
            transactionCounts.append(try look(at: path).transactionCount)
        }
        let differences = zip(transactionCounts.dropFirst(), transactionCounts).map { $0 - $1 }
        #expect(differences.allSatisfy { $0 > 5 }, "What is made beside takes several transactions.")
        #expect(zip(outcomes[1], outcomes[2]).allSatisfy { $0 == $1 })
        #expect(zip(outcomes[0], outcomes[1]).allSatisfy { $0 == $1 })
    }

    @Test func `rows that functions refuse after the rollback of a tool stay as they are both ways`() throws {
        // STO-86
        struct Item: Model {
            var id: ID
            var name: String
            var price: Int
            var label: String?
            static let schema = ModelSchema(
                "item",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, indexed: true),
                .attribute("price", \.price, indexed: true),
                .attribute("label", \.label, unique: true)
            )
            .converting("price", from: "price") { (price: Double) throws -> Int in
                guard price < 100 else { throw StoreError(.invalidValue, "No.", advice: "") }
                return Int(price * 100)
            }
            .converting("label", from: "name", "price") { (name: String, price: Double) in
                // Of two rows with the same name the same.
                Optional("\(name) \(price == 99.25 ? 82.25 : price)")
            }
            .removed("shelf")
        }
        let schema = Schema(Item.self, removed: ["shelf"])
        let first = try Store.open(at: scratch("shop"), schema: Shop.One.schema)
        let full = try first.statistics().head
        try first.write { _ = try $0.delete(Shop.One.Item.self, where: { $0.price >= 20 }) }
        first.close()
        var outcomes: [[String]] = []
        for views in AppStore.Views.allCases {
            let path = scratch("\(views)")
            try FileManager.default.copyItem(atPath: scratch("shop"), toPath: path)
            func open() throws -> Store {
                try Store.open(at: path, schema: schema, configuration: views.configuration)
            }
            try open().close()
            let tool = try Store.open(existing: path, configuration: views.configuration)
            try tool.rollback(to: .position(full))
            tool.close()
            let store = try open()
            defer { store.close() }
            let records = try store.read { try $0.records(RecordQuery(model: "item")) }
            let (refused, same) = (records.count { $0["price"] == .null }, records.count { $0["label"] == .null })
            #expect(refused == 90 && same == 1)
            #expect(try store.verify().faults == [])
            outcomes.append(records.map { "\($0)" } + [try lastHash(of: store)])
        }
        let differences = zip(outcomes[0], outcomes[1]).filter { $0 != $1 }
        #expect(differences.isEmpty)
    }

    private func lastHash(of store: Store) throws -> String {
        try store.read { transaction in
            var hash = ""
            try transaction.forEachCommit(from: transaction.position) {
                hash = "\($0.hash)"
                return true
            }
            return hash
        }
    }
}
