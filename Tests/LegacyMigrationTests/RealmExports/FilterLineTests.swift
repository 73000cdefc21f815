import LegacyMigration
import Testing

/// What `realm2json --filter` prints is headed by the query as it was typed.
@Suite struct FilterLineTests {
    private static let objects = "[{\"_key\":0,\"n\":1}]"

    @Test(arguments: [
        "filter 'n > 0' found 1 results\n", "filter 'name == 'it's'' found 12 results\n",
        "filter 'name == \"x\" OR results == 3' found 0 results\n",
        "filter 'n > 0\nAND n < 3' found 1 results\n", "\n filter 'n > 0' found 1 results\r\n",
        "filter \"n > 0\" found 1 results\n", "filter '' found 1 results\n",
    ])
    func `objects are read behind the query, however it is written`(line: String) throws {
        let text = line + Self.objects
        #expect(TextFormat.detect(prefix: text.utf8, fileName: nil) == .realm2json)
        #expect(try Realm2JSON.read(text).records.count == 1)
    }

    @Test(arguments: [
        ("filter 'n > 0' found 1 results", LegacyError.Code.empty),
        ("filter 'n > 0' found\n[]", .malformed), ("filter 'n' found many results\n[]", .malformed),
        ("filter n found 1 results\n[]", .malformed), ("filters 'n' found 1 results\n[]", .malformed),
        ("filter '\(String(repeating: "x\n", count: 40_000))", .limitExceeded),
    ])
    func `what only begins like a query is refused`(text: String, expected: LegacyError.Code) throws {
        #expect(try code { _ = try Realm2JSON.read(text) } == expected)
    }
}
