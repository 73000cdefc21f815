import RepriseLog
import Testing

@testable import Reprise

/// The examples of `Specs/format/branches.md`, and what is read of notes that are not as the page says.
struct BranchFormatTests {
    private static let point = StorePoint(
        identity: Array(0..<16),
        position: 18,
        hash: digest("46684F7829311CE301173C884EE9B6357A093FFFD7D07E4F23557035 2C24BA9D")
    )

    private static let merge = MergeMark(branch: 7, point: point, rollbacks: [.init(at: 12, to: 9)])

    private static func digest(_ hex: String) -> Digest256 {
        let digits = hex.filter { $0 != " " }
        let bytes = stride(from: 0, to: 64, by: 2).map { place in
            let start = digits.index(digits.startIndex, offsetBy: place)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
        }
        return unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            return (try? reader.digest()) ?? .zero
        }
    }

    @Test func `notes and serials are as the page says`() throws {
        let branch = BranchMark(branch: 0xC0FFEE, position: 19, parent: Array(0..<16), hash: Self.point.hash)
        #expect(branch.key == "00c0ffee")
        let lineage = Lineage([branch])
        let entry = try #require(lineage.made(25))
        var writer = ByteWriter()
        writer.varint(Lineage([]).serial(of: entry))
        try SpecificationPage("branches").check([
            "payload": branch.payload,
            "merge": Self.merge.payload,
            "serial": unsafe [UInt8](writer.bytes),
        ])
        #expect(try StorePoint(branch.payload) == Self.point)
        #expect(try MergeMark(branch: 7, Self.merge.payload) == Self.merge)
    }

    @Test func `the note of a merge says which positions the store has come through`() {
        #expect([3, 9, 10, 12, 13, 18, 30].map { Self.merge.knownEnd(upTo: $0) } == [3, 9, 9, 9, 13, 18, 18])
    }

    @Test func `an entry has one serial in each store of a family, whichever way it came`() throws {
        let branch = BranchMark(branch: 7, position: 101, parent: [], hash: .zero)
        let child = BranchMark(branch: 9, position: 201, parent: [], hash: .zero)
        let (root, parent, leaf) = (Lineage([]), Lineage([branch]), Lineage([branch, child]))
        func serial(_ serial: UInt64, _ ways: Lineage...) throws -> UInt64 {
            try zip(ways, ways.dropFirst()).reduce(serial) {
                try EntryTranslation(from: $1.0, to: $1.1).serial($0)
            }
        }
        // Shared, made by the root, by the branch before and after its child began, and by the child.
        for (number, way) in [(50, root), (150, root), (150, parent), (250, parent), (250, leaf)] {
            let number = UInt64(number)
            let direct = try serial(number, way, root)
            #expect(try serial(number, way, parent, root) == direct)
            #expect(try serial(number, way, parent, leaf, parent, root) == direct)
            #expect(try serial(direct, root, parent, leaf, way) == number)
        }
        #expect(try serial(150, parent, leaf) == 150)
        #expect(try serial(150, root, parent) != 150)
        #expect(try serial(0, parent, root) == 0)
    }

    @Test func `a note that is not as the page says is refused`() {
        let payload = Self.point.encode()
        #expect(throws: (any Error).self) { try StorePoint(Array(payload.dropLast())) }
        #expect(throws: StoreError.self) { try StorePoint(payload + [0]) }
        let newer = #expect(throws: StoreError.self) { try StorePoint([2] + payload.dropFirst()) }
        #expect(newer?.code == .newerFormat)
        let merge = Self.merge.payload
        for payload in [Array(merge.dropLast()), merge + [0], Array(merge.dropLast(2)) + [9, 12]] {
            #expect(throws: (any Error).self) { try MergeMark(branch: 7, payload) }
        }
    }

    @Test func `an entry too far behind the beginning of its branch is refused`() throws {
        let lineage = Lineage([BranchMark(branch: 7, position: 101, parent: [], hash: .zero)])
        let translation = EntryTranslation(from: lineage, to: Lineage([]))
        #expect(try translation.serial(101 + UInt64(UInt32.max)) != 0)
        let error = #expect(throws: StoreError.self) { try translation.serial(102 + UInt64(UInt32.max)) }
        #expect(error?.code == .valueTooLarge)
    }
}
