import Reprise
import Synchronization
import TestSupport
import Testing

private enum Diary {
    enum One {
        struct Entry: Model {
            var id: ID
            var first: String
            var last: String
            var stars: Double
            var day: String?
            var isGood: Bool
            static let schema = ModelSchema(
                "entry",
                Self.init,
                .id("id", \.id),
                .attribute("first", \.first),
                .attribute("last", \.last),
                .attribute("stars", \.stars, indexed: true),
                .attribute("day", \.day),
                .attribute("isGood", \.isGood)
            )
        }
    }

    enum Two {
        struct Entry: Model, Hashable {
            var id: ID
            var name: String
            var stars: Int
            var day: Int?
            var mood: String
            static let schema = ModelSchema(
                "entry",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, unique: true),
                .attribute("stars", \.stars, indexed: true),
                .attribute("day", \.day, indexed: true),
                .attribute("mood", \.mood)
            )
            .searchable("name")
            .converting("name", from: "first", "last") { (first: String, last: String) in "\(first) \(last)" }
            .converting("stars", from: "stars") { (stars: Double) throws -> Int in
                guard let whole = Int(exactly: stars) else { throw NotWhole(stars: stars) }
                return whole
            }
            .converting("day", from: "day") { (day: String) -> Int? in Int(day) }
            .converting("mood", from: "isGood") { (isGood: Bool) in isGood ? "good" : "bad" }
        }
    }

    struct NotWhole: Error, CustomStringConvertible {
        let stars: Double
        var description: String { "\(stars) is not whole" }
    }

    static func fill(_ app: AppStore, count: Int = 6) throws {
        try app.with(Schema(One.Entry.self)) { store in
            try store.write { transaction in
                for number in 0..<count {
                    try transaction.insert(
                        One.Entry(
                            id: .init("e\(number)"),
                            first: "Ada",
                            last: "\(number)",
                            stars: Double(number),
                            day: number == 1 ? nil : number == 2 ? "Monday" : "\(number)",
                            isGood: number.isMultiple(of: 2)
                        )
                    )
                }
            }
        }
    }
}

@Suite struct `Converting attributes` {
    let app: AppStore

    init() throws {
        app = try AppStore()
    }

    @Test func `functions make the values of attributes of another type, and of those made of others`() throws {
        // STO-91
        try Diary.fill(app)
        try app.with(Schema(Diary.Two.Entry.self)) { store in
            let entries = try store.fetch(FetchDescriptor<Diary.Two.Entry>())
            #expect(entries.count == 6)
            #expect(entries[0] == Diary.Two.Entry(id: "e0", name: "Ada 0", stars: 0, day: 0, mood: "good"))
            #expect(entries[1].day == nil && entries[2].day == nil && entries[3].day == 3)
            #expect(entries[1].mood == "bad")
            let five = FetchDescriptor<Diary.Two.Entry>().where { $0.stars == 5 }
            let explanation = try store.explain(five)
            #expect("\(explanation)".contains("index"))
            #expect(try store.fetch(five).map(\.id) == ["e5"])
            #expect(try store.search(Diary.Two.Entry.self, "ada", limit: nil).count == 6)
            let taken = failure {
                try store.write { try $0.insert(Diary.Two.Entry(id: "x", name: "Ada 0", stars: 1, mood: "bad")) }
            }
            #expect(taken?.code == .uniqueViolation)
        }
        try app.expectSound()
    }

    @Test func `what functions made is in the log, behind the declaration and with what was there before`() throws {
        // STO-82, STO-91, STO-92
        try Diary.fill(app, count: 2)
        try app.with(Schema(Diary.Two.Entry.self)) { _ in }
        let store = try Store.open(existing: app.path)
        defer { store.close() }
        let last = try store.read { transaction in
            var last: CommitRecord?
            try transaction.forEachCommit(reversed: true) { commit in
                last = commit
                return false
            }
            return last
        }
        #expect(last?.events.map(\.type) == ["schemaDeclared", "updated", "updated"])
        #expect(last?.events.last?.changes.contains { $0.name == "name" && $0.to == .string("Ada 1") } == true)
        let record = try store.read { try $0.record(model: "entry", id: "e1") }
        #expect(record?.values.map(\.name) == ["name", "stars", "mood"])
    }

    @Test(arguments: [1, Int.max])
    func `a row that a function refuses forbids the change, and is named`(_ rowCountMin: Int) throws {
        // STO-91
        try Diary.fill(app)
        try app.with(Schema(Diary.One.Entry.self)) { store in
            _ = try store.write { try $0.update(Diary.One.Entry.self, id: "e3") { $0.stars = 2.5 } }
        }
        let digest = try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.digest } }
        var configuration = Store.Configuration()
        configuration.convertedRowCountMin = rowCountMin
        let error = failure {
            try Store.open(at: app.path, schema: Schema(Diary.Two.Entry.self), configuration: configuration).close()
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("entry.stars cannot be made of the values of e3 (2.5 is not whole)") == true)
        #expect(try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.digest } } == digest)
        try app.expectSound()
    }

    @Test func `rows of the past are converted when they are read, and when a rollback brings them back`() throws {
        // STO-86, STO-91
        try Diary.fill(app)
        let before = try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.position } }
        try app.with(Schema(Diary.Two.Entry.self)) { store in
            let past = try store.read(asOf: .position(before)) { try $0.fetch(Diary.Two.Entry.self, id: "e4") }
            #expect(past == Diary.Two.Entry(id: "e4", name: "Ada 4", stars: 4, day: 4, mood: "good"))
            try store.write {
                _ = try $0.update(Diary.Two.Entry.self, id: "e4") { $0.name = "changed" }
                _ = try $0.delete(Diary.Two.Entry.self, id: "e5")
            }
            let report = try store.rollback(to: .position(before))
            #expect(try store.read(asOf: .position(report.head)) { $0.digest } == report.digest)
            let five = FetchDescriptor<Diary.Two.Entry>().where { $0.stars == 5 }
            #expect(try store.fetch(five).map(\.name) == ["Ada 5"])
            #expect(try store.fetch(Diary.Two.Entry.self, id: "e4")?.name == "Ada 4")
        }
        try app.expectSound()
    }

    @Test func `rows that a tool without the functions has rolled back are converted at the next opening`() throws {
        // STO-86
        try Diary.fill(app)
        let before = try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.position } }
        try app.with(Schema(Diary.Two.Entry.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        try tool.rollback(to: .position(before))
        let record = try tool.read { try $0.record(model: "entry", id: "e5") }
        #expect(record?["stars"] == .null)
        tool.close()
        try app.expectSound()
        try app.with(Schema(Diary.Two.Entry.self)) { store in
            let five = try store.fetch(FetchDescriptor<Diary.Two.Entry>().where { $0.stars == 5 })
            #expect(five.map(\.name) == ["Ada 5"])
        }
        let head = try app.with(Schema(Diary.Two.Entry.self)) { try $0.read { $0.position } }
        #expect(try app.with(Schema(Diary.Two.Entry.self)) { try $0.read { $0.position } } == head)
        try app.expectSound()
    }

    @Test(arguments: [1, Int.max])
    func `progress is told, and a change that is cancelled leaves the store as it was`(_ rowCountMin: Int) throws {
        // STO-94
        try Diary.fill(app, count: 10_000)
        let digest = try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.digest } }
        let seen = Seen()
        func open(_ isWanted: @escaping @Sendable (SchemaPlan.Progress) -> Bool) throws {
            var configuration = Store.Configuration(schemaProgress: {
                seen.add($0)
                return isWanted($0)
            })
            configuration.convertedRowCountMin = rowCountMin
            try Store.open(
                at: app.path,
                schema: Schema(Diary.Two.Entry.self),
                configuration: configuration
            ).close()
        }
        let error = failure { try open { $0.rowCount < 5000 } }
        #expect(error?.code == .cancelled)
        #expect(try app.with(Schema(Diary.One.Entry.self)) { try $0.read { $0.digest } } == digest)
        seen.removeAll()
        try open { _ in true }
        let all = seen.all
        #expect(all.map(\.rowCount) == all.map(\.rowCount).sorted())
        #expect(all.last?.rowCount == 20_000 && all.last?.totalCount == 20_000)
        #expect(all.last?.remaining == .zero)
        try app.expectSound()
    }

    @Test func `older code is told of attributes that were converted`() throws {
        // STO-85
        try Diary.fill(app)
        try app.with(Schema(Diary.Two.Entry.self)) { _ in }
        let error = failure { try app.with(Schema(Diary.One.Entry.self)) { _ in } }
        #expect(error?.code == .newerSchema)
    }

    @Test func `a function that does not fit its attribute is a mistake in the declaration`() {
        // STO-91
        struct Wrong: Model {
            var id: ID
            var stars: Int
            static let schema = ModelSchema(
                "entry",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars)
            )
            .converting("stars", from: "stars") { (stars: Double) in "\(stars)" }
        }
        struct Short: Model {
            var id: ID
            var stars: Int
            static let schema = ModelSchema(
                "entry",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars)
            )
            .converting("stars", from: "stars") { (stars: Double, more: Double) in Int(stars + more) }
        }
        #expect(throws: SchemaError.self) { try Schema(validating: Wrong.self) }
        #expect(throws: SchemaError.self) { try Schema(validating: Short.self) }
    }
}

/// What was told, in order.
private final class Seen: Sendable {
    private let told = Mutex<[SchemaPlan.Progress]>([])

    var all: [SchemaPlan.Progress] { told.withLock { $0 } }
    func add(_ progress: SchemaPlan.Progress) { told.withLock { $0.append(progress) } }
    func removeAll() { told.withLock { $0.removeAll() } }
}
