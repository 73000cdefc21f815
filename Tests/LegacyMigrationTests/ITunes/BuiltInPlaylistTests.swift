import LegacyMigration
import Reprise
import Testing

/// Which lists of a library are what iTunes makes by itself, and which are somebody's.
@Suite struct BuiltInPlaylistTests {
    private static let tracks = (1...5).map { LibraryText.track($0, "T\($0)") }
    private static let criteria = "<key>Smart Criteria</key><data>AA==</data>"

    private static func kind(_ number: Int) -> String { LibraryText.integer("Distinguished Kind", "\(number)") }

    private static func library(_ playlists: [String]) -> [UInt8] {
        LibraryText.library(tracks, playlists: playlists)
    }

    private func read(_ playlists: [String], takesBuiltIn: Bool = false) throws -> Readout {
        try Readout(Self.library(playlists), takesBuiltInPlaylists: takesBuiltIn)
    }

    @Test(arguments: [2, 3, 4, 5, 10, 31], [false, true])
    func `a list of all that the library has of a sort is left out, and named in a note`(
        number: Int,
        takesBuiltIn: Bool
    ) throws {
        let list = LibraryText.playlist("B", [1, 9], Self.kind(number)).replacing(">P<", with: ">Musik<")
        let readout = try read([list, LibraryText.playlist("M", [1])], takesBuiltIn: takesBuiltIn)
        #expect(readout.keys("playlist") == ["M"])
        #expect(readout.reading.warningCounts == [.builtInPlaylist: 1])
        #expect(readout.warnings[0].message.contains("\"Musik\"") && readout.warnings[0].kind.isNote)
        #expect(readout.reading.skippedCounts == ["playlist": 1])
    }

    @Test(arguments: [false, true])
    func `the list of the whole library is left out, whatever else it says`(takesBuiltIn: Bool) throws {
        let more = "<key>Master</key><true/>" + Self.criteria
        let readout = try read([LibraryText.playlist("B", [1], more)], takesBuiltIn: takesBuiltIn)
        #expect(readout.keys("playlist").isEmpty && readout.reading.warningCounts == [.builtInPlaylist: 1])
    }

    private static let chosen = [200, 201, 202, 203, 204, 205, 206, 19, 17, 22, 26, 47, 65, 999]

    @Test(arguments: chosen)
    func `smart lists, purchases and lists of unknown kinds are left out, which is a loss`(number: Int) throws {
        let list = LibraryText.playlist("S", [3, 1, 3], Self.kind(number)).replacing(">P<", with: ">Gekauft<")
        let readout = try read([list, LibraryText.playlist("M", [1])])
        #expect(readout.keys("playlist") == ["M"])
        #expect(readout.reading.warningCounts == [.leftOutPlaylist: 1])
        let warning = try #require(readout.warnings.first)
        #expect(!warning.kind.isNote)
        #expect(warning.message.contains("\"Gekauft\"") && warning.message.contains("entries: 3"))
    }

    @Test(arguments: chosen)
    func `they arrive as they are filled where they are asked for`(number: Int) throws {
        let readout = try read([LibraryText.playlist("S", [3, 1, 3], Self.kind(number))], takesBuiltIn: true)
        #expect(readout.entries("S") == ["T3", "T1", "T3"])
        #expect(readout.reading.warningCounts.isEmpty && readout.reading.skippedCounts.isEmpty)
    }

    @Test func `one without entries loses nothing`() throws {
        let readout = try read([LibraryText.playlist("S", [], Self.kind(206) + Self.criteria)])
        #expect(readout.keys("playlist").isEmpty && readout.reading.warningCounts == [.builtInPlaylist: 1])
    }

    @Test(arguments: ["<string>4</string>", "<integer>x</integer>", "<true/>"])
    func `a kind that is no number is one that is not known`(value: String) throws {
        let list = LibraryText.playlist("S", [1], "<key>Distinguished Kind</key>" + value)
        #expect(try read([list]).reading.warningCounts[.leftOutPlaylist] == 1)
        #expect(try read([list], takesBuiltIn: true).entries("S") == ["T1"])
    }

    @Test func `a folder that iTunes makes is a loss, and what is in it is somebody's`() throws {
        let folder = LibraryText.playlist("F", [1], Self.kind(19) + "<key>Folder</key><true/>")
        let lists = [folder, LibraryText.playlist("C", [2], parent: "F")]
        let readout = try read(lists)
        #expect(readout.keys("playlist") == ["C"])
        #expect(readout.reading.warningCounts == [.leftOutPlaylist: 1, .missingParent: 1])
        let whole = try read(lists, takesBuiltIn: true)
        #expect(whole.keys("playlist") == ["F", "C"] && whole.record("playlist", "C")?["parent"] == .reference("F"))
        #expect(whole.reading.warningCounts.isEmpty)
    }

    @Test func `rules make a smart list of any kind, wherever they stand`() throws {
        let before = LibraryText.playlist("S", [1, 2], Self.kind(4) + Self.criteria)
        let after = LibraryText.playlist("T", [2, 1], Self.kind(4))
            .replacing("</array>", with: "</array>" + Self.criteria)
        let readout = try read([before, after], takesBuiltIn: true)
        #expect(readout.entries("S") == ["T1", "T2"] && readout.entries("T") == ["T2", "T1"])
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
        #expect(try read([before, after]).reading.warningCounts == [.leftOutPlaylist: 2])
    }

    @Test func `somebody's own smart list arrives as it is filled`() throws {
        let readout = try read([LibraryText.playlist("S", [2, 1], Self.criteria)])
        #expect(readout.entries("S") == ["T2", "T1"])
        // The rules themselves have no place.
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
    }

    @Test func `which list of its own it is iTunes keeps for itself`() throws {
        let list = LibraryText.playlist("S", [1], Self.kind(19) + "<key>Purchased Music</key><true/>")
        let readout = try read([list], takesBuiltIn: true)
        #expect(readout.reading.warningCounts.isEmpty && readout.entries("S") == ["T1"])
    }

    @Test(arguments: [false, true])
    func `the key of somebody's list is the same, be those that iTunes makes taken or not`(takesBuiltIn: Bool) throws {
        let lists = [LibraryText.playlist("S", [1], Self.kind(19)), LibraryText.playlist("S", [2])]
        let readout = try read(lists, takesBuiltIn: takesBuiltIn)
        #expect(readout.keys("playlist") == (takesBuiltIn ? ["S", "S-2"] : ["S-2"]))
        #expect(readout.entries("S-2") == ["T2"])
        #expect(readout.reading.warningCounts[.duplicateKey] == 1)
    }

    // MARK: - Newer exports

    private static func chosenAndOwn(_ entries: [Int]) -> [UInt8] {
        library([LibraryText.playlist("S", entries, kind(202)), LibraryText.playlist("M", [4])])
    }

    private func migrate(_ bytes: [UInt8], into library: TemporaryLibrary, takesBuiltIn: Bool) throws {
        try TemporaryFile.with(bytes) { path in
            let source = try ITunesLibrarySource(path: path, takesBuiltInPlaylists: takesBuiltIn)
            _ = try Migrator(replacing: source, store: library.store).run()
        }
    }

    private func plan(_ bytes: [UInt8], into library: TemporaryLibrary, takesBuiltIn: Bool) throws -> MigrationPlan {
        try TemporaryFile.with(bytes) { path in
            let source = try ITunesLibrarySource(path: path, takesBuiltInPlaylists: takesBuiltIn)
            return try Migrator(replacing: source, store: library.store).plan()
        }
    }

    private func verify(_ bytes: [UInt8], in library: TemporaryLibrary) throws -> MigrationVerification {
        try TemporaryFile.with(bytes) { path in
            try MigrationVerifier(source: ITunesLibrarySource(path: path), store: library.store).run()
        }
    }

    private func entries(of playlist: String, in library: TemporaryLibrary) throws -> [String]? {
        try library.store.read { state in
            try state.record(model: "playlist", id: playlist)?.lists.first { $0.name == "tracks" }?.targets
        }
    }

    @Test func `asked for once, they come with each newer export, and are compared`() throws {
        let library = try TemporaryLibrary()
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: true)
        #expect(try entries(of: "S", in: library) == ["T1", "T2"])
        let head = try library.head
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: false)
        #expect(try library.head == head)
        try migrate(Self.chosenAndOwn([3, 1]), into: library, takesBuiltIn: false)
        #expect(try entries(of: "S", in: library) == ["T3", "T1"])
        let report = try verify(Self.chosenAndOwn([3, 1]), in: library)
        #expect(report.isEqual && report.isLossless)
    }

    @Test func `asked for when there are none, they come with a newer export`() throws {
        let library = try TemporaryLibrary()
        let own = Self.library([LibraryText.playlist("M", [4])])
        try migrate(own, into: library, takesBuiltIn: false)
        let plan = try plan(own, into: library, takesBuiltIn: true)
        #expect(plan.notesChoice && plan.writtenCount == 0)
        try migrate(own, into: library, takesBuiltIn: true)
        let head = try library.head
        for takesBuiltIn in [true, false] { try migrate(own, into: library, takesBuiltIn: takesBuiltIn) }
        #expect(try library.head == head)
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: false)
        #expect(try entries(of: "S", in: library) == ["T1", "T2"])
    }

    @Test func `asked for later, they come with the same export`() throws {
        let library = try TemporaryLibrary()
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: false)
        #expect(try entries(of: "S", in: library) == nil)
        #expect(try verify(Self.chosenAndOwn([1, 2]), in: library).warningCounts == [.leftOutPlaylist: 1])
        let before = try library.head
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: true)
        #expect(try entries(of: "S", in: library) == ["T1", "T2"])
        #expect(try verify(Self.chosenAndOwn([1, 2]), in: library).isLossless)
        #expect(try plan(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: true).notesChoice == false)
        // What was gone back from was never asked for.
        _ = try library.store.rollback(to: .position(before))
        try migrate(Self.chosenAndOwn([1]), into: library, takesBuiltIn: false)
        #expect(try entries(of: "S", in: library) == nil)
    }

    @Test func `what was asked for stands in the log as it is specified, once`() throws {
        let library = try TemporaryLibrary()
        let own = Self.library([LibraryText.playlist("M", [4])])
        try migrate(own, into: library, takesBuiltIn: false)
        #expect(try choices(in: library).isEmpty)
        let head = try library.head
        try migrate(own, into: library, takesBuiltIn: true)
        try migrate(Self.chosenAndOwn([1, 2]), into: library, takesBuiltIn: true)
        let expected = #"{"migration":"m\#(head)","choices":[["playlists","builtIn"]]}"#
        #expect(try choices(in: library) == [expected])
    }

    /// What the log says of choices, from its beginning.
    private func choices(in library: TemporaryLibrary) throws -> [String] {
        var payloads: [String] = []
        try library.store.read { state in
            try state.forEachCommit { commit in
                for case let annotation? in commit.events.map(\.annotation)
                where annotation.name == "migration.understood" {
                    payloads.append(String(decoding: annotation.payload, as: UTF8.self))
                }
                return true
            }
        }
        return payloads
    }
}
