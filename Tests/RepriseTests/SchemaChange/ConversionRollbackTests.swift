import Reprise
import TestSupport
import Testing

/// Numbers whose types change twice.
private enum Game {
    struct One: Model {
        var id: ID
        var stars: Double?
        var length: Double
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("stars", \.stars),
            .attribute("length", \.length)
        )
    }

    struct Two: Model {
        var id: ID
        var stars: Int?
        var length: Double
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("stars", \.stars, indexed: true),
            .attribute("length", \.length)
        )
        .converting("stars", from: "stars") { (stars: Double) in Optional(Int(stars)) }
    }

    struct Three: Model {
        var id: ID
        var stars: Int?
        var length: Int
        static let schema = ModelSchema(
            "game",
            Self.init,
            .id("id", \.id),
            .attribute("stars", \.stars, indexed: true),
            .attribute("length", \.length)
        )
        .converting("stars", from: "stars") { (stars: Double) in Optional(Int(stars)) }
        .converting("length", from: "length") { (length: Double) throws -> Int in
            guard let whole = Int(exactly: length) else { throw StoreError(.invalidValue, "No.", advice: "") }
            return whole
        }
    }
}

@Suite struct `Conversions and rollbacks` {
    private let app: AppStore
    private let first: Position

    init() throws { (app, first) = try Self.make() }

    private static func make(_ views: AppStore.Views? = nil) throws -> (app: AppStore, first: Position) {
        let app = try AppStore(views)
        let first = try app.with(Schema(Game.One.self)) { store in
            try store.write {
                for number in 0..<6 {
                    try $0.insert(Game.One(id: .init("g\(number)"), stars: Double(number), length: Double(number)))
                }
            }
            return try store.read { $0.position }
        }
        return (app, first)
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback over a later conversion leaves what was set to nil since an earlier one`(
        _ views: AppStore.Views
    ) throws {
        // STO-86, STO-91
        let (app, _) = try Self.make(views)
        let cleared = try app.with(Schema(Game.Two.self)) { store in
            _ = try store.write { try $0.update(Game.Two.self, id: "g4") { $0.stars = nil } }
            return try store.read { $0.position }
        }
        try app.with(Schema(Game.Three.self)) { store in
            try store.rollback(to: .position(cleared))
            let game = try store.fetch(Game.Three.self, id: "g4")
            #expect(game?.stars == nil && game?.length == 4)
            let record = try store.read { try $0.record(model: "game", id: "g4") }
            #expect(record?["stars"] == .null && record?["length"] == .int(4))
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to the state right behind a rollback converts again`(_ views: AppStore.Views) throws {
        // STO-86
        let (app, first) = try Self.make(views)
        try app.with(Schema(Game.Two.self)) { store in
            let report = try store.rollback(to: .position(first))
            _ = try store.write { try $0.update(Game.Two.self, id: "g1") { $0.length = 9 } }
            try store.rollback(to: .position(report.head))
            let five = FetchDescriptor<Game.Two>().where { $0.stars == 5 }
            #expect(try store.fetch(five).map(\.id) == ["g5"])
        }
        try app.expectSound()
    }

    @Test func `a later version converts what a tool has rolled back, also what an earlier version had made`() throws {
        // STO-86
        try app.with(Schema(Game.Two.self)) { _ in }
        let tool = try Store.open(existing: app.path)
        try tool.rollback(to: .position(first))
        tool.close()
        try app.with(Schema(Game.Three.self)) { store in
            let two = try store.fetch(FetchDescriptor<Game.Three>().where { $0.stars == 2 })
            #expect(two.map(\.length) == [2])
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to rows that a function refuses changes nothing`(_ views: AppStore.Views) throws {
        // STO-86, STO-91
        let (app, first) = try Self.make(views)
        let broken = try app.with(Schema(Game.One.self)) { store in
            _ = try store.write { try $0.update(Game.One.self, id: "g3") { $0.length = 2.5 } }
            let broken = try store.read { $0.position }
            _ = try store.write { try $0.update(Game.One.self, id: "g3") { $0.length = 3 } }
            return broken
        }
        try app.with(Schema(Game.Three.self)) { store in
            let head = try store.read { $0.position }
            let error = failure { try store.rollback(to: .position(broken)) }
            #expect(error?.code == .invalidValue)
            #expect(try store.read { $0.position } == head)
            try store.rollback(to: .position(first))
            #expect(try store.fetch(Game.Three.self, id: "g3")?.length == 3)
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to rows of which a function makes no optional value changes nothing`(
        _ views: AppStore.Views
    ) throws {
        // STO-86, STO-91
        struct Whole: Model {
            var id: ID
            var stars: Int?
            var length: Double
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars),
                .attribute("length", \.length)
            )
            .converting("stars", from: "stars") { (stars: Double) throws -> Int? in
                guard let whole = Int(exactly: stars) else { throw StoreError(.invalidValue, "No.", advice: "") }
                return whole
            }
        }
        let (app, first) = try Self.make(views)
        let broken = try app.with(Schema(Game.One.self)) { store in
            _ = try store.write { try $0.update(Game.One.self, id: "g3") { $0.stars = 2.5 } }
            let broken = try store.read { $0.position }
            _ = try store.write { try $0.update(Game.One.self, id: "g3") { $0.stars = nil } }
            return broken
        }
        try app.with(Schema(Whole.self)) { store in
            let head = try store.read { $0.position }
            #expect(failure { try store.rollback(to: .position(broken)) }?.code == .invalidValue)
            #expect(try store.read { $0.position } == head)
            try store.rollback(to: .position(first))
            #expect(try store.fetch(Whole.self, id: "g3")?.stars == 3)
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to a row of which a function makes too much changes nothing`(_ views: AppStore.Views) throws {
        // STO-86, STO-91
        struct Text: Model {
            var id: ID
            var words: String
            static let schema = ModelSchema("text", Self.init, .id("id", \.id), .attribute("words", \.words))
        }
        struct Longer: Model {
            var id: ID
            var words: String
            var more: String?
            static let schema = ModelSchema(
                "text",
                Self.init,
                .id("id", \.id),
                .attribute("words", \.words),
                .attribute("more", \.more)
            )
            .converting("more", from: "words") { (words: String) in Optional(words + words + words) }
        }
        let app = try AppStore(views)
        let long = try app.with(Schema(Text.self)) { store in
            try store.write { try $0.insert(Text(id: "a", words: String(repeating: "x", count: 20_000_000))) }
            let long = try store.read { $0.position }
            _ = try store.write { try $0.update(Text.self, id: "a") { $0.words = "short" } }
            return long
        }
        let head = try app.with(Schema(Longer.self)) { store in
            let head = try store.read { $0.position }
            #expect(failure { try store.rollback(to: .position(long)) }?.code == .valueTooLarge)
            #expect(try store.read { $0.position } == head)
            return head
        }
        // A tool cannot know. The row stays as it is then, and the program opens the store.
        let tool = try Store.open(existing: app.path, configuration: views.configuration)
        try tool.rollback(to: .position(long))
        tool.close()
        try app.with(Schema(Longer.self)) { store in
            #expect(try store.fetch(Longer.self, id: "a")?.more == nil)
            try store.rollback(to: .position(head))
            #expect(try store.fetch(Longer.self, id: "a")?.more == "shortshortshort")
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `rows that stay as they are do not forbid a rollback`(_ views: AppStore.Views) throws {
        // HIS-28, STO-86
        struct Named: Model {
            var id: ID
            var stars: Double?
            var label: String?
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars),
                .attribute("label", \.label, unique: true)
            )
            .converting("label", from: "length") { (length: Double) in Optional("\(Int(length / 2))") }
        }
        let (app, first) = try Self.make(views)
        try app.with(Schema(Game.One.self)) { store in
            try store.write { transaction in
                for number in [1, 3, 5] { try transaction.delete(Game.One.self, id: .init("g\(number)")) }
            }
        }
        try app.with(Schema(Named.self)) { _ in }
        let tool = try Store.open(existing: app.path, configuration: views.configuration)
        try tool.rollback(to: .position(first))
        tool.close()
        try app.with(Schema(Named.self)) { store in
            let labels = try store.fetch(Named.self).map(\.label)
            #expect(labels == ["0", nil, "1", nil, "2", nil])
            try store.rollback(to: .position(first))
            #expect(try store.fetch(Named.self).map(\.label) == labels)
        }
        try app.expectSound()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to rows of which a function makes the same unique value changes nothing`(
        _ views: AppStore.Views
    ) throws {
        // STO-86, STO-91
        let (app, first) = try Self.make(views)
        struct Unique: Model {
            var id: ID
            var stars: Int?
            var label: String
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars),
                .attribute("label", \.label, unique: true)
            )
            .converting("stars", from: "stars") { (stars: Double) in Optional(Int(stars)) }
            .converting("label", from: "length") { (length: Double) in "\(Int(length / 2))" }
        }
        try app.with(Schema(Game.One.self)) { store in
            try store.write { transaction in
                for number in [1, 3, 5] { try transaction.delete(Game.One.self, id: .init("g\(number)")) }
            }
        }
        try app.with(Schema(Unique.self)) { store in
            let head = try store.read { $0.position }
            #expect(failure { try store.rollback(to: .position(first)) }?.code == .uniqueViolation)
            #expect(try store.read { $0.position } == head)
            #expect(try store.fetch(Unique.self).map(\.label) == ["0", "1", "2"])
            try store.rollback(to: .position(Position(rawValue: first.rawValue + 3)))
            #expect(try store.fetch(Unique.self).map(\.label) == ["0", "1", "2"])
        }
        try app.expectSound()
    }

    @Test func `a query of the past says that it cannot look at what a function made later`() throws {
        // STO-91
        try app.with(Schema(Game.Two.self)) { store in
            let five = FetchDescriptor<Game.Two>().where { $0.stars == 5 }
            let error = failure { _ = try store.read(asOf: .position(first)) { try $0.fetch(five) } }
            #expect(error?.code == .invalidQuery)
            let all = try store.read(asOf: .position(first)) { try $0.fetch(FetchDescriptor<Game.Two>()) }
            #expect(all.map(\.stars) == [0, 1, 2, 3, 4, 5])
            #expect(try store.fetch(five).count == 1)
        }
    }

    @Test func `a read of the past takes nothing over from the one before`() throws {
        // HIS-81, STO-86
        try app.with(Schema(Game.Two.self)) { store in
            _ = try store.write { try $0.update(Game.Two.self, id: "g4") { $0.stars = nil } }
            let cleared = try store.read { $0.position }
            for number in 0..<40 {
                _ = try store.write { try $0.update(Game.Two.self, id: "g0") { $0.length = Double(number) } }
            }
            for _ in 0..<2 {
                try store.read(asOf: .position(cleared), underSchemaOfThen: true) { (state) throws in
                    #expect(try state.fetch(Game.Two.self).map(\.stars) == [0, 1, 2, 3, nil, 5])
                    #expect(try state.fetch(FetchDescriptor<Game.Two>().where { $0.stars == 5 }).count == 1)
                }
                #expect(try store.read(asOf: .position(first)) { try $0.fetch(Game.Two.self, id: "g4") }?.stars == 4)
                try store.read(asOf: .position(first), underSchemaOfThen: true) { (state) throws in
                    #expect(try state.record(model: "game", id: "g4")?["stars"] == .double(4))
                }
            }
        }
    }

    @Test func `a function finds what it reads under an earlier name as well`() throws {
        // STO-89, STO-91
        struct Renamed: Model {
            var id: ID
            var points: Double?
            var length: Double
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("points", \.points, renamedFrom: "stars"),
                .attribute("length", \.length)
            )
        }
        struct Scored: Model {
            var id: ID
            var score: Int?
            var length: Double
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("score", \.score),
                .attribute("length", \.length)
            )
            .converting("score", from: "stars") { (stars: Double) in Optional(Int(stars)) }
        }
        try app.with(Schema(Renamed.self)) { _ in }
        let scores = try app.with(Schema(Scored.self)) { store in
            try store.fetch(FetchDescriptor<Scored>()).map(\.score)
        }
        #expect(scores == [0, 1, 2, 3, 4, 5])
        try app.expectSound()
    }

    @Test func `a function makes an optional attribute required`() throws {
        // STO-91
        struct Starred: Model {
            var id: ID
            var stars: Double
            var length: Double
            static let schema = ModelSchema(
                "game",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars),
                .attribute("length", \.length)
            )
            .converting("stars", from: "stars") { (stars: Double?) in stars ?? -1 }
        }
        try app.with(Schema(Game.One.self)) { store in
            _ = try store.write { try $0.update(Game.One.self, id: "g2") { $0.stars = nil } }
        }
        try app.with(Schema(Starred.self)) { store in
            let stars = try store.fetch(FetchDescriptor<Starred>()).map(\.stars)
            #expect(stars == [0, 1, -1, 3, 4, 5])
        }
        try app.with(Schema(Starred.self)) { _ in }
        try app.expectSound()
    }
}
