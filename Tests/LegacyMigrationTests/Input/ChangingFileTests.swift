import Foundation
import LegacyMigration
import Reprise
import Testing

/// Files that another program changes, or that lead nowhere.
@Suite struct ChangingFileTests {
    @Test func `of a file that changes while it is read nothing is written`() throws {
        let old = String(repeating: "old ", count: 50)
        let lines = (0..<20_000).map { "\($0),\(old)\n" }.joined()
        try TemporaryFile.with(Array(("id,word\n" + lines).utf8), named: "words.csv") { path in
            let source = try CSVSource(path: path, name: "words")
            let library = try TemporaryLibrary(for: source)
            var isChanged = false
            let found = try code {
                let options = Migrator.Options(replacesEverything: true)
                _ = try Migrator(source: source, store: library.store, options: options).run { step in
                    if !isChanged, step.recordsRead > 2000 {
                        isChanged = true
                        let changed = lines.replacingOccurrences(of: "old", with: "new")
                        let file = FileHandle(forWritingAtPath: path)
                        file?.write(Data(("id,word\n" + changed).utf8))
                        try? file?.close()
                    }
                    return true
                }
            }
            #expect(isChanged)
            #expect(found == .changedWhileReading)
            #expect(try library.store.read { $0.counts.allSatisfy { $0.count == 0 } })
        }
    }

    @Test func `a symbolic link that leads to itself is no file`() throws {
        try TemporaryFile.with([], named: "whatever") { path in
            let link = path + ".csv"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
            #expect(try code { _ = try CSVSource(path: link) } == .notAFile)
            #expect(try code { _ = try RealmStoreSource(path: link) } == .notAFile)
            #expect(try code { _ = try SQLiteDatabaseSource(path: link) } == .notAFile)
        }
    }
}
