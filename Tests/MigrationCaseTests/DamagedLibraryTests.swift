import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// A library with one bad character loses that character, and nothing else.
@Suite struct DamagedLibraryTests {
    @Test(arguments: ["Library.xml", "badutf8.xml"])
    func `what no XML holds costs its value only`(file: String) throws {
        let files = try UserFiles("07-itunes-control-character")
        let answer = files.migrate(file)
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("track").count == 2)
        let names = try files.rows("track").values.map { $0["title"] }
        #expect(
            names.contains {
                if case .string(let text) = $0 { text.contains("\u{FFFD}") } else { false }
            }
        )
        #expect(answer.output.contains("Line 10 "), "\(answer.output)")
        #expect(try files.members("tracks", of: "playlist", "00000000B0000001").count == 2)
        let head = try files.head()
        #expect(files.migrate(file).outcome == .done)
        #expect(try files.head() == head)
    }

    @Test func `references to two surrogates are the character that they mean`() throws {
        let files = try UserFiles("07-itunes-control-character")
        let answer = files.migrate("surrogate.xml")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(
            try files.rows("track")["00000000A0000001"]?["title"] == .string("Goblin \u{1F60E}")
        )
        #expect(!answer.output.contains("U+FFFD"), "\(answer.output)")
    }

    @Test(arguments: [
        ("&#8;", "\u{FFFD}"), ("&#x1F;", "\u{FFFD}"), ("&#xD83D;", "\u{FFFD}"),
        ("&#xDE0E;&#xD83D;", "\u{FFFD}\u{FFFD}"),
        ("&#x110000;", "\u{FFFD}"), ("\u{FFFE}", "\u{FFFD}"), ("&#xFFFF;", "\u{FFFD}"),
        ("&#38;#8;", "&#8;"),
        ("<![CDATA[&#8;]]>", "&#8;"), ("&#x263A;", "\u{263A}"), ("\u{0}", "\u{FFFD}"),
    ])
    func `references and characters are mended one by one`(written: String, expected: String) throws
    {
        let files = try UserFiles("07-itunes-control-character")
        let text = try String(contentsOfFile: files.path("surrogate.xml"), encoding: .utf8)
        try text.replacing("&#55357;&#56846;", with: written)
            .write(toFile: files.path("own.xml"), atomically: true, encoding: .utf8)
        let answer = files.migrate("own.xml")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(
            try files.rows("track")["00000000A0000001"]?["title"] == .string("Goblin " + expected)
        )
        #expect(
            answer.output.contains("U+FFFD") == expected.contains("\u{FFFD}"),
            "\(answer.output)"
        )
    }

    @Test func `bad characters at every place of a long library are mended`() throws {
        let files = try UserFiles("07-itunes-control-character")
        let text = try String(contentsOfFile: files.path("surrogate.xml"), encoding: .utf8)
        // Longer than a piece, so that a reference lies across two of them.
        for filling in [
            65_000, 65_536 - 700, 65_536 - 690, 65_536 - 685, 65_536 - 680, 65_536 - 675,
        ] {
            let long = text.replacing(
                "<plist ",
                with: "<!--" + String(repeating: "x", count: filling) + "--><plist "
            )
            try long.write(toFile: files.path("own.xml"), atomically: true, encoding: .utf8)
            #expect(files.migrate("own.xml").outcome == .done)
            #expect(
                try files.rows("track")["00000000A0000001"]?["title"] == .string("Goblin \u{1F60E}")
            )
        }
    }
}
