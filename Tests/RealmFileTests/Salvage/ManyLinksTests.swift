import TestSupport
import Testing

@testable import RealmFile

/// Links that have to be told from each other because one of very many is wrong.
struct ManyLinksTests {
    /// Thirty thousand objects link to the first one, which knows of all of them, and one more links to nothing, or to
    /// the first one, too, which does not know of it.
    ///
    /// More than are compared at a time: they are gone through in several passes, and only the one is left out.
    @Test(arguments: [true, false])
    func `of very many links to one object the one that it does not know of is left out`(
        isSound: Bool
    ) throws {
        let known = 30_000
        let count = known + 1
        var file = ForgedFile()
        let origins = file.tree(
            stride(from: 0, to: known, by: 1000).map { start in
                file.array(narrow: (start..<start + 1000).map { Int32($0) })
            },
            of: 1000
        )
        let leaves = stride(from: 0, to: count, by: 256).map { start in
            let rowCount = min(256, count - start)
            var numbers = Array(repeating: Int32(1), count: rowCount)
            if isSound, start + rowCount == count { numbers[rowCount - 1] = 0 }
            let links = file.array(narrow: numbers)
            var targets = Array(repeating: 0, count: rowCount)
            if start == 0 { targets[0] = origins }
            return file.references([rowCount << 1 | 1, links, file.references(targets)])
        }
        let bytes = file.finish(linksAndOrigins: file.clusters(leaves, rowCount: count))
        let code = try refusal { try RealmReader(bytes: bytes).examine() }
        #expect(code == (isSound ? nil : .damaged))
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        #expect(salvage.objectCount == count)
        #expect(salvage.lossCounts[.doubtfulLinks] ?? 0 == (isSound ? 0 : 1))
        var leftOut: [Int64] = []
        try salvage.realm.class(named: "Forged")?.forEachObject { object in
            if case .null = try object.value("property") { leftOut.append(object.key) }
            return true
        }
        #expect(leftOut == [Int64(count - 1)])
    }
}
