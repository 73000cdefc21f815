import RepriseLog
import Testing

@testable import Reprise

/// The bytes that `Specs/format` states for events, views, the state record and digests are those that a store has.
struct StoreFormatTests {
    private let store: ExampleStore

    init() throws {
        store = try ExampleStore()
    }

    @Test func `events are as the page says`() throws {
        let events = try store.eventBodies()
        try #require(events.count == 18)
        func body(_ position: Int) -> [UInt8] { events[position - 1].body }
        try SpecificationPage("events").check([
            "inserted, position 2": body(2),
            "inserted, position 3": body(3),
            "linked, position 4": body(4),
            "updated, position 5": body(5),
            "moved, position 7": body(7),
            "unlinked, position 8": body(8),
            "annotated, position 9": body(9),
            "snapshotCreated, position 10": body(10),
            "deleted, position 11": body(11),
            "updated, position 12": body(12),
            "rolledBack, position 13": body(13),
            "snapshotDeleted, position 14": body(14),
            "linked, version 2": try ExampleStore.linkedAgain(),
        ])
    }

    @Test func `views are as the page says`() throws {
        let names = ["rows", "index", "edges", "backlinks", "tombstones", "labels"]
        var written: [String: [UInt8]] = [:]
        for name in names {
            for (number, entry) in (store.tables["\(name).a"] ?? []).enumerated() {
                written["\(name) \(number + 1), key"] = entry.key
                if !entry.value.isEmpty { written["\(name) \(number + 1), value"] = entry.value }
            }
            #expect(store.tables["\(name).b"]?.isEmpty == true, "only one set serves")
        }
        try SpecificationPage("views").check(written)
    }

    @Test func `the state record is as the page says`() throws {
        var record = try #require(store.value("state", Array("state".utf8)))
        // The identity is random, and with it the checksum.
        #expect(Array(record[16..<32]) == store.identity)
        record.replaceSubrange(16..<32, with: (0..<16).map { UInt8($0) })
        let checksum = unsafe record.withUnsafeBytes {
            unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[8...]))
        }
        record.replaceSubrange(
            0..<8,
            with: (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
        )
        try SpecificationPage("state").check(["state": record])
    }

    @Test func `digests are as the page says`() throws {
        let rows = try #require(store.tables["rows.a"])
        let edges = try #require(store.tables["edges.a"])
        var written: [String: [UInt8]] = [:]
        var sum = Digest256.zero
        for (number, row) in rows.enumerated() {
            let id = row.key.dropFirst(2)
            let hashed =
                [1] + row.key.prefix(2) + bigEndian(UInt32(id.count)) + id + row.value.dropFirst(24)
            sum = sum &+ digest(Array(hashed))
            if number == 0 {
                written["row, hashed bytes"] = Array(hashed)
                written["row, share"] = bytes(digest(Array(hashed)))
            }
        }
        // Entries of lists whose members hold the reference (serial 0) lie in the rows already.
        for entry in edges where entry.value[8..<16].contains(where: { $0 != 0 }) {
            let escaped = Array(entry.key.dropFirst(2).dropLast(8))
            let owner = try unsafe escaped.withUnsafeBytes {
                try unsafe IdentifierKey.decode(escaped: $0).id
            }
            let hashed =
                [2] + entry.key.prefix(2) + bigEndian(UInt32(owner.count)) + owner
                + entry.key.suffix(8) + entry.value.dropFirst(16)
            sum = sum &+ digest(Array(hashed))
            written["entry, hashed bytes"] = Array(hashed)
            written["entry, share"] = bytes(digest(Array(hashed)))
        }
        written["state"] = bytes(sum)
        try SpecificationPage("digest").check(written)
        let record = try #require(store.value("state", Array("state".utf8)))
        #expect(
            Array(record[80..<112]) == bytes(sum),
            "a sum made by hand is the digest that the store keeps"
        )
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0) }
    }

    private func digest(_ bytes: [UInt8]) -> Digest256 {
        unsafe bytes.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) }
    }

    private func bytes(_ digest: Digest256) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        unsafe bytes.withUnsafeMutableBytes { unsafe digest.write(into: $0) }
        return bytes
    }
}
