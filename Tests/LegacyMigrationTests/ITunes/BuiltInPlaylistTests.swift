import LegacyMigration
import Testing

/// Which lists of a library are what iTunes makes of its tracks, and which are somebody's.
@Suite struct BuiltInPlaylistTests {
    private static let tracks = (1...5).map { LibraryText.track($0, "T\($0)") }
    private static let criteria = "<key>Smart Criteria</key><data>AA==</data>"

    private static func kind(_ number: Int) -> String { LibraryText.integer("Distinguished Kind", "\(number)") }

    private func read(_ playlists: [String]) throws -> Readout {
        try Readout(LibraryText.library(Self.tracks, playlists: playlists))
    }

    @Test(arguments: [2, 3, 4, 5, 10, 31])
    func `a list of all that the library has of a sort is left out, and named in a note`(number: Int) throws {
        let list = LibraryText.playlist("B", [1, 9], Self.kind(number)).replacing(">P<", with: ">Musik<")
        let readout = try read([list, LibraryText.playlist("M", [1])])
        #expect(readout.keys("playlist") == ["M"])
        #expect(readout.reading.warningCounts == [.builtInPlaylist: 1])
        #expect(readout.warnings[0].message.contains("\"Musik\"") && readout.warnings[0].kind.isNote)
        #expect(readout.reading.skippedCounts == ["playlist": 1])
    }

    @Test func `the list of the whole library is left out, whatever else it says`() throws {
        let more = "<key>Master</key><true/>" + Self.criteria
        let readout = try read([LibraryText.playlist("B", [1], more)])
        #expect(readout.keys("playlist").isEmpty && readout.reading.warningCounts == [.builtInPlaylist: 1])
    }

    @Test(arguments: [200, 201, 202, 203, 204, 205, 206, 19, 17, 22, 26, 47, 65, 999])
    func `smart lists, purchases and lists of unknown kinds arrive as they are filled`(number: Int) throws {
        let readout = try read([LibraryText.playlist("S", [3, 1, 3], Self.kind(number))])
        #expect(readout.entries("S") == ["T3", "T1", "T3"])
        #expect(readout.reading.warningCounts.isEmpty && readout.reading.skippedCounts.isEmpty)
    }

    @Test func `rules make a smart list of any kind, wherever they stand`() throws {
        let before = LibraryText.playlist("S", [1, 2], Self.kind(4) + Self.criteria)
        let after = LibraryText.playlist("T", [2, 1], Self.kind(4))
            .replacing("</array>", with: "</array>" + Self.criteria)
        let readout = try read([before, after])
        #expect(readout.entries("S") == ["T1", "T2"] && readout.entries("T") == ["T2", "T1"])
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
    }

    @Test func `which list of its own it is iTunes keeps for itself`() throws {
        let readout = try read([
            LibraryText.playlist("S", [1], Self.kind(19) + "<key>Purchased Music</key><true/>")
        ])
        #expect(readout.reading.warningCounts.isEmpty && readout.entries("S") == ["T1"])
    }

    @Test func `lists of smart rules and purchases come beside somebody's own`() throws {
        let readout = try read([
            LibraryText.playlist("1", [1, 2], Self.kind(201) + Self.criteria).replacing(">P<", with: ">Meine Besten<"),
            LibraryText.playlist("2", [3], Self.kind(19)).replacing(">P<", with: ">Purchased<"),
            LibraryText.playlist("3", [4, 5]).replacing(">P<", with: ">Mine<"),
        ])
        #expect(readout.reading.recordCounts["playlist"] == 3)
        #expect(readout.record("playlist", "1")?["name"] == .string("Meine Besten"))
        // The rules themselves have no place.
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
    }
}
