import Testing

@testable import RepriseCLI

struct TextTableTests {
    private static func terminal(_ width: Int) -> TerminalTraits {
        TerminalTraits(isTerminal: true, width: width, usesStyle: false)
    }

    @Test(
        arguments: [
            ("abc", 3), ("日本", 4), ("한국", 4), ("🎵", 2), ("e\u{301}", 1), ("❤️", 2), ("👨‍👩‍👧", 2),
            ("🇫🇷", 2), ("ｶﾅ", 2), ("Ａ", 2), ("", 0), ("\u{200B}", 0), ("é", 1), ("—", 1),
        ]
    )
    func `a text takes as many columns as a terminal gives it`(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func `columns line up under wide characters`() {
        let rows = [["1", "So What", "9.5"], ["22", "日本", "10"], ["333", "e\u{301}tude", ""]]
        let table = TextTable(
            [
                .init(heading: "id"), .init(heading: "title"),
                .init(heading: "min", isNumeric: true),
            ],
            sample: rows,
            in: Self.terminal(80)
        )
        let text = ([table.header] + rows.map(table.line)).joined(separator: "\n")
        #expect(
            text == """
                id   title    min
                1    So What  9.5
                22   日本      10
                333  e\u{301}tude
                """
        )
    }

    @Test func `the widest columns give way on a narrow screen`() {
        let rows = [["abc", String(repeating: "x", count: 100), String(repeating: "日", count: 40)]]
        let table = TextTable(
            [.init(heading: "a"), .init(heading: "b"), .init(heading: "c")],
            sample: rows,
            in: Self.terminal(40)
        )
        #expect(table.fits)
        let line = table.line(rows[0])
        #expect(DisplayWidth.of(line) <= 40)
        #expect(line == "abc  xxxxxxxxxxxxxxxx…  日日日日日日日…")
    }

    @Test func `a table that cannot fit says so`() {
        let columns = (0..<20).map { TextTable.Column(heading: "column\($0)") }
        #expect(!TextTable(columns, sample: [], in: Self.terminal(40)).fits)
        #expect(TextTable(columns, sample: [], in: .plain).fits)
    }

    @Test func `nothing is cut off in a pipe`() {
        let long = String(repeating: "x", count: 500)
        let table = TextTable([.init(heading: "a"), .init(heading: "b")], sample: [], in: .plain)
        #expect(table.line(["1", long]) == "1  " + long)
    }

    @Test func `a cell cannot steer the terminal`() {
        let table = TextTable([.init(heading: "a")], sample: [], in: .plain)
        #expect(table.line(["\u{1B}[2J\r\nx\u{7F}\u{9B}\u{202E}"]) == "␛[2J␍␊x␡\u{FFFD}\u{FFFD}")
    }

    @Test(arguments: 1...12)
    func `truncation never exceeds the width`(_ width: Int) {
        for text in ["", "a", "日本語日本語", "a日b日c日d日", "e\u{301}e\u{301}e\u{301}e\u{301}", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"] {
            let cut = DisplayWidth.truncated(text, to: width)
            #expect(DisplayWidth.of(cut) <= width)
            #expect(cut == text || cut.hasSuffix("…"))
        }
    }

    @Test func `style is left out where it is not wanted`() {
        var traits = Self.terminal(80)
        #expect(TextStyle.bold.applied(to: "x", in: traits) == "x")
        traits.usesStyle = true
        #expect(TextStyle.bold.applied(to: "x", in: traits) == "\u{1B}[1mx\u{1B}[0m")
        #expect(TerminalTraits(of: -1, environment: { _ in nil }) == .plain)
    }
}

struct QuantityTests {
    @Test func `amounts are grouped`() {
        #expect(
            [0, 7, 999, 1000, -1_234_567].map { Quantity.count($0) }
                == ["0", "7", "999", "1,000", "-1,234,567"]
        )
        #expect(Quantity.count(1, "event") == "1 event")
        #expect(Quantity.count(2000, "event") == "2,000 events")
        #expect(
            [0, 1023, 1024, 1536, 25_165_824, 1 << 41].map { Quantity.bytes($0) }
                == ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "24.0 MiB", "2.0 TiB"]
        )
    }

    @Test(
        arguments: [
            (1, "entry", "1 entry"), (2, "entry", "2 entries"), (2, "day", "2 days"), (3, "box", "3 boxes"),
            (2, "batch", "2 batches"), (1200, "track", "1,200 tracks"), (2, "movies", "2 movies"), (4, "a", "4 a"),
            (2, "RealmTrack", "2 RealmTrack"), (0, "album", "0 albums"),
        ]
    )
    func `records are counted in the words of their models`(number: Int, model: String, text: String) {
        #expect(Quantity.records(number, model) == text)
    }

    @Test func `durations read like a clock from a minute on`() {
        let durations: [Duration] = [
            .milliseconds(42), .seconds(12), .seconds(187), .seconds(7387),
        ]
        #expect(durations.map { Quantity.duration($0) } == ["0.0 s", "12.0 s", "3:07", "2:03:07"])
    }
}

struct SpellingTests {
    @Test(
        arguments: [
            ("fetc", "fetch"), ("fecth", "fetch"), ("exprot", "export"), ("snap", "snapshot"),
            ("rollbak", "rollback"), ("FETCH", "fetch"), ("xyz", nil), ("", nil), ("q", nil),
        ] as [(String, String?)]
    )
    func `a slip of the fingers is recognised`(_ word: String, _ meant: String?) {
        let words = ["migrate", "fetch", "export", "snapshot", "rollback", "put", "log"]
        #expect(Spelling.nearest(to: word, in: words) == meant)
    }

    @Test func `distance counts a swap once`() {
        #expect(Spelling.distance("", "") == 0)
        #expect(Spelling.distance("abc", "acb") == 1)
        #expect(Spelling.distance("kitten", "sitting") == 3)
    }
}
