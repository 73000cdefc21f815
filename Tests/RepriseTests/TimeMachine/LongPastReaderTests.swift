import Reprise
import Testing

/// A past that is looked at while writers go on (HIS-13).
struct LongPastReaderTests {
    enum Reader: CaseIterable, Sendable {
        case none, shortReads, branch
    }

    private static let trackCount = 500

    /// How large the file is in the end, in bytes.
    private func fileByteCount(_ reader: Reader) throws -> Int {
        let store = try Jukebox.store()
        try store.write { transaction in
            for index in 0..<Self.trackCount {
                try transaction.insert(Track(id: Track.ID("t\(index)"), title: "Title \(index)", rating: 0))
            }
        }
        let past = Point.position(try store.read { $0.head })
        let branch = reader == .branch ? try Store.temporary(branchOf: store, at: past) : nil
        for round in 1...200 {
            try store.write { transaction in
                for index in stride(from: round % 5, to: Self.trackCount, by: 5) {
                    try transaction.update(Track.self, id: Track.ID("t\(index)")) { $0.rating = round }
                }
            }
            let ratings: [Int?]
            switch reader {
            case .none: continue
            case .shortReads: ratings = try store.read(asOf: past) { try $0.fetch(Track.self).map(\.rating) }
            case .branch: ratings = try branch?.fetch(Track.self).map(\.rating) ?? []
            }
            guard ratings.count == Self.trackCount, ratings.allSatisfy({ $0 == 0 }) else {
                Issue.record("The past is another one after \(round) commits.")
                break
            }
        }
        return try store.statistics().fileByteCount
    }

    @Test func `the file grows no more than without anybody who looks at the past`() throws {
        let alone = try fileByteCount(.none)
        for reader in [Reader.shortReads, .branch] {
            let byteCount = try fileByteCount(reader)
            #expect(byteCount * 10 <= alone * 11, "\(reader): \(byteCount) bytes, \(alone) alone")
        }
    }
}
