import Foundation
import RealmMigration
import Reprise

/// Row 17.
extension Benchmark {
    func measureMigration() throws {
        let count = options.trackCount.grouped
        var migration = TableRow("17", "\(count) tracks from a .realm file, parsed and migrated", .seconds)
        var insertion = TableRow("17a", "the same rows from memory by `bulkLoad`", .seconds)
        var ratio = TableRow("17b", "17 against 17a", .ratio, .atMostValue(2))
        let secondsEach = 2.0 / 1_000_000
        var decoding = TableRow(
            "17c",
            "the file read, every value decoded",
            .seconds,
            .atMostValue(secondsEach * Double(options.trackCount))
        )
        guard let file = try realmFile() else {
            migration.note = "python3, which makes the file, is not there"
            return finish(migration)
        }
        var decoded: DecodedRealm?
        for run in 1...options.runs {
            announce("row 17, run \(run)")
            let place = try directory.make(UUID().uuidString)
            let migrated = place.appending(path: "migrated.reprise").path
            let watch = Stopwatch()
            watch.resume()
            let library = try MigratedLibrary(fromRealm: file.path, into: migrated)
            watch.pause()
            try library.gather()
            try expect("tracks of the file", options.trackCount, of: .reprise, library.counts.tracks)
            var copy: Store?
            let seconds = try Stopwatch.time {
                copy = try library.insertFromMemory(
                    into: place.appending(path: "copy.reprise").path
                )
            }
            if let copy {
                try expect("what both have", true, of: .reprise, try library.isSame(as: copy))
                copy.close()
            }
            library.close()
            var again: DecodedRealm?
            let decodingSeconds = try Stopwatch.time { again = try DecodedRealm(file.path) }
            try expect("what the file has", library.counts, of: .reprise, again?.counts)
            decoded = decoded ?? again
            try expect("what the file had the first time", decoded, of: .reprise, again)
            migration.add(watch.seconds, of: .reprise)
            insertion.add(seconds, of: .reprise)
            decoding.add(decodingSeconds, of: .reprise)
            ratio.add(watch.seconds / seconds, of: .reprise)
            try FileManager.default.removeItem(at: place)
        }
        finish(migration)
        finish(insertion)
        finish(ratio)
        finish(decoding)
    }

    /// Makes the Realm file; nil where there is no Python.
    private func realmFile() throws -> URL? {
        let file = directory.url.appending(path: "tracks.realm")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = URL(filePath: options.toolsDirectory).appending(path: "make-realm.py")
        process.arguments = ["python3", script.path, String(options.trackCount), file.path]
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus == 127 { return nil }
        guard process.terminationStatus == 0 else {
            throw BenchmarkError.child("make-realm.py ended with \(process.terminationStatus)")
        }
        return file
    }
}
