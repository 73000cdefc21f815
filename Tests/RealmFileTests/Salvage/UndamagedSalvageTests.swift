import Foundation
import Testing

@testable import RealmFile

/// Of a file that is sound nothing is lost, and everything that is read of it is the same.
struct UndamagedSalvageTests {
    private func expectNothingLost(_ path: String, key: [UInt8]? = nil) throws {
        let realm = try RealmReader(path: path, key: key)
        let salvage = try RealmReader(salvaging: path, key: key).salvage()
        #expect(salvage.isComplete, "\(path): \(salvage.losses.prefix(3))")
        #expect(salvage.losses.isEmpty && salvage.newestFault == nil)
        let content = try Content(realm)
        #expect(try Content(salvage.realm) == content)
        #expect(salvage.objectCount == content.classes.reduce(0) { $0 + $1.objects.count })
        // A reader that was opened as usual can be asked for the same.
        #expect(try realm.salvage().isComplete)
    }

    @Test(arguments: ["music_tiny", "music_tiny_compact", "unresolved", "music_100"])
    func `nothing is lost of a file that is sound`(name: String) throws {
        try expectNothingLost(Fixtures.path(name))
    }

    @Test(arguments: ["music_100_encrypted", "music_100_compact_encrypted"])
    func `nothing is lost of an encrypted file that is sound`(name: String) throws {
        try expectNothingLost(Fixtures.path(name), key: try Fixtures.key())
    }

    @Test(
        .enabled(if: Fixtures.hasShared, "the larger Realm files are not here"),
        arguments: [
            "alltypes_300", "bigblob", "old_fmt9_5k", "old_fmt11_5k", "old_fmt20_5k",
            "old_fmt23_5k", "music_10k_compact",
        ]
    )
    func `nothing is lost of a larger file that is sound`(name: String) throws {
        try expectNothingLost(Fixtures.sharedPath(name))
    }

    @Test(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
    func `nothing is lost of a file of an SDK or an app that is sound`() throws {
        var count = 0
        for path in try Fixtures.realPaths() {
            // Those that need a key, and those that are refused, are other tests' business.
            guard let realm = try? RealmReader(path: path), (try? realm.examine()) != nil else {
                continue
            }
            let salvage = try RealmReader(salvaging: path).salvage()
            #expect(salvage.isComplete, "\(path): \(salvage.losses.prefix(3))")
            count += 1
        }
        #expect(count > 80, "\(count)")
    }
}
