import LegacyMigration
import TestSupport
import Testing

/// What a model costs that is made to cost.
@Suite struct CoreDataModelCostTests {
    /// A property list of so many objects, the last of which is the outermost.
    private func propertyList(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += number(offset, 4) }
        return bytes + [0, 0, 0, 0, 0, 0, 4, 4] + number(objects.count, 8)
            + number(objects.count - 1, 8) + number(table, 8)
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    private func text(_ text: String) -> [UInt8] {
        [0x5F, 0x12] + number(text.utf8.count, 4) + Array(text.utf8)
    }

    private func dictionary(_ key: [Int], _ values: [Int]) -> [UInt8] {
        [0xDF, 0x12] + number(key.count, 4) + (key + values).flatMap { number($0, 4) }
    }

    @Test func `a long name that is repeated without end is decoded once`() {
        let repeated = [Int](repeating: 5, count: 60_000)
        func archive(_ name: String) -> [UInt8] {
            propertyList([
                text("$objects"), text("$top"), text("root"), [0x80, 0], dictionary([2], [3]),
                text(name), dictionary(repeated, repeated),
                [0xA1] + number(6, 4), dictionary([0, 1], [7, 4]),
            ])
        }
        let (long, short) = (archive(String(repeating: "A", count: 300_000)), archive("A"))
        let ratio = ThreadClock.ratio {
            #expect(KeyedArchive(long)?.isComplete == true)
        } to: {
            #expect(KeyedArchive(short)?.isComplete == true)
        }
        // Looked at each time, it would be 18 GB of names.
        #expect(ratio < 100)
    }

    @Test func `what is longer than all that may be read is not decoded`() {
        let bytes = propertyList([
            text("$objects"), text("$top"), text("root"), [0x80, 0], dictionary([2], [3]),
            text(longText("A", count: 6_000_000)), dictionary([5], [5]),
            [0xA1] + number(6, 4), dictionary([0, 1], [7, 4]),
        ])
        #expect(KeyedArchive(bytes)?.isComplete == false)
    }
}
