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
        ("{\"a\":1}", .ndjson), ("#EXTM3U\n/a.mp3\n", .m3u),
        ("\u{FEFF}#EXTM3U\r\n", .m3u),
        (
            "<?xml version=\"1.0\"?>\n<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">",
            .xspf
        ),
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
        "", "a,b\n1,2\n", "[1,2]", "3", "{", "{\"a\":1,\n\"b\":2}", "<plist/>", "<playlist/>",
        "SQLite format 3",
        "#EXTM3U8", "/music/a.mp3\n",
    ])
    func `what no rule holds for is no format`(text: String) {
        #expect(TextFormat.detect(prefix: text.utf8, fileName: nil) == nil)
    }

    @Test func `tables and bare playlists are told by the name of the file alone`() {
        #expect(TextFormat.detect(prefix: "a,b\n".utf8, fileName: "Songs.CSV") == .csv)
        #expect(TextFormat.detect(prefix: "a\tb\n".utf8, fileName: "songs.tsv") == .csv)
        #expect(TextFormat.detect(prefix: "/a.mp3\n".utf8, fileName: "x.m3u") == .m3u)
        #expect(TextFormat.detect(prefix: "a,b\n".utf8, fileName: "songs.txt") == nil)
    }
}
