import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// Playlists and tables are read in the encoding that they are written in, and the report says which.
@Suite struct TextEncodingTests {
    /// Writes a text in an encoding that Foundation knows by a number of Core Foundation where it has no name.
    private func write(
        _ text: String,
        _ encoding: String.Encoding,
        mark: [UInt8] = [],
        to path: String
    ) throws {
        let bytes = try #require(text.data(using: encoding))
        try (Data(mark) + bytes).write(to: URL(filePath: path))
    }

    private static let latin9 = String.Encoding(rawValue: 0x8000_020F)
    private static let gbk = String.Encoding(rawValue: 0x8000_0632)

    @Test(arguments: [
        ("Café – Señor “Ü”", String.Encoding.windowsCP1252, "Windows-1252"),
        ("Don’t Stop I’m", .windowsCP1252, "Windows-1252"),
        ("9½ Weeks, año", .windowsCP1252, "Windows-1252"),
        ("Mon cœur à 5 €", latin9, "ISO-8859-15"), ("Группа крови", .windowsCP1251, "Windows-1251"),
        ("КИНО", .windowsCP1251, "Windows-1251"), ("アイドルの夜", .shiftJIS, "Shift_JIS"),
        ("青花瓷与红豆", gbk, "GBK"),
    ])
    func `a playlist is read by its letters`(title: String, encoding: String.Encoding, name: String)
        throws
    {
        let files = try UserFiles("12-m3u-percent-encoded")
        try write("#EXTM3U\n#EXTINF:1,\(title)\na.mp3\n", encoding, to: files.path("list.m3u"))
        let answer = files.migrate("list.m3u")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("track").values.map { $0["title"] } == [.string(title)])
        #expect(
            answer.output.contains("read as \(name), because the file is not UTF-8"),
            "\(answer.output)"
        )
    }

    @Test(arguments: [
        (String.Encoding.utf16LittleEndian, [0xFF, 0xFE], "UTF-16LE"),
        (.utf16BigEndian, [0xFE, 0xFF], "UTF-16BE"), (.utf8, [0xEF, 0xBB, 0xBF], nil),
        (.utf8, [], nil),
    ] as [(String.Encoding, [UInt8], String?)])
    func `a byte order mark counts, and UTF-8 is UTF-8`(
        encoding: String.Encoding,
        mark: [UInt8],
        name: String?
    ) throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        // Longer than a piece, and with a character of two units at each place.
        let long = String(repeating: "😀é東", count: 60_000)
        try write(
            "Name\tStadt\nAnna\t\(long)\n",
            encoding,
            mark: mark,
            to: files.path("people.txt")
        )
        let answer = files.migrate("people.txt")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("people").values.map { $0["Stadt"] } == [.string(long)])
        if let name {
            #expect(
                answer.output.contains("read as \(name), because its byte order mark"),
                "\(answer.output)"
            )
        } else {
            #expect(!answer.output.contains("read as"), "\(answer.output)")
        }
    }

    @Test func `what a playlist says of its encoding counts where it is no UTF-8`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        let text = "#EXTM3U\n#EXTENC:windows-1251\n#EXTINF:1,Ю\na.mp3\n"
        try write(text, .windowsCP1251, to: files.path("one.m3u"))
        let answer = files.migrate("one.m3u")
        #expect(
            answer.output.contains("Windows-1251, because the file says so"),
            "\(answer.output)"
        )
        #expect(!answer.output.contains("EXTENC"), "\(answer.output)")
        try write(text, .utf8, to: files.path("two.m3u"))
        #expect(files.migrate("two.m3u").output.contains("EXTENC"))
        #expect(try files.rows("track").values.allSatisfy { $0["title"] == .string("Ю") })
    }

    @Test func `an XSPF file is read in the encoding that it declares`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        let text =
            "<?xml version='1.0' encoding='ISO-8859-1'?><playlist xmlns='http://xspf.org/ns/0/' version='1'><trackList>"
            + "<track><title>Café Ü</title><location>file:///a.mp3</location></track></trackList></playlist>"
        try write(text, .isoLatin1, to: files.path("list.xspf"))
        let answer = files.migrate("list.xspf")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("track").values.map { $0["title"] } == [.string("Café Ü")])
        #expect(answer.output.contains("read as Windows-1252, because the file says so"), "\(answer.output)")
    }

    @Test func `a table of another encoding keeps its titles and values`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        try write("Name;Ort\nMüller;Köln\nÄgäis;Öl\n", .windowsCP1252, to: files.path("people.csv"))
        let answer = files.migrate("people.csv")
        #expect(answer.outcome == .done)
        #expect(
            Set(try files.rows("people").values.map { $0["Ort"] }) == [
                .string("Köln"), .string("Öl"),
            ]
        )
        #expect(answer.output.contains("read as Windows-1252"), "\(answer.output)")
        #expect(files.verify("people.csv").outcome == .done)
    }
}

/// Tables have their titles in the first row, further down, or nowhere.
@Suite struct TableHeadTests {
    private func migrated(_ text: String) throws -> (files: UserFiles, answer: UserFiles.Answer) {
        let files = try UserFiles("12-m3u-percent-encoded")
        try Data(text.utf8).write(to: URL(filePath: files.path("people.csv")))
        return (files, files.migrate("people.csv"))
    }

    @Test(
        arguments: [
            ("Name,Age\nAnna,3\nBob,4\n", nil), ("Name;Age\nAnna;3\nBob;4\n", nil),
            ("Name|Age\nAnna|3\nBob|4\n", nil),
            ("Name\tAge\nAnna\t3\nBob\t4\n", nil),
            ("sep=;\r\nName;Age\r\nAnna;3\r\nBob;4\r\n", nil),
            ("sep=|\nName|Age\nAnna|3\nBob|4\n", nil),
            (
                "My people\n\nName,Age\nAnna,3\nBob,4\n",
                "The row above the column titles was left out: \"My people\"."
            ),
            (
                "My people,,\nof 2020,,\nName,Age,City\nAnna,3,Ulm\nBob,4,Bonn\n",
                "The 2 rows above the column titles were left out: \"My people\", \"of 2020\"."
            ),
            (
                "sep=;\nMy people;;\nName;Age;City\nAnna;3;Ulm\nBob;4;Bonn\n",
                "The row above the column titles was left out"
            ),
        ] as [(String, String?)]
    )
    func `titles are found`(text: String, note: String?) throws {
        let (files, answer) = try migrated(text)
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let rows = try files.rows("people").values
        #expect(Set(rows.map { $0["Name"] }) == [.string("Anna"), .string("Bob")])
        #expect(Set(rows.map { $0["Age"] }) == [.int(3), .int(4)])
        if let note {
            #expect(answer.output.contains(note), "\(answer.output)")
        } else {
            #expect(!answer.output.contains("guessedHeader"), "\(answer.output)")
        }
    }

    @Test func `a first row with values is no header, and stays none`() throws {
        let (files, answer) = try migrated("Anna,34,2020-01-02\nBob,35,2020-01-03\n")
        #expect(answer.outcome == .done)
        #expect(try files.rows("people").count == 2)
        #expect(Set(try files.rows("people").values.map { $0["column2"] }) == [.int(34), .int(35)])
        #expect(answer.output.contains("has no column titles"), "\(answer.output)")
        // By itself the newer export would have a header.
        try Data("Anna,34,2020-01-02\nBob,35,2020-01-03\nCid,old,never\n".utf8)
            .write(to: URL(filePath: files.path("people.csv")))
        #expect(files.migrate("people.csv").outcome == .done)
        #expect(try files.rows("people").values.contains { $0["column1"] == .string("Cid") })
        #expect(try files.rows("people").count == 3)
    }

    @Test func `local dates and numbers in the first row are no titles`() throws {
        let (files, answer) = try migrated("18.09.2017;Bread;-33,87\n19.09.2017;Salt;-1.023,55\n")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(answer.output.contains("has no column titles"), "\(answer.output)")
        #expect(try files.rows("people").values.compactMap { $0["column3"] }.count == 2)
    }

    @Test func `a title above the columns that comes later makes no other table`() throws {
        let (files, _) = try migrated("id,Age,City\n1,3,Ulm\n2,4,Bonn\n")
        try Data("People\nid,Age,City\n1,3,Ulm\n2,4,Bonn\n3,5,Kiel\n".utf8).write(
            to: URL(filePath: files.path("people.csv"))
        )
        #expect(files.migrate("people.csv").outcome == .done)
        #expect(try files.rows("people").count == 3)
    }

    @Test(arguments: [
        "Name,2019,2020\nAnna,3,4\nBob,5,6\n", ",Age\nAnna,3\nBob,4\n", "1,Age\nAnna,3\nBob,4\n",
    ])
    func `years and single numbers may be titles`(text: String) throws {
        let (files, answer) = try migrated(text)
        #expect(answer.outcome == .done)
        #expect(try files.rows("people").count == 2)
        #expect(!answer.output.contains("guessedHeader"), "\(answer.output)")
    }
}
