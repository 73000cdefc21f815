import LegacyMigration
import Testing

/// What a Flatted text may make of few bytes.
@Suite struct FlattedLimitTests {
    private func read(_ text: String) throws -> Readout {
        try TemporaryFile.with(text.utf8) {
            try Conformance.read(RealmStudioJSONSource(path: $0, name: "x"))
        }
    }

    @Test func `lists that hold each other twice are refused at once`() throws {
        let lists = (3..<40).map { "[\"\($0 + 1)\",\"\($0 + 1)\"]" }
        let text = "[{\"A\":\"1\"},[\"2\"],{\"x\":\"3\"},\(lists.joined(separator: ",")),\"t\"]"
        let start = ContinuousClock.now
        #expect(try code { _ = try read(text) } == .limitExceeded)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `an object that holds a long text over and over is refused`() throws {
        let elements = Array(repeating: "\"4\"", count: 400).joined(separator: ",")
        let long = String(repeating: "x", count: 100_000)
        let text = "[{\"A\":\"1\"},[\"2\"],{\"x\":\"3\"},[\(elements)],\"\(long)\"]"
        #expect(try code { _ = try read(text) } == .limitExceeded)
    }

    @Test func `a text that many objects share is read`() throws {
        let objects = (0..<200).map { "{\"id\":\($0),\"t\":\"2\"}" }
        let places = (0..<200).map { "\"\($0 + 3)\"" }
        let text =
            "[{\"A\":\"1\"},[\(places.joined(separator: ","))],\"\(String(repeating: "x", count: 1000))\","
            + objects.joined(separator: ",") + "]"
        let readout = try read(text)
        #expect(readout.keys("A").count == 200)
        #expect(readout.records.allSatisfy { $0["t"] == readout.records[0]["t"] })
    }

    @Test func `two classes have two lists, and not more classes than a store has room for`() throws
    {
        #expect(
            try code { _ = try read("[{\"A\":\"1\",\"B\":\"1\"},[\"2\"],{\"x\":1}]") }
                == .unknownFormat
        )
        let names = (0..<4097).map { "\"C\($0)\":\"\($0 + 1)\"" }.joined(separator: ",")
        let lists = Array(repeating: "[]", count: 4097).joined(separator: ",")
        #expect(try code { _ = try read("[{\(names)},\(lists)]") } == .limitExceeded)
    }

    @Test func `an object that its list names twice is one`() throws {
        let readout = try read("[{\"A\":\"1\"},[\"2\",\"2\"],{\"id\":7}]")
        #expect(readout.keys("A") == ["7"] && readout.count(.duplicateKey) == 0)
    }

    @Test func `links to objects with one name lead to the right one`() throws {
        let tracks = ["a", "b", "a"].map { Graph.Object([("title", .text($0))]) }
        let list = Graph.Object([
            ("name", .text("p")), ("tracks", .array([2, 1, 0].map { .object(tracks[$0]) })),
        ])
        let readout = try read(
            Graph.flatted(
                Graph.Object([
                    ("P", .array([.object(list)])), ("T", .array(tracks.map { .object($0) })),
                ])
            )
        )
        #expect(readout.keys("T") == ["a", "b", "a-2"])
        #expect(readout.lists.map { Array($0.members) } == [["a-2", "b", "a"]])
    }
}
