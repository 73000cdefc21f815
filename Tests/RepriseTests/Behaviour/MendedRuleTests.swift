import Testing

@testable import Reprise

private struct Owner: Model {
    var id: ID
    var name: String

    static let schema = ModelSchema(
        "owner",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .toMany("likes", of: Owner.self)
    static let likes = Relationship<Owner, Owner>("likes")
}

private struct Member: Model {
    var id: ID
    var owner: Owner.ID?
    var number: Int
    var share: Double?
    var shares: [Double] = []
    var ratio: Float?

    static let schema = ModelSchema(
        "member",
        version: 1,
        Self.init,
        .id("id", \.id),
        .toOne("owner", \.owner),
        .attribute("number", \.number),
        .attribute("share", \.share, unique: true),
        .attribute("shares", \.shares),
        .attribute("ratio", \.ratio)
    )
    .unique("owner", "number")
}

private struct Key: Model {
    var id: ID
    var lock: Lock.ID

    static let schema = ModelSchema(
        "key",
        version: 1,
        Self.init,
        .id("id", \.id),
        .toOne("lock", \.lock, inverse: "key", onDelete: .deny)
    )
}

private struct Lock: Model {
    var id: ID
    var key: Key.ID?

    static let schema = ModelSchema(
        "lock",
        version: 1,
        Self.init,
        .id("id", \.id),
        .toOne("key", \.key, inverse: "lock", onDelete: .cascade)
    )
}

/// Rules that the code once broke.
struct MendedRuleTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(
            at: place("store"),
            schema: Schema(Owner.self, Member.self, Key.self, Lock.self)
        )
    }

    private func count(_ query: RecordQuery) throws -> Int {
        try store.read { try $0.count(query) }
    }

    /// QRY-27: a link touches the row of the owner, and its claims are forgotten until the end of the write.
    @Test func `a unique value is found in an owner that was linked in the same write`() throws {
        try store.write { try $0.insert(Owner(id: "a", name: "A")) }
        #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.link(Owner.likes, from: "a", to: "a")
                try transaction.insert(Owner(id: "b", name: "A"))
            }
        }
    }

    /// QRY-27: the claim of a to-one holds the order key, which is never the same twice.
    @Test func `a unique index over a to-one compares targets`() throws {
        try store.write { transaction in
            try transaction.insert(Owner(id: "a", name: "A"))
            try transaction.insert(Member(id: "1", owner: "a", number: 1))
        }
        #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Member(id: "2", owner: "a", number: 1)) }
        }
    }

    /// QRY-04, QRY-27: claims compare bytes.
    @Test func `a unique index takes -0 for 0`() throws {
        try store.write { try $0.insert(Member(id: "1", number: 1, share: 0.0)) }
        #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Member(id: "2", number: 2, share: -0.0)) }
        }
    }

    /// QRY-04, QRY-14: elements compare bytes.
    @Test func `a list that contains -0 contains 0`() throws {
        try store.write { try $0.insert(Member(id: "1", number: 1, shares: [-0.0])) }
        let found = try count(
            RecordQuery(model: "member", filter: .contains(["shares"], .double(0)))
        )
        #expect(found == 1)
    }

    /// QRY-16: the encoded bytes are compared, little-endian numbers and all.
    @Test func `a list is neither less nor greater than another`() throws {
        #expect(throws: StoreError.self) {
            try count(
                RecordQuery(
                    model: "member",
                    filter: .compare(["shares"], .less, .list([.double(1)]))
                )
            )
        }
    }

    /// QRY-12: 0.1 is no float, so the float nearest to it is another number.
    @Test func `a float equals only doubles that are floats`() throws {
        try store.write { try $0.insert(Member(id: "1", number: 1, ratio: 0.1)) }
        func found(_ comparison: ComparisonOperator, _ value: Double) throws -> Int {
            try count(
                RecordQuery(
                    model: "member",
                    filter: .compare(["ratio"], comparison, .double(value))
                )
            )
        }
        #expect(try found(.equal, 0.1) == 0)
        #expect(try found(.greater, 0.1) == 1)
        #expect(try found(.equal, Double(0.1 as Float)) == 1)
    }

    /// HIS-06: the expectation is looked at only when it is a revision.
    @Test func `a deletion that expects absence does not delete`() throws {
        try store.write { try $0.insert(Owner(id: "a", name: "A")) }
        #expect(throws: StoreError.self) {
            try store.write { try $0.delete(Owner.self, id: "a", expecting: .absent) }
        }
    }

    /// A required one-to-one is taken from its holder and leaves a row behind that cannot be read.
    @Test func `a required one-to-one is not taken from its holder`() throws {
        try store.write { transaction in
            try transaction.insert(Lock(id: "l"))
            try transaction.insert(Key(id: "1", lock: "l"))
        }
        #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Key(id: "2", lock: "l")) }
        }
        _ = try store.fetch(Key.self, id: "1")
    }

    /// STO-15: the entry that is moved keeps its place while its neighbours are spread, and one of them may be put
    /// there. Needs a list that was spread before.
    @Test func `a move that makes room loses no entry`() throws {
        let names = ["a", "b", "c", "d", "x", "y"]
        try store.write { transaction in
            try transaction.insert(Owner(id: "o", name: "o"))
            for name in names {
                try transaction.insert(Owner(id: Owner.ID(name), name: name))
                try transaction.link(Owner.likes, from: "o", to: Owner.ID(name))
            }
        }
        var rounds = 0
        var last = "x"
        for _ in 0..<400 {
            let keys = try store.read { transaction in
                let model = try transaction.access.model(named: "owner")
                let list = try transaction.access.list("likes", of: model, id: "o")
                return try transaction.access.workspace.entries(of: list.key).map(\.orderKey)
            }
            let before = try store.read { try $0.entries(Owner.likes, of: "o") }
            let first = try #require(before.firstIndex { $0.target == "a" })
            var name = last == "x" ? "y" : "x"
            if keys[first + 1] - keys[first] < 2 {
                // The gap is used up: move one that stands where the last spreading put it.
                name = ["d", "b", "c"][rounds % 3]
                rounds += 1
            } else {
                last = name
            }
            let moved = try #require(before.first { $0.target.rawValue == name })
            try store.write {
                try $0.move(Owner.likes, entry: moved.id, of: "o", to: .after(before[first].id))
            }
            var expected = before.filter { $0 != moved }
            expected.insert(moved, at: try #require(expected.firstIndex { $0.target == "a" }) + 1)
            #expect(try store.read { try $0.entries(Owner.likes, of: "o") } == expected)
        }
    }

    /// A long chain is not a deep one.
    @Test func `a filter may have a thousand conditions`() throws {
        try store.write { try $0.insert(Owner(id: "a", name: "A")) }
        var all = Filter<Owner> { $0.name == "A" }
        var any = Filter<Owner> { $0.name == "B" }
        for number in 0..<1000 {
            all = all && Filter { $0.name != "\(number)" }
            any = any || Filter { $0.name == (number == 999 ? "A" : "\(number)") }
        }
        #expect(try store.fetch(FetchDescriptor(filter: all)).map(\.id) == ["a"])
        #expect(try store.fetch(FetchDescriptor(filter: any)).map(\.id) == ["a"])
    }
}
