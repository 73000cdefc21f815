import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that somebody has changed and that come into lists, leave them, and have lists themselves: what a migration has
/// done to a row by then neither hides what somebody else did to it before, nor is that said twice.
@Suite struct ChangedMemberTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "club", [("name", .string, true)]),
            ModelDescription(
                2,
                "driver",
                [("note", .string, true), ("club", .reference, true), ("friend", .reference, true)]
            ),
        ],
        relations: [
            RelationDescription(1, .reference(slot: 1), (2, "club"), (1, "drivers")),
            RelationDescription(2, .reference(slot: 2), (2, "friend"), (2, "friends")),
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// Clubs with their drivers in order, and then the drivers with a note each, or none.
    private func source(
        _ clubs: KeyValuePairs<String, [String]>,
        notes: KeyValuePairs<String, String>,
        friends: [String: String] = [:],
        saysNotes: Bool = true
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.absentFields = [
            "club": ["name"], "driver": saysNotes ? ["club"] : ["club", "note"],
        ]
        for (key, members) in clubs {
            source.records.append(LegacyRecord(className: "club", key: key, fields: []))
            source.lists.append(
                LegacyList(
                    className: "club",
                    key: key,
                    name: "drivers",
                    members: LegacyReferences(members)
                )
            )
        }
        for (key, note) in notes {
            var fields: [LegacyField] = []
            if saysNotes { fields.append(LegacyField("note", .string(note))) }
            if let friend = friends[key] {
                fields.append(LegacyField("friend", .reference(friend)))
            }
            source.records.append(LegacyRecord(className: "driver", key: key, fields: fields))
        }
        return source
    }

    private func change(_ id: String, _ values: [String: Value]) throws {
        let driver = EntityReference(model: "driver", id: id)
        _ = try library.store.write { try $0.put(driver, values: values) }
    }

    private func drivers(of club: String) throws -> [String] {
        try library.store.read {
            try $0.entries(of: "drivers", model: "club", id: club).map(\.target)
        }
    }

    /// Migrates an export; what is said must have been planned.
    private func warnings(
        of source: InventedSource
    ) throws -> [LegacyWarning.Kind: Int] {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(report.warningCounts == plan.warningCounts)
        #expect(report.counts == plan.counts)
        #expect(try library.migrate(source).eventCount == 0)
        return report.warningCounts
    }

    @Test func `what comes into a list, and has one, loses nothing that was changed here`() throws {
        let notes: KeyValuePairs = ["x": "", "y": "", "z": ""]
        var old = source(["c": []], notes: notes, saysNotes: false)
        old.setFriends(of: "x", ["y"])
        _ = try warnings(of: old)
        try change("x", ["note": .string("mine")])
        var new = source(["c": ["x", "y"]], notes: notes, saysNotes: false)
        new.setFriends(of: "x", ["z", "y"])
        #expect(try warnings(of: new).isEmpty)
        #expect(try drivers(of: "c") == ["x", "y"])
    }

    @Test func `a row leaves a list though somebody has changed something else of it`() throws {
        let old = source(["c": ["x", "y"]], notes: ["x": "", "y": ""], saysNotes: false)
        _ = try warnings(of: old)
        try change("x", ["note": .string("mine")])
        let new = source(["c": ["y"]], notes: ["x": "", "y": ""], saysNotes: false)
        #expect(try warnings(of: new).isEmpty)
        #expect(try drivers(of: "c") == ["y"])
    }

    @Test func `one that somebody put into another list stays there`() throws {
        let old = source(["c": ["x", "y"], "d": []], notes: ["x": "a", "y": "a"])
        _ = try warnings(of: old)
        try change("x", ["club": .reference("d")])
        let new = source(["c": ["y"], "d": []], notes: ["x": "b", "y": "b"])
        let said = try warnings(of: new)
        #expect(said == [.localChangeKept: 1])
        #expect(try drivers(of: "c") == ["y"])
        #expect(try drivers(of: "d") == ["x"])
    }

    @Test func `one that an export names twice comes into its list once`() throws {
        _ = try warnings(of: source(["c": ["x"]], notes: ["x": "a", "y": "a"]))
        let new = source(["c": ["x", "y", "x"]], notes: ["x": "a", "y": "a"])
        _ = try warnings(of: new)
        #expect(try drivers(of: "c") == ["y", "x"])
    }

    @Test func `one that is written several times is named once`() throws {
        let old = source(["c": []], notes: ["x": "a", "y": "a"])
        _ = try warnings(of: old)
        try change("x", ["note": .string("mine"), "friend": .reference("x")])
        // The friend comes later, so that the to-one is written after the rest.
        let new = source(
            ["c": ["y", "x"]],
            notes: ["x": "b", "y": "a", "z": "new"],
            friends: ["x": "z"]
        )
        #expect(try warnings(of: new) == [.localChangeOverwritten: 1])
    }
}

extension InventedSource {
    /// Adds the list of somebody's friends, who do not say it themselves.
    fileprivate mutating func setFriends(of key: String, _ friends: [String]) {
        absentFields["driver"]?.insert("friend")
        lists.append(
            LegacyList(
                className: "driver",
                key: key,
                name: "friends",
                members: LegacyReferences(friends)
            )
        )
    }
}
