import LegacyMigration
import Testing

@Suite struct TextFormatTests {
    @Test(arguments: [
        ("{\n\"A\":[{\"_key\":0}]\n}\n", TextFormat.realm2json),
        ("{\n\"A\":[]\n,\"B\":[{\"id\":\"x\",", .realm2json), ("{\n}\n", .realm2json),
        ("{\"A\":[{\"n\":{\"$numberLong\":\"1\"}}]}", .realm2json),
        ("filter 'x' found 2 results\n[{", .realm2json),
        ("{\n  \"A\": [\n    {\n      \"id\": \"x\"\n    }\n  ],\n  \"B\": []\n}", .realmstudio),
        ("[{\"A\":\"1\"},[\"2\"],{\"n\":1}]", .realmstudio), ("[{},[],{\"n\":1}]", .realmstudio),
        ("{\"model\":\"a\",\"id\":1}\n{\"model\":\"b\",\"id\":2}\n", .ndjson),
        ("{\"a\":1}", .ndjson),
        ("[{\"name\":\"x\"}]", .ndjson), ("[\n  {\n    \"year\": \"1999\"\n  },\n  {\"y", .ndjson),
        ("a,b\n1,2\n", .csv), ("sep=;\na;b\n1;2\n", .csv),
        ("#EXTM3U\n/a.mp3\n", .m3u),
        ("\u{FEFF}#EXTM3U\r\n", .m3u),
        (
            "<?xml version=\"1.0\"?>\n<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">",
            .xspf
        ),
        (
            "<?xml version='1.0'?>\r\n<!-- <a> -->\r\n<p:playlist version='1' xmlns:p='http://xspf.org/ns/0/'>",
            .xspf
        ),
        ("<!DOCTYPE playlist>\n<playlist xmlns=\"http://xspf.org/ns/0/\"/>", .xspf),
        ("<playlist version = '1'\n\txmlns = 'http://xspf.org/ns/0/'\n>", .xspf),
    ])
    func `formats are told apart by their content`(text: String, expected: TextFormat) {
        #expect(TextFormat.detect(prefix: text.utf8, fileName: nil) == expected)
        let claims = [
            Realm2JSONSource.canRead(prefix: text.utf8) ? TextFormat.realm2json : nil,
            RealmStudioJSONSource.canRead(prefix: text.utf8) ? .realmstudio : nil,
            NDJSONSource.canRead(prefix: text.utf8) ? .ndjson : nil,
            M3USource.canRead(prefix: text.utf8) ? .m3u : nil,
            XSPFSource.canRead(prefix: text.utf8) ? .xspf : nil,
            CSVSource.canRead(prefix: text.utf8) ? .csv : nil,
        ]
        #expect(claims.compactMap { $0 } == [expected])
        #expect(!ITunesLibrarySource.canRead(prefix: text.utf8))
        #expect(!RealmLibrarySource.canRead(prefix: text.utf8))
    }

    @Test(arguments: [
        "", "a,b\n", "a\n1\n", "a,a\n1,2\n", "a,\n1,2\n", "a,b\n1,2,3\n", "a,b\n1,2\u{0}\n",
        "[1,2]", "3", "{", "{\"a\":1,\n\"b\":2}", "<plist/>", "<playlist/>",
        "<v:playlist xmlns:v='urn:v' xmlns:xspf='http://xspf.org/ns/0/'>",
        "<a><playlist xmlns=\"http://xspf.org/ns/0/\"/></a>", "<!-- <playlist xmlns=\"http://xspf.org/ns/0/\"",
        "SQLite format 3",
        "#EXTM3U8", "/music/a.mp3\n",
    ])
    func `what no rule holds for is no format`(text: String) {
        #expect(TextFormat.detect(prefix: text.utf8, fileName: nil) == nil)
    }

    @Test func `what can be a table or a bare playlist is told by the name of the file`() {
        #expect(TextFormat.detect(prefix: "a,b\n".utf8, fileName: "Songs.CSV") == .csv)
        #expect(TextFormat.detect(prefix: "a\tb\n".utf8, fileName: "songs.tsv") == .csv)
        #expect(TextFormat.detect(prefix: "a\nb\n".utf8, fileName: "songs.csv") == .csv)
        #expect(TextFormat.detect(prefix: "/a.mp3\n".utf8, fileName: "x.m3u") == .m3u)
        #expect(TextFormat.detect(prefix: "a,b\n".utf8, fileName: "songs.txt") == nil)
        // Each line has one comma, and is the name of a file.
        let list = "Abba, Honey.mp3\n../b/Blur, Song 2.m4a\n# a, b\n"
        #expect(TextFormat.detect(prefix: list.utf8, fileName: "x.m3u") == .m3u)
    }

    @Test(arguments: ["a.json", "a.txt", "a.bin", "a", "a.m3u", "a.ndjson", "a.csv", nil])
    func `a table is one whatever it is called`(name: String?) {
        let table = "id;title;path\n1;\"a;b\";/x/a.mp3\n2;c;/x/b.mp3"
        #expect(TextFormat.detect(prefix: table.utf8, fileName: name) == .csv)
        #expect(TextFormat.detect(prefix: table.utf8.dropLast(12), fileName: name) == .csv)
        #expect(CSVSource.canRead(prefix: "\u{FEFF}\(table)".utf8))
    }

    @Test(arguments: ["a.csv", "a.m3u", "a.ndjson"])
    func `an XML file is no table, whatever it is called`(name: String) {
        let text = "<?xml version=\"1.0\"?>\n<plist><key>Tracks</key></plist>\n"
        #expect(TextFormat.detect(prefix: text.utf8, fileName: name) == nil)
    }
}
