import Testing

@testable import RealmFile

/// Files of builds of realm-core for its own tests name rows by other numbers, so that links are not checked there.
struct TestBuildSalvageTests {
    @Test(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
    func `what is left of a damaged class has no links to what is lost, whatever it looks like`()
        throws
    {
        var lostCount = 0
        for path in try Fixtures.realPaths() {
            guard let realm = try? RealmReader(path: path), (try? realm.examine()) != nil else {
                continue
            }
            for table in realm.storage.tables {
                guard case .clusters(let root) = table.rows,
                    try ClusterTree(realm.storage.source, root: root).isOfTestBuild(),
                    let leaf = try Self.lastLeaf(realm, root)
                else { continue }
                var bytes = realm.storage.source.bytes.array
                bytes[leaf + 4] = 0xff
                let salvage = try RealmReader(salvagingBytes: bytes).salvage()
                guard salvage.objectCount > 0, salvage.newestFault == nil else { continue }
                #expect(try Content(salvage.realm).contradictions == [], "\(path)")
                lostCount += salvage.lossCounts[.links, default: 0]
            }
        }
        #expect(lostCount > 0)
    }

    private static func lastLeaf(_ realm: RealmReader, _ root: Int) throws -> Int? {
        var found: Int?
        try ClusterTree(realm.storage.source, root: root).forEachLeaf {
            cluster throws(RealmFileError) in
            found = cluster.node.offset
            return true
        }
        return found
    }
}
