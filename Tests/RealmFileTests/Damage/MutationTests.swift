import Foundation
import TestSupport
import Testing

@testable import RealmFile

/// Files that were damaged at random: nothing but an error or consistent content comes of them.
struct MutationTests {
    /// How many damaged files in all; for longer runs it is set from outside.
    private static let mutantCount =
        ProcessInfo.processInfo.environment["REALM_MUTANTS"].flatMap(Int.init) ?? 3000

    /// What became of them.
    private struct Tally: CustomStringConvertible {
        var closed = 0
        var unsound = 0
        var identical = 0
        var otherValues = 0
        var otherShape = 0

        var refused: Int { closed + unsound }
        var passed: Int { identical + otherValues + otherShape }

        var description: String {
            "\(closed) not opened, \(unsound) unsound, \(identical) the same, "
                + "\(otherValues) with other values, \(otherShape) of other shape"
        }
    }

    /// How large a file is, by its own word.
    private static func notedByteCount(_ bytes: [UInt8]) throws -> Int {
        let realm = try RealmReader(bytes: bytes)
        if realm.isStreamed { return bytes.count }
        let root = try #require(realm.storage.header.root)
        let top = try ArrayNode(at: root, in: realm.storage.source.bytes)
        return Int(try #require(try top.number(at: 2)))
    }

    @Test(arguments: [
        ("music_tiny", "unresolved", 6, 1), ("music_tiny_compact", "music_tiny", 6, 2),
        ("unresolved", "music_tiny", 4, 3), ("music_100", "music_100", 4, 4),
    ])
    func `a damaged file is refused or consistent`(
        name: String,
        donorName: String,
        share: Int,
        seed: Int
    ) throws {
        let file = try Fixtures.bytes(name)
        let donor = try Fixtures.bytes(donorName)
        let original = try Content(RealmReader(bytes: file))
        let noted = try Self.notedByteCount(file)
        var generator = SeededGenerator(seed: UInt64(seed))
        var tally = Tally()
        for number in 0..<Self.mutantCount * share / 20 {
            let mutation = Mutation(of: file, donor: donor, &generator)
            let mutant = mutation.applied(to: file, donor: donor)
            let verdict = try Verdict(mutant)
            if case .truncation(let count) = mutation, count < noted, verdict.content != nil {
                Issue.record("\(name), \(number): \(mutation) are not refused.")
            }
            switch verdict {
            case .closed: tally.closed += 1
            case .unsound: tally.unsound += 1
            case .sound(let content):
                let contradictions = content.contradictions
                if !contradictions.isEmpty {
                    Issue.record("\(name), \(number), \(mutation): \(contradictions)")
                }
                if content == original {
                    tally.identical += 1
                } else if content.shape == original.shape {
                    tally.otherValues += 1
                } else {
                    tally.otherShape += 1
                }
            }
        }
        // Otherwise the damage is not what it is meant to be.
        if Self.mutantCount >= 3000 {
            #expect(tally.refused > tally.passed / 4, "\(tally)")
            #expect(tally.closed > 0 && tally.unsound > 0, "\(tally)")
            #expect(tally.identical > 0 && tally.otherValues > 0, "\(tally)")
        }
        if ProcessInfo.processInfo.environment["REALM_MUTANTS"] != nil { print(name, tally) }
    }

    /// An encrypted file tells of every change to what was written, but for its first page.
    @Test func `a damaged encrypted file is refused or the same`() throws {
        let file = try Fixtures.bytes("music_100_encrypted")
        let key = try Fixtures.key()
        let original = try Content(RealmReader(bytes: file, key: key))
        var generator = SeededGenerator(seed: 5)
        var refused = 0
        for _ in 0..<Self.mutantCount / 100 {
            let mutation = Mutation(of: file, donor: file, &generator)
            let mutant = mutation.applied(to: file, donor: file)
            var content: Content?
            let code = try refusal {
                let realm = try RealmReader(bytes: mutant, key: key)
                try realm.examine()
                content = try Content(realm)
            }
            if code == nil {
                // The numbers that decide how a page begins are under no code: that is Realm's own doing.
                if mutant.prefix(4096) == file.prefix(4096) {
                    #expect(content == original, "\(mutation)")
                }
                #expect(content?.contradictions == [], "\(mutation)")
            } else {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    // MARK: Canaries: that the comparisons above can fail

    @Test func `a changed text is seen by the comparison and passed by the examination`() throws {
        let file = try Fixtures.bytes("music_tiny")
        let original = try Content(RealmReader(bytes: file))
        var surgery = try Surgery(file)
        try surgery.replace("YOASOBI", by: Array("YOASOBA".utf8))
        let content = try #require(try Verdict(surgery.bytes).content)
        #expect(content != original)
        #expect(content.shape == original.shape)
        #expect(content.contradictions == [])
        var expected = original
        expected.classes[3].objects[2].values[2] = .string("YOASOBA")
        #expect(content == expected)
    }

    @Test func `every contradiction is found in content that has it`() throws {
        let original = try Content(Fixtures.reader("music_tiny"))
        #expect(original.contradictions == [])
        var miscounted = original
        miscounted.classes[3].objectCount += 1
        #expect(miscounted.contradictions == ["RealmTrack: 4 objects"])
        #expect(miscounted.shape != original.shape)
        var disordered = original
        disordered.classes[3].objects.swapAt(0, 1)
        #expect(disordered.contradictions == ["RealmTrack: keys do not grow"])
        var repeated = original
        repeated.classes[3].objects[1].values[0] = .string("t-1")
        #expect(repeated.contradictions == ["RealmTrack: primary keys repeat"])
        var dangling = original
        dangling.classes[2].objects[1].values[2] = .list([.link(RealmLink(classIndex: 3, key: 4))])
        #expect(dangling.contradictions == ["RealmPlaylist 1: a link leads nowhere"])
        var foreign = original
        foreign.classes[2].objects[1].values[2] = .list([.link(RealmLink(classIndex: 4, key: 0))])
        #expect(foreign.contradictions == ["RealmPlaylist 1: a link leads nowhere"])
    }
}
