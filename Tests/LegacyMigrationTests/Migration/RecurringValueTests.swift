import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Values that other rows of a class have as well: they say nothing of whether two exports of one file name are of the
/// same thing.
@Suite struct RecurringValueTests {
    private let exports: ExportsOfOneName

    init() throws {
        exports = try ExportsOfOneName()
    }

    /// A table in the rows of which a few words recur, beside a title of its own.
    private func songs(
        _ numbers: some Sequence<Int>,
        _ word: String,
        plays: (Int) -> Int = { _ in 1 },
        _ words: (Int) -> [String]
    ) -> String {
        "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, a TEXT, b TEXT, c TEXT, plays INT);"
            + numbers.map { number in
                let words = words(number).map { "'\($0)'" }.joined(separator: ", ")
                return "INSERT INTO song VALUES(\(number), '\(word)\(number)', \(words), \(plays(number)));"
            }.joined()
    }

    /// Words of a row by how many kinds there are, as an app has them that is not this one.
    private static let recurring: [@Sendable (Int) -> [String]] = [
        { _ in ["song", "mp3", "disk"] },
        { $0.isMultiple(of: 2) ? ["audio/mpeg", "mp3", "sound"] : ["text/plain", "lrc", "lyrics"] },
        { number in [3, 5, 7].map { number.isMultiple(of: $0) ? "flac" : "mp3" } },
    ]

    @Test(arguments: 0..<recurring.count)
    func `words that recur make no rows the same`(place: Int) throws {
        var random = SeededGenerator(seed: UInt64(place))
        func words() -> [[String]] { (1...90).map { _ in Self.recurring[place](.random(in: 1...105, using: &random)) } }
        let (ours, others) = (words(), words())
        try exports.migrate(
            exports.database(songs(1...90, "x") { ours[$0 - 1] }, in: "a"),
            related: exports.database(songs(1...89, "x", plays: { 1 + $0 % 2 }) { ours[$0 - 1] }, in: "b"),
            other: exports.database(songs(1...89, "y") { others[$0 - 1] }, in: "c")
        )
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `columns that follow from one of them make no rows the same`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func rows(_ word: String) -> [String] {
            (1...200).map { number in
                let isFirst = Double.random(in: 0..<1, using: &random) < 0.9
                let kinds = (0..<6).map { #""c\#($0)":"\#(isFirst ? "mp" : "flac")\#($0)""# }.joined(separator: ",")
                return #"{"id":\#(number),"t":"\#(word)\#(number)",\#(kinds)}"# + "\n"
            }
        }
        let (ours, others) = (rows("x"), rows("y"))
        try exports.migrate(
            exports.lines(ours.joined(), in: "a"),
            related: exports.lines(ours.dropLast().joined(), in: "b"),
            other: exports.lines(others.dropLast().joined(), in: "c")
        )
    }

    @Test func `what is long is another where only its end is`() throws {
        func rows(_ numbers: ClosedRange<Int>, _ seen: String, _ picture: Int) -> String {
            "CREATE TABLE song(id INTEGER PRIMARY KEY, cover BLOB, seen TEXT);"
                + numbers.map { number in
                    let bytes = String(repeating: "4a", count: 200) + String(picture + number)
                    return "INSERT INTO song VALUES(\(number), x'\(bytes)', '\(seen)\(number)');"
                }.joined()
        }
        try exports.migrate(
            exports.database(rows(10...69, "x", 1000), in: "a"),
            related: exports.database(rows(10...68, "y", 1000), in: "b"),
            other: exports.database(rows(10...68, "y", 3000), in: "c")
        )
    }

    @Test func `many columns of one word do not either beside one that differs`() throws {
        func rows(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            let names = (1...40).map { "c\($0)" }.joined(separator: ", ")
            let words = [String](repeating: "'w'", count: 40).joined(separator: ", ")
            return "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, \(names));"
                + numbers.map { "INSERT INTO song VALUES(\($0), '\(word)\($0)', \(words));" }.joined()
        }
        try exports.migrate(
            exports.database(rows(1...60, "x"), in: "a"),
            related: exports.database(rows(1...59, "x"), in: "b"),
            other: exports.database(rows(1...59, "y"), in: "c")
        )
    }

    @Test(arguments: [
        #"["a","b"]"#, #"{"a":1}"#, #""\#(String(repeating: "w", count: 2000))""#,
    ])
    func `something long, or a list, that all rows have does not either`(value: String) throws {
        func rows(_ numbers: ClosedRange<Int>, _ word: String) -> String {
            numbers.map { #"{"id":\#($0),"t":"\#(word)\#($0)","v":\#(value)}"# + "\n" }.joined()
        }
        try exports.migrate(
            exports.lines(rows(1...60, "x"), in: "a"),
            related: exports.lines(rows(1...59, "x"), in: "b"),
            other: exports.lines(rows(1...59, "y"), in: "c")
        )
    }
}
