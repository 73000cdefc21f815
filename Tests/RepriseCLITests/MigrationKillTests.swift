import Foundation
import LegacyMigration
import Reprise
import Testing

@testable import RepriseCLI

/// Migrations whose process is killed with signal 9, wherever it is.
@Suite struct MigrationKillTests {
    /// The program beside the tests.
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "reprise").path

    private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }
    private static var isReady: Bool { RealmFixtures.areHere && isBuilt }

    private let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")

    private func digest(_ path: String) throws -> StateDigest {
        let store = try Store.open(existing: path)
        defer { store.close() }
        return try store.read { $0.digest }
    }

    @Test(
        .enabled(if: isReady, "needs the fixtures beside the repository and the built program"),
        arguments: ["music", "own"]
    )
    func `a migration of a Realm file is killed again and again, and arrives at the same digest`(
        mapping: String
    ) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = RealmFixtures.generated.appending(path: "music_10k.realm").path
        try killAgainAndAgain(6, ["migrate", file, "--mapping", mapping])
    }

    @Test(.enabled(if: isBuilt, "needs the built program"))
    func `a migration of an iTunes library is killed again and again, and arrives at the same digest`()
        throws
    {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "Library.xml")
        try Data(Self.library(trackCount: 12_000).utf8).write(to: file)
        try killAgainAndAgain(12, ["migrate", file.path])
    }

    /// An iTunes library with albums of ten tracks and a playlist with each fifth of them.
    private static func library(trackCount: Int) -> String {
        func key(_ number: Int) -> String { String(0xA000_0000_0000_0000 + UInt64(number), radix: 16) }
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>Library Persistent ID</key><string>\(key(0))</string><key>Tracks</key><dict>

            """
        for number in 1...trackCount {
            text += """
                <key>\(number)</key><dict><key>Track ID</key><integer>\(number)</integer>
                <key>Name</key><string>Title \(number)</string><key>Album</key><string>Album \(number / 10)</string>
                <key>Artist</key><string>Artist \(number % 70)</string><key>Persistent ID</key>
                <string>\(key(number))</string></dict>

                """
        }
        text += """
            </dict><key>Playlists</key><array><dict><key>Name</key><string>Mix</string>
            <key>Playlist Persistent ID</key><string>\(key(trackCount + 1))</string><key>Playlist Items</key><array>

            """
        for number in stride(from: trackCount, to: 0, by: -5) {
            text += "<dict><key>Track ID</key><integer>\(number)</integer></dict>\n"
        }
        return text + "</array></dict></array></dict></plist>\n"
    }

    /// Kills the command later each time, from the beginning to the end of what it takes, verifies what is there, and
    /// lets the last one come to its end.
    private func killAgainAndAgain(_ count: Int, _ words: [String]) throws {
        func arguments(_ store: String) -> [String] {
            words + ["--into", store, "--quiet", "--json"]
        }
        let whole = directory.appending(path: "whole").path
        let start = ContinuousClock.now
        #expect(
            try ChildProcess(executable: Self.program, arguments: arguments(whole)).run().ending
                == .exited(0)
        )
        let duration = ContinuousClock.now - start
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let wanted = try digest(whole)
        let store = directory.appending(path: "killed").path
        var killedCount = 0
        for attempt in 1...count {
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments(store)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            Thread.sleep(forTimeInterval: seconds * Double(attempt) / (Double(count) + 0.5))
            if process.isRunning { killedCount += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if FileManager.default.fileExists(atPath: store) {
                let store = try Store.open(existing: store)
                defer { store.close() }
                #expect(try store.verify().isSound, "after attempt \(attempt)")
            }
        }
        #expect(killedCount >= count / 2)
        let (ending, output) = try ChildProcess(
            executable: Self.program,
            arguments: arguments(store)
        )
        .run()
        #expect(ending == .exited(0))
        #expect(String(decoding: output, as: UTF8.self).contains("\"digest\":\"\(wanted)\""))
        #expect(try digest(store) == wanted)
    }
}
