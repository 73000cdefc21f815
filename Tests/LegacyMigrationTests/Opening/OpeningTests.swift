import Foundation
import LegacyMigration
import TestSupport
import Testing

/// How far the opening of a source is, and how it is cancelled.
@Suite struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "opening")
    }

    /// The steps of an opening that goes on to its end.
    private func steps(_ kind: OpeningCase, _ path: String) throws -> [LegacyProgress] {
        var steps: [LegacyProgress] = []
        try kind.open(path) { step in
            steps.append(step)
            return true
        }
        return steps
    }

    /// How many private copies there are of a database: other tests have copies of their own.
    private func copyCount(of path: String) throws -> Int {
        let head = FileManager.default.contents(atPath: path)?.prefix(100)
        let parent = FileManager.default.temporaryDirectory.path
        return try FileManager.default.contentsOfDirectory(atPath: parent)
            .count { name in
                name.hasPrefix("reprise-sqlite-")
                    && FileManager.default.contents(atPath: "\(parent)/\(name)/database")?
                        .prefix(100) == head
            }
    }

    private func check(_ steps: [LegacyProgress], fileByteCount: UInt64) {
        #expect(steps.first?.bytesRead == 0)
        #expect(steps.last.map { $0.bytesRead == $0.byteCount } ?? false)
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect(step.bytesRead <= next.bytesRead && step.byteCount <= next.byteCount)
        }
        for step in steps {
            #expect(step.bytesRead <= step.byteCount && step.byteCount >= fileByteCount)
        }
    }

    private func cancel(_ kind: OpeningCase, _ path: String, at place: Int) throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        var asked = 0
        let error = #expect(throws: LegacyError.self) {
            try kind.open(path) { _ in
                asked += 1
                return asked <= place
            }
        }
        #expect(error?.code == .cancelled && asked == place + 1)
        #expect(
            error?.description
                == "The reading of the export was cancelled before anything was written. Start it again when you like."
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == before)
        #expect(try copyCount(of: path) == 0)
    }

    @Test(arguments: OpeningCase.large)
    func `the opening of a large file says how far it is, and is cancelled at any step`(
        _ kind: OpeningCase
    ) throws {
        let path = directory.path(kind.fileName)
        try kind.write(path)
        let byteCount = try #require(FileManager.default.contents(atPath: path)?.count)
        #expect(byteCount > 5 << 20)
        let steps = try steps(kind, path)
        check(steps, fileByteCount: UInt64(byteCount))
        // Within a pass, too.
        #expect(steps.count >= 3)
        for place in Set([0, 1, steps.count / 2, steps.count - 1]) {
            try cancel(kind, path, at: place)
        }
        // Nothing is left that a further opening would stumble over.
        #expect(try self.steps(kind, path).last == steps.last)
    }

    @Test(arguments: OpeningCase.realm)
    func `the opening of a Realm file says how far it is, and is cancelled at any step`(
        _ kind: OpeningCase
    ) throws {
        let path = directory.path(kind.fileName)
        try kind.write(path)
        let byteCount = try #require(FileManager.default.contents(atPath: path)?.count)
        let steps = try steps(kind, path)
        check(steps, fileByteCount: UInt64(byteCount))
        for place in steps.indices { try cancel(kind, path, at: place) }
    }

    @Test func `the examination of a database and the look at its values are said and cancelled`()
        throws
    {
        let kind = try #require(OpeningCase.large.first { $0.testDescription == "SQLite" })
        let path = directory.path(kind.fileName)
        try kind.write(path)
        let steps = try steps(kind, path)
        // The copying is the first third.
        let later = steps.filter { 3 * $0.bytesRead > $0.byteCount && $0.bytesRead < $0.byteCount }
        #expect(Set(later.map(\.bytesRead)).count >= 3)
        for step in later {
            try cancel(kind, path, at: try #require(steps.firstIndex(of: step)))
        }
    }

    @Test func `a file that is empty or missing is told as ever`() throws {
        let path = directory.path("empty.csv")
        try Data().write(to: URL(filePath: path))
        #expect(try code { _ = try CSVSource(path: path) } == .empty)
        var asked = 0
        let found = try code {
            _ = try CSVSource(path: directory.path("nothing.csv")) { _ in
                asked += 1
                return false
            }
        }
        #expect(found == .noSuchFile && asked == 0)
    }

    @Test func `a Realm file is read with its own schema without being opened again`() throws {
        let kind = OpeningCase.realm[4]
        let path = directory.path(kind.fileName)
        try kind.write(path)
        let library = try RealmLibrarySource(path: path, name: "mine")
        let own = try RealmStoreSource(library)
        let opened = try RealmStoreSource(path: path, name: "mine")
        #expect(own.identity == opened.identity && own.schema == opened.schema)
        // As text: a NaN is not the same as itself.
        let records = try [own, opened].map { try "\(Readout($0).records)" }
        #expect(records[0] == records[1])
    }

    @Test func `the reading of a Flatted file says how far it is from object to object`() throws {
        let kind = try #require(OpeningCase.large.first { $0.testDescription == "Flatted" })
        let path = directory.path(kind.fileName)
        try kind.write(path)
        let source = try RealmStudioJSONSource(path: path)
        var steps: [LegacyProgress] = []
        _ = try source.read { if case .progress(let step) = $0 { steps.append(step) } }
        #expect(steps.contains { $0.bytesRead > source.byteCount })
        #expect(steps.map(\.bytesRead) == steps.map(\.bytesRead).sorted())
        #expect(steps.allSatisfy { $0.bytesRead <= $0.byteCount })
    }
}
