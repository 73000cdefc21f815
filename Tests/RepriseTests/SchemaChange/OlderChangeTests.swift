import Reprise
import TestSupport
import Testing

/// Games of three versions: the length becomes a text and then a whole number, and two names become
/// one.
private enum Game {
    struct One: Model {
        var id: ID
        var first: String
        var last: String
        var length: Double
        var stars: Double?
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("first", \.first),
            .attribute("last", \.last),
            .attribute("length", \.length),
            .attribute("stars", \.stars)
        )

        init(id: ID, first: String = "A", last: String = "B", length: Double, stars: Double? = nil) {
            (self.id, self.first, self.last, self.length, self.stars) = (id, first, last, length, stars)
        }
    }

    struct Two: Model, Equatable {
        var id: ID
        var first: String
        var last: String
        var length: String
        var stars: Int?
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("first", \.first),
            .attribute("last", \.last),
            .attribute("length", \.length, indexed: true),
            .attribute("stars", \.stars)
        )
        .converting("length", from: "length") { try text($0) }
        .converting("stars", from: "stars") { (stars: Double) in Optional(Int(stars)) }
    }

    struct Three: Model, Equatable {
        var id: ID
        var name: String
        var length: Int
        var stars: Int?
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("length", \.length),
            .attribute("stars", \.stars)
        )
        .converting("name", from: "first", "last") { (first: String, last: String) in "\(first) \(last)" }
        .converting("length", from: "length") { (length: String) in Int(length.prefix { $0 != " " }) ?? -1 }
        .converting("length", from: "length") { (length: Double) in Int(length) }
        .converting("stars", from: "stars") { (stars: Double) in Optional(Int(stars)) }
        .removed("first", "last")
    }

    /// Refuses lengths below zero.
    @Sendable static func text(_ length: Double) throws -> String {
        guard length >= 0 else { throw StoreError(.invalidValue, "No.", advice: "") }
        return "\(Int(length)) min"
    }
}

/// What is older than a conversion, and is taken back, compared or merged behind it (HIS-117).
@Suite struct `Changes that are older than a conversion` {
    let app: AppStore
    /// The position behind each commit of the first version, by its name.
    let points: [String: Position]

    init() throws {
        app = try AppStore()
        points = try app.with(Schema(Game.One.self)) { store in
            var points: [String: Position] = [:]
            func write(_ name: String, _ body: (inout WriteTransaction) throws -> Void) throws {
                try store.write(CommitContext(actor: name)) { try body(&$0) }
                points[name] = try store.read { $0.position }
            }
            try write("insertion") { transaction in
                for number in 0..<6 {
                    try transaction.insert(
                        Game.One(id: .init("g\(number)"), length: Double(number), stars: Double(number))
                    )
                }
            }
            try write("update") { transaction in
                try transaction.update(Game.One.self, id: "g1") { game in
                    (game.first, game.length, game.stars) = ("Z", 11, nil)
                }
            }
            try write("deletion") { try $0.delete(Game.One.self, id: "g2") }
            try write("only the length") { _ = try $0.update(Game.One.self, id: "g3") { $0.length = 33 } }
            try write("late insertion") { try $0.insert(Game.One(id: "x", length: 7)) }
            return points
        }
    }

    private func point(_ name: String) -> Position { points[name] ?? Position(rawValue: 0) }

    private func lengths(_ store: Store) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try store.fetch(Game.Two.self).map { ($0.id.rawValue, $0.length) })
    }

    private func inSecondVersion(_ body: (Store) throws -> Void) throws {
        try app.with(Schema(Game.Two.self), body)
        try app.expectSound()
    }

    @Test func `a change is taken back in all that it has changed, and brought back`() throws {
        try inSecondVersion { (store) throws in
            let before = try store.fetch(Game.Two.self, id: "g1")
            let report = try store.revert(commits: [point("update")])
            let game = try store.fetch(Game.Two.self, id: "g1")
            #expect(game?.first == "A" && game?.length == "1 min" && game?.stars == 1)
            #expect(report.counts.updated == 1)
            #expect(try store.revert(commits: [#require(report.commit)]).isDone)
            #expect(try store.fetch(Game.Two.self, id: "g1") == before)
        }
    }

    @Test func `undo and redo reach behind the conversion`() throws {
        try inSecondVersion { (store) throws in
            #expect(try store.undo(by: "only the length")?.counts.updated == 1)
            #expect(try lengths(store)["g3"] == "3 min")
            #expect(try store.redo(by: "only the length")?.isDone == true)
            #expect(try lengths(store)["g3"] == "33 min")
            #expect(try store.undo(by: "late insertion")?.isDone == true)
            #expect(try lengths(store)["x"] == nil)
            #expect(try store.redo(by: "late insertion")?.isDone == true)
            #expect(try lengths(store)["x"] == "7 min")
        }
    }

    @Test func `what was deleted comes back converted`() throws {
        try inSecondVersion { (store) throws in
            #expect(try store.restore(Game.Two.self, id: "g2").isDone)
            #expect(try store.fetch(Game.Two.self, id: "g2")?.stars == 2)
            #expect(try lengths(store)["g2"] == "2 min")
            let report = try store.restore(Game.Two.self, id: "g1", asOf: .position(point("insertion")))
            #expect(report.isDone)
            #expect(try lengths(store)["g1"] == "1 min")
        }
    }

    @Test func `an insertion is taken back but for the rows that were changed since`() throws {
        try inSecondVersion { (store) throws in
            let report = try store.revert(commits: [point("insertion")], resolving: .ours)
            #expect(report.settled.map(\.entity.id) == ["g1", "g3"])
            #expect(try store.fetch(Game.Two.self).map(\.id) == ["g1", "g3", "x"])
        }
    }

    @Test func `what was changed behind the conversion is in the way`() throws {
        try inSecondVersion { (store) throws in
            _ = try store.write { try $0.update(Game.Two.self, id: "g3") { $0.length = "long" } }
            let report = try store.revert(commits: [point("only the length")])
            let kind = ChangeSet.Conflict.Kind.changed(
                attribute: "length",
                base: .string("33 min"),
                ours: .string("long"),
                theirs: .string("3 min")
            )
            #expect(report.conflicts.map(\.kind) == [kind])
            #expect(try store.revert(commits: [point("only the length")], resolving: .theirs).isDone)
            #expect(try lengths(store)["g3"] == "3 min")
        }
    }

    @Test func `to take a conversion back changes no row`() throws {
        try inSecondVersion { (store) throws in
            let report = try store.revert(commits: [store.read { $0.position }])
            #expect(report.isDone && report.commit == nil)
        }
    }

    @Test func `commits on both sides of the conversion are taken back together`() throws {
        try inSecondVersion { (store) throws in
            _ = try store.write { try $0.update(Game.Two.self, id: "g3") { $0.length = "long" } }
            let range = try point("only the length")...store.read { $0.position }
            #expect(try store.revert(range: range).isDone)
            #expect(try lengths(store)["g3"] == "3 min")
            #expect(try lengths(store)["x"] == nil)
        }
    }

    @Test func `a difference tells what was changed, and not that it was converted`() throws {
        try inSecondVersion { (store) throws in
            let changes = try store.difference(from: .position(point("insertion")))
            var told: [String] = []
            try changes.forEach { change in
                let fields = change.fields.map { "\($0.name) \($0.from) \($0.to)" }
                told.append("\(change.kind) \(change.entity.id) \(fields)")
                return true
            }
            #expect(
                told == [
                    #"updated g1 ["first \"A\" \"Z\"", "length \"1 min\" \"11 min\"", "stars 1 nil"]"#,
                    #"deleted g2 ["first \"A\" nil", "last \"B\" nil", "length \"2 min\" nil", "stars 2 nil"]"#,
                    #"updated g3 ["length \"3 min\" \"33 min\""]"#,
                    #"inserted x ["first nil \"A\"", "last nil \"B\"", "length nil \"7 min\""]"#,
                ]
            )
            let typed = try changes.changes(of: Game.Two.self)
            #expect(typed.map { $0.old?.length ?? "-" } == ["1 min", "2 min", "3 min", "-"])
            #expect(typed.map { $0.new?.length ?? "-" } == ["11 min", "-", "33 min", "7 min"])
            #expect(try store.apply(changes.inverted()).isDone)
            let then = try store.read(asOf: .position(point("insertion"))) { try $0.fetch(FetchDescriptor<Game.Two>()) }
            #expect(try store.fetch(Game.Two.self) == then)
            #expect(try store.difference(from: .position(point("insertion"))).isEmpty)
        }
    }

    @Test func `a value that was set to nil behind the conversion is nil in what is compared with before`() throws {
        try inSecondVersion { store in
            _ = try store.write { try $0.update(Game.Two.self, id: "g4") { $0.stars = nil } }
            let changes = try store.difference(from: .head, to: .position(point("late insertion")))
            let change = try #require(try changes.changes(of: Game.Two.self).first)
            #expect(change.old?.stars == nil && change.new?.stars == 4)
            #expect(try store.apply(changes).isDone)
            #expect(try store.fetch(Game.Two.self, id: "g4")?.stars == 4)
        }
    }

    @Test func `a function of two values gets the one that the change does not tell of from the history`() throws {
        try app.with(Schema(Game.One.self)) { store in
            _ = try store.write { try $0.update(Game.One.self, id: "g1") { $0.last = "Y" } }
            _ = try store.write { try $0.update(Game.One.self, id: "g1") { $0.length = 12 } }
        }
        try app.with(Schema(Game.Three.self)) { (store) throws in
            #expect(try store.fetch(Game.Three.self, id: "g1")?.name == "Z Y")
            let last = Position(rawValue: point("late insertion").rawValue + 1)
            #expect(try store.revert(commits: [last]).isDone)
            let game = try store.fetch(Game.Three.self, id: "g1")
            #expect(game?.name == "Z B" && game?.length == 12)
        }
        try app.expectSound()
    }

    @Test func `a change is read through several conversions`() throws {
        for version in [Schema(Game.Two.self), Schema(Game.Three.self)] { try app.with(version) { _ in } }
        try app.with(Schema(Game.Three.self)) { (store) throws in
            #expect(try store.revert(commits: [point("deletion"), point("update")]).isDone)
            #expect(try store.fetch(Game.Three.self, id: "g1")?.length == 1)
            let game = try store.fetch(Game.Three.self, id: "g2")
            #expect(game?.length == 2 && game?.name == "A B" && game?.stars == 2)
        }
        try app.expectSound()
    }

    @Test func `a row that the function refuses does not come back`() throws {
        let deletion = try app.with(Schema(Game.One.self)) { store in
            try store.write { try $0.insert(Game.One(id: "bad", length: -1)) }
            try store.write { try $0.delete(Game.One.self, id: "bad") }
            return try store.read { $0.position }
        }
        try inSecondVersion { (store) throws in
            let report = try store.revert(commits: [deletion])
            #expect(report.conflicts.map(\.kind) == [.lacking(attribute: "length")])
            #expect(report.commit == nil)
        }
    }

    @Test func `a change before a rollback over the conversion is read as the rows were converted then`() throws {
        try inSecondVersion { (store) throws in
            try store.rollback(to: .position(point("only the length")))
            _ = try store.write { try $0.update(Game.Two.self, id: "g3") { $0.first = "Q" } }
            #expect(try store.revert(commits: [point("only the length")]).isDone)
            #expect(try lengths(store)["g3"] == "3 min")
        }
    }

    @Test func `a tool without the function refuses, and goes on with all else`() throws {
        try app.with(Schema(Game.Two.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        defer { tool.close() }
        for name in ["update", "deletion", "only the length", "late insertion"] {
            let error = failure { _ = try tool.revert(commits: [point(name)]) }
            #expect(error?.code == .schemaMismatch, "\(name)")
        }
        let head = try tool.read { $0.position }
        _ = try tool.write { try $0.put(EntityReference(model: "game", id: "g4"), values: ["length": .string("new")]) }
        #expect(try tool.revert(commits: [tool.read { $0.position }]).isDone)
        #expect(try tool.revert(commits: [head]).isDone)
        #expect(try tool.difference(from: .position(head)).isEmpty)
    }

    @Test func `a difference that a tool has found over the conversion is refused`() throws {
        let path = app.path + ".changes"
        try app.with(Schema(Game.Two.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        let before = Point.position(Position(rawValue: point("only the length").rawValue - 1))
        try tool.difference(from: .position(point("only the length")), to: before).write(to: path)
        tool.close()
        try inSecondVersion { (store) throws in
            #expect(failure { _ = try store.apply(ChangeSet(contentsOf: path)) }?.code == .schemaMismatch)
            #expect(try lengths(store)["g3"] == "33 min")
        }
    }

    @Test func `an edit between the rollback of a tool and the next program is a change`() throws {
        try app.with(Schema(Game.Two.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        try tool.rollback(to: .position(point("late insertion")))
        _ = try tool.write { try $0.put(EntityReference(model: "game", id: "g4"), values: ["length": .string("long")]) }
        let edit = try tool.read { $0.position }
        tool.close()
        try inSecondVersion { (store) throws in
            #expect(try lengths(store)["g4"] == "long")
            #expect(try store.difference(from: .position(point("late insertion"))).counts.updated == 1)
            #expect(try store.revert(commits: [edit]).counts.updated == 1)
            #expect(try lengths(store)["g4"] == "4 min")
        }
    }

    @Test func `what code writes where the function gives nil is a change`() throws {
        let coded = Schema(Game.Two.self).change(to: 1) { _, new in
            for id in ["g1", "x"] { _ = try new.update(Game.Two.self, id: .init(id)) { $0.stars = 100 } }
        }
        try app.with(coded) { (store) throws in
            let changes = try store.difference(from: .position(point("late insertion")))
            let typed = try changes.changes(of: Game.Two.self)
            #expect(typed.map(\.old?.stars) == [nil, nil] && typed.map(\.new?.stars) == [100, 100])
            #expect(try store.apply(changes.inverted()).isDone)
            #expect(try store.fetch(Game.Two.self).map(\.stars) == [0, nil, 3, 4, 5, nil])
        }
        try app.expectSound()
    }

    @Test func `changes in a file from before are applied in the terms of now`() throws {
        let path = app.path + ".changes"
        try app.with(Schema(Game.One.self)) { store in
            try store.difference(from: .head, to: .position(point("insertion"))).write(to: path)
        }
        try app.with(Schema(Game.Two.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        #expect(failure { _ = try tool.apply(ChangeSet(contentsOf: path)) }?.code == .schemaMismatch)
        tool.close()
        try inSecondVersion { (store) throws in
            #expect(try store.apply(ChangeSet(contentsOf: path)).isDone)
            let expected = Dictionary(uniqueKeysWithValues: (0..<6).map { ("g\($0)", "\($0) min") })
            #expect(try lengths(store) == expected)
        }
    }

    @Test(arguments: [false, true])
    func `a branch from before is merged in the terms of now`(hasConverted: Bool) throws {
        let path = app.path + ".branch"
        try app.with(Schema(Game.One.self)) { store in
            let branch = try store.branch(to: path)
            defer { branch.close() }
            try branch.write { transaction in
                try transaction.insert(Game.One(id: "new", length: 8, stars: 8))
                try transaction.update(Game.One.self, id: "g4") { $0.length = 44 }
                try transaction.update(Game.One.self, id: "g5") { $0.length = 55 }
                try transaction.delete(Game.One.self, id: "g0")
            }
        }
        if hasConverted { try Store.open(at: path, schema: Schema(Game.Two.self)).close() }
        try inSecondVersion { (store) throws in
            _ = try store.write { try $0.update(Game.Two.self, id: "g5") { $0.length = "long" } }
            let branch = try Store.open(existing: path)
            defer { branch.close() }
            let changes = try store.difference(to: branch).changes(of: Game.Two.self)
            #expect(changes.map { $0.old?.length ?? "-" } == ["0 min", "4 min", "long", "-"])
            #expect(changes.map { $0.new?.length ?? "-" } == ["-", "44 min", "55 min", "8 min"])
            #expect(try store.merge(branch).conflicts.map(\.entity.id) == ["g5"])
            #expect(try store.merge(branch, resolving: .theirs).isDone)
            let found = try lengths(store)
            #expect(found["new"] == "8 min" && found["g4"] == "44 min" && found["g5"] == "55 min" && found["g0"] == nil)
            #expect(try store.fetch(Game.Two.self, id: "new")?.stars == 8)
        }
    }

    @Test func `what a tool has widened is taken back by any program`() throws {
        let tool = try Store.open(existing: app.path)
        var schema = try tool.schema
        let isWider = schema.widen("length", of: "game", to: .string)
        #expect(isWider)
        try tool.change(to: Schema(schema))
        #expect(try tool.restore(EntityReference(model: "game", id: "g2")).isDone)
        #expect(try tool.revert(commits: [point("only the length")]).isDone)
        let values = try tool.read { transaction in
            try ["g2", "g3"].map { try transaction.record(model: "game", id: $0)?["length"] }
        }
        #expect(values == [.string("2.0"), .string("3.0")])
        tool.close()
        try app.expectSound()
    }
}
