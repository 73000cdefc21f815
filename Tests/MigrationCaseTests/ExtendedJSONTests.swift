import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// Lines that `mongoexport` writes: their types are values, and their keys are keys.
@Suite struct ExtendedJSONTests {
    private let first = "507f1f77bcf86cd799439011"
    private let second = "507f1f77bcf86cd799439012"

    @Test func `types of Extended JSON are values`() throws {
        let files = try UserFiles("04-mongoexport-lines")
        let answer = files.migrate("tasks.json")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let rows = try files.rows("tasks")
        #expect(Set(rows.keys) == [first, second])
        let (one, two) = (try #require(rows[first]), try #require(rows[second]))
        #expect(one["due"] == .date(Date(timeIntervalSince1970: 1_704_164_645.678)))
        #expect(two["due"] == .date(Date(timeIntervalSince1970: 1_704_164_645.678)))
        #expect(one["n"] == .int(9_007_199_254_740_993) && two["n"] == .int(3))
        #expect(
            one["d"] == .decimal(Decimal(string: "1.10") ?? 0)
                && two["d"] == .decimal(Decimal(string: "2.5") ?? 0)
        )
        #expect(one["owner"] == .reference(second) && two["owner"] == .null)
        #expect(
            answer.output.contains("tasks.owner is taken for a link to tasks"),
            "\(answer.output)"
        )
        #expect(files.verify("tasks.json").outcome == .done)
        let head = try files.head()
        #expect(files.migrate("tasks.json").outcome == .done)
        #expect(try files.head() == head)
    }

    @Test func `bytes, UUIDs and links to another class are values, and a link stays one`() throws {
        let files = try UserFiles("04-mongoexport-lines")
        func line(_ number: Int, _ more: String) -> String {
            "{\"_id\":{\"$oid\":\"50000000000000000000000\(number)\"},\(more)}\n"
        }
        let users = line(
            1,
            "\"type\":\"user\",\"b\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"00\"}}"
        )
        let id = "{\"$uuid\":\"c8edabc3-f738-4ca3-b68d-ab92a91478a3\"}"
        let task = line(
            2,
            "\"type\":\"task\",\"u\":\(id),\"by\":{\"$oid\":\"500000000000000000000001\"}"
        )
        try (users + task).write(toFile: files.path("all.json"), atomically: true, encoding: .utf8)
        #expect(files.migrate("all.json").outcome == .done)
        #expect(try files.rows("user").values.map { $0["b"] } == [.data(Data([1, 2]))])
        let row = try #require(try files.rows("task").values.first)
        #expect(
            row["u"]
                == .uuid(try #require(UUID(uuidString: "c8edabc3-f738-4ca3-b68d-ab92a91478a3")))
        )
        #expect(row["by"] == .reference("500000000000000000000001"))
        let missing = line(3, "\"type\":\"task\",\"by\":{\"$oid\":\"50000000000000000000000f\"}")
        try (users + task + missing).write(
            toFile: files.path("all.json"),
            atomically: true,
            encoding: .utf8
        )
        #expect(files.migrate("all.json").outcome == .done)
        #expect(try files.rows("task")["500000000000000000000003"]?["by"] == .null)
    }

    @Test func `identifiers of which one is nobody's stay values`() throws {
        let files = try UserFiles("04-mongoexport-lines")
        let text =
            "{\"_id\":{\"$oid\":\"\(first)\"},\"of\":{\"$oid\":\"\(second)\"}}\n"
            + "{\"_id\":{\"$oid\":\"\(second)\"},\"of\":{\"$oid\":\"000000000000000000000000\"}}\n"
        try text.write(toFile: files.path("own.json"), atomically: true, encoding: .utf8)
        #expect(files.migrate("own.json").outcome == .done)
        #expect(try files.rows("own")[first]?["of"] == .string(second))
    }
}
