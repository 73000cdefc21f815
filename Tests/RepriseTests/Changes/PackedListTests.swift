import RepriseLMDB
import Testing

@testable import Reprise

/// Entries of one owner, of which there may be more than fit into memory: HIS-113.
@Suite struct PackedListTests {
    private static let count = 200_000

    private static func entry(_ number: Int) -> EntryDelta {
        EntryDelta(
            relation: 7,
            serial: UInt64(number),
            target: Array("target \(number)".utf8),
            from: number % 3 == 0 ? nil : UInt64(number),
            to: number % 5 == 0 ? nil : UInt64(number) + 1
        )
    }

    private static func isSame(_ one: EntryDelta, _ other: EntryDelta) -> Bool {
        (one.relation, one.serial, one.from, one.to) == (other.relation, other.serial, other.from, other.to)
            && one.target == other.target
    }

    /// What a list has, or where it is not what it should be.
    private static func firstDifference(_ entries: EntryDeltas, _ expected: [EntryDelta]) throws -> Int? {
        var cursor = entries.makeCursor()
        for (index, entry) in expected.enumerated() {
            guard let next = try cursor.next(), isSame(next, entry) else { return index }
        }
        return try cursor.next() == nil ? nil : expected.count
    }

    @Test func `many entries lie in a file, and are what they were`() throws {
        let store = try Store.temporary(Jukebox.schema)
        var fileCount = 0
        var entries = EntryDeltas { () throws(LMDBError) in
            fileCount += 1
            return try store.environment.makeSpillFile()
        }
        let all = (1...Self.count).map(Self.entry)
        for entry in all { try entries.append(entry) }
        #expect(fileCount == 1)
        #expect(entries.count == Self.count)
        #expect(try Self.firstDifference(entries, all) == nil)
        let back = entries.inverted()
        #expect(try Self.firstDifference(back, all.map { $0.inverted() }) == nil)
        #expect(try Self.firstDifference(EntryDeltas(try back.packed()), all.map { $0.inverted() }) == nil)
        var few = back
        try few.removeAll { $0.serial % 1000 != 0 }
        #expect(try Self.firstDifference(few, all.filter { $0.serial % 1000 == 0 }.map { $0.inverted() }) == nil)
        #expect(try entries.contains { $0.serial == UInt64(Self.count) })
        #expect(try !entries.contains { $0.serial == 0 })
    }

    @Test func `changes of owners with few entries and with many are kept in one file`() throws {
        let store = try Store.temporary(Jukebox.schema)
        let records = DeltaRecords(makeFile: store.environment.makeSpillFile)
        let counts = [0, 3, Self.count, 1, Self.count, 0, 2]
        for (number, count) in counts.enumerated() {
            let id = Array("owner \(number)".utf8)
            var delta = EntityDelta(entity: EntityKey(model: 3, id: id), row: .deleted([0, 0]), entries: EntryDeltas())
            delta.entries = EntryDeltas(store.environment.makeSpillFile)
            for number in 0..<count { try delta.entries.append(Self.entry(number)) }
            let place = ListNeighbours(list: ListKey(relation: 7, id: id), orderKey: 9, before: 8, behind: nil)
            try delta.neighbours.append(place)
            try records.append(delta)
        }
        var found: [Int] = []
        var areSame = true
        try records.forEach { delta in
            let expected = (0..<delta.entries.count).map(Self.entry)
            if try Self.firstDifference(delta.entries, expected) != nil { areSame = false }
            var neighbours = PackedCursor(delta.neighbours)
            if try neighbours.next()?.list.id != delta.entity.id { areSame = false }
            #expect(delta.entity.text == "owner \(found.count)")
            found.append(delta.entries.count)
            return true
        }
        #expect(found == counts && areSame)
    }
}
