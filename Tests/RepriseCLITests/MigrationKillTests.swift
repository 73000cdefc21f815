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

    private static var isReady: Bool {
        RealmFixtures.areHere && FileManager.default.isExecutableFile(atPath: program)
    }

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
        let whole = directory.appending(path: "whole").path
        func arguments(_ store: String) -> [String] {
            ["migrate", file, "--into", store, "--mapping", mapping, "--quiet", "--json"]
        }
        let start = ContinuousClock.now
        #expect(
            try ChildProcess(executable: Self.program, arguments: arguments(whole)).run().ending
                == .exited(0)
        )
        let duration = ContinuousClock.now - start
        let wanted = try digest(whole)
        let store = directory.appending(path: "killed").path
        var killedCount = 0
        for attempt in 1...6 {
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments(store)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            // Later each time, from the beginning to the end of what it takes.
            let share = Double(attempt) / 6.5
            let seconds =
                Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
            Thread.sleep(forTimeInterval: seconds * share)
            if process.isRunning { killedCount += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if FileManager.default.fileExists(atPath: store) {
                let store = try Store.open(existing: store)
                defer { store.close() }
                #expect(try store.verify().isSound, "after attempt \(attempt)")
            }
        }
        #expect(killedCount >= 3)
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
