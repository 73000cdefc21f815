import LegacyMigration
import Testing

@Suite struct PlaylistMappingTests {
    private static let tracks = [
        LibraryText.track(1, "A"), LibraryText.track(2, "00000000000000FF"),
    ]

    @Test(arguments: [false, true])
    func `entries keep their order and their repeats, wherever the tracks stand`(
        playlistsFirst: Bool
    ) throws {
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [LibraryText.playlist("P", [2, 1, 2, 2, 1])],
                playlistsFirst: playlistsFirst
            )
        )
        let odd = "00000000000000FF"
        #expect(readout.entries("P") == [odd, "A", odd, odd, "A"])
        #expect(readout.keys("track") == ["A", odd])
        #expect(readout.brokenReferences.isEmpty)
        #expect(readout.reading.recordCounts == ["track": 2, "playlist": 1])
    }

    @Test func `entries without a track are left out and counted`() throws {
        let noID = "<dict><key>Name</key><string>x</string></dict>"
        let list = LibraryText.playlist("P", [1, 7, 2, 8])
            .replacing("</array>", with: "\(noID)<string>x</string><array/></array>")
        let readout = try Readout(LibraryText.library(Self.tracks, playlists: [list]))
        #expect(readout.entries("P") == ["A", "00000000000000FF"])
        #expect(readout.count(.missingTrack) == 2)
        #expect(readout.count(.malformedEntry) == 3)
    }

    @Test func `built-in playlists are skipped, folders lose their entries`() throws {
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [
                    LibraryText.playlist("M", [1, 9], "<key>Master</key><true/>"),
                    LibraryText.playlist(
                        "D",
                        [1, 9],
                        "<key>Distinguished Kind</key><integer>4</integer>"
                    ),
                    LibraryText.playlist("F", [1, 9], "<key>Folder</key><true/>"),
                    LibraryText.playlist("C", [1], parent: "F", "<key>Master</key><false/>"),
                ]
            )
        )
        #expect(readout.keys("playlist") == ["F", "C"])
        #expect(readout.entries("F") == [])
        #expect(readout.record("playlist", "F")?["isFolder"] == .bool(true))
        #expect(readout.record("playlist", "C")?["isFolder"] == .bool(false))
        #expect(readout.record("playlist", "C")?["parent"] == .reference("F"))
        #expect(readout.reading.skippedCounts == ["playlist": 2])
        #expect(readout.reading.warningCounts == [.builtInPlaylist: 2])
    }

    @Test func `the rules of a smart list are a loss, and are named once`() throws {
        let more =
            LibraryText.string("Description", "") + "<key>All Items</key><true/>"
            + LibraryText.integer("Playlist ID", "7") + "<key>Smart Criteria</key><data>AA==</data>"
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [
                    LibraryText.playlist("S", [1], more), LibraryText.playlist("T", [1], more),
                ]
            )
        )
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
        #expect(readout.warnings.first?.message.contains("playlist.\"Smart Criteria\"") == true)
    }

    @Test func `playlists wait for their parents`() throws {
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [
                    LibraryText.playlist("3", [1], parent: "2"),
                    LibraryText.playlist("2b", [2], parent: "1"),
                    LibraryText.playlist("2", parent: "1"), LibraryText.playlist("1"),
                ]
            )
        )
        #expect(readout.keys("playlist") == ["1", "2b", "2", "3"])
        #expect(readout.entries("3") == ["A"])
        #expect(readout.brokenReferences.isEmpty)
        #expect(readout.reading.warningCounts.isEmpty)
    }

    @Test func `a parent that does not exist or was skipped is left out`() throws {
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [
                    LibraryText.playlist("M", [], "<key>Master</key><true/>"),
                    LibraryText.playlist("X", parent: "nowhere"),
                    LibraryText.playlist("Y", parent: "M"), LibraryText.playlist("Z", parent: "X"),
                ]
            )
        )
        #expect(readout.keys("playlist") == ["X", "Z", "Y"])
        #expect(readout.record("playlist", "Z")?["parent"] == .reference("X"))
        #expect(readout.record("playlist", "X")?["parent"] == nil)
        #expect(readout.count(.missingParent) == 2)
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `of playlists inside each other the first loses its parent`() throws {
        let readout = try Readout(
            LibraryText.library(
                Self.tracks,
                playlists: [
                    LibraryText.playlist("tail", parent: "B"),
                    LibraryText.playlist("A", parent: "B"), LibraryText.playlist("B", parent: "A"),
                    LibraryText.playlist("self", parent: "self"),
                ]
            )
        )
        #expect(Set(readout.keys("playlist")) == ["A", "B", "tail", "self"])
        #expect(readout.record("playlist", "A")?["parent"] == nil)
        #expect(readout.record("playlist", "B")?["parent"] == .reference("A"))
        #expect(readout.record("playlist", "tail")?["parent"] == .reference("B"))
        #expect(readout.count(.parentCycle) == 2)
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `a chain of ten thousand folders written backwards is put in order`() throws {
        let lists = (1...10_000).reversed().map {
            LibraryText.playlist("\($0)", parent: $0 == 1 ? nil : "\($0 - 1)")
        }
        let readout = try Readout(LibraryText.library([], playlists: lists))
        #expect(readout.keys("playlist") == (1...10_000).map(String.init))
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `playlists with a missing or repeated key are kept`() throws {
        let readout = try Readout(
            LibraryText.library(
                [],
                playlists: [
                    LibraryText.playlist(nil), LibraryText.playlist(nil),
                    LibraryText.playlist("P"), LibraryText.playlist("P"),
                ]
            )
        )
        #expect(Set(readout.keys("playlist")).count == 4)
        #expect(readout.count(.missingKey) == 2)
        #expect(readout.count(.duplicateKey) == 2)
    }

    @Test func `a list of references gives back its keys`() {
        let keys = [
            "0000000000000000", "FFFFFFFFFFFFFFFF", "ffffffffffffffff", "", "0", "\u{1F3B5}",
        ]
        let references = LegacyReferences(keys)
        #expect(Array(references) == keys)
        #expect(references != LegacyReferences(keys.reversed()))
    }
}
