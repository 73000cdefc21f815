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

    /// Kills the command a little later each time until it comes to its end by itself, verifies what is there each
    /// time, and lets it run once more.
    ///
    /// How long it takes depends on what else the machine does, so nothing follows from how long it took before: what
    /// counts is that it was killed as often as is wanted.
    private func killAgainAndAgain(_ count: Int, _ words: [String]) throws {
        func arguments(_ store: String) -> [String] {
            words + ["--into", store, "--quiet", "--json"]
        }
        let whole = directory.appending(path: "whole").path
        #expect(
            try ChildProcess(executable: Self.program, arguments: arguments(whole)).run().ending
                == .exited(0)
        )
        let wanted = try digest(whole)
        let store = directory.appending(path: "killed").path
        var killedCount = 0
        var delay = 0.02
        var attemptCount = 0
        while killedCount < count, attemptCount < 8 * count {
            attemptCount += 1
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments(store)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            Thread.sleep(forTimeInterval: delay)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let hasEnded = process.terminationReason == .exit
            if FileManager.default.fileExists(atPath: store) {
                let store = try Store.open(existing: store)
                defer { store.close() }
                #expect(try store.verify().isSound, "after attempt \(attemptCount)")
            }
            guard hasEnded else {
                killedCount += 1
                delay *= 1.3
                continue
            }
            // It was too fast: anew, and sooner.
            try? FileManager.default.removeItem(atPath: store)
            delay /= 4
        }
        #expect(killedCount == count)
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
