import CLMDB
import Foundation
import Synchronization
import Testing

@testable import RepriseLMDB

/// LMDB chooses what a reader sees and then copies it; a thread that is held up in between is overtaken by commits.
@Suite struct OvertakenReaderTests {
    private final class Counts: Sendable {
        let isOver = Atomic(false)
        let read = Atomic(0)
        /// How many readers saw another commit than theirs, or an older one than the reader before them.
        let wrong = Atomic(0)
        let failed = Atomic(0)
        let commits = Atomic(0)
    }

    /// Many more threads than there are cores, so that some are held up everywhere.
    private static let threadCount = 32
    private static let commitCount = 1_500

    @Test
    func `a reader that is overtaken while it begins sees one commit, and none before its time`()
        async throws
    {
        let environment = try Environment.scratch(Scratch())
        try Self.commit(in: environment)
        let counts = Counts()
        await Self.run(
            Array(
                repeating: {
                    var last: UInt64 = 0
                    while !counts.isOver.load(ordering: .relaxed) {
                        guard let seen = try? Self.seen(in: environment) else {
                            counts.failed.add(1, ordering: .relaxed)
                            continue
                        }
                        counts.read.add(1, ordering: .relaxed)
                        if seen.commit != seen.number || seen.commit < last {
                            counts.wrong.add(1, ordering: .relaxed)
                        }
                        last = seen.commit
                    }
                },
                count: Self.threadCount
            ) + [
                {
                    // On a busy machine fewer commits are enough.
                    let end = ContinuousClock.now + .seconds(15)
                    for _ in 0..<Self.commitCount where ContinuousClock.now < end {
                        if (try? Self.commit(in: environment)) == nil {
                            counts.failed.add(1, ordering: .relaxed)
                        }
                        counts.commits.add(1, ordering: .relaxed)
                    }
                    counts.isOver.store(true, ordering: .relaxed)
                }
            ]
        )
        #expect(counts.failed.load(ordering: .relaxed) == 0)
        #expect(counts.commits.load(ordering: .relaxed) > 10)
        let (read, commits) = (
            counts.read.load(ordering: .relaxed), counts.commits.load(ordering: .relaxed)
        )
        #expect(read > commits)
        #expect(counts.wrong.load(ordering: .relaxed) == 0)
    }

    /// Runs each on a thread of its own and waits for all.
    private static func run(_ bodies: [@Sendable () -> Void]) async {
        let all = DispatchGroup()
        for body in bodies {
            all.enter()
            Thread {
                body()
                all.leave()
            }.start()
        }
        await withCheckedContinuation { continuation in
            all.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// Writes the number of the commit into it.
    private static func commit(in environment: Environment) throws {
        let transaction = try environment.beginWrite()
        unsafe try transaction.put(
            environment.table("a"),
            [1],
            withUnsafeBytes(of: transaction.transactionID) { unsafe Array($0) }
        )
        try transaction.commit()
    }

    /// The number of a reader's commit, and that which the commit has written.
    private static func seen(in environment: Environment) throws -> (
        commit: UInt64, number: UInt64
    )? {
        let transaction = try environment.beginRead()
        guard let value = try transaction.reader.value(environment.table("a"), [1]) else {
            return nil
        }
        let number = unsafe value.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) }
        return (transaction.transactionID, number)
    }

    // STO-50
    @Test func `a reader whose commit was overtaken does not choose it again`() throws {
        let environment = try Environment.scratch(Scratch())
        try environment.put([1], [1])
        var begun: OpaquePointer?
        try #require(
            unsafe mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun) == 0
        )
        let transaction = unsafe try #require(unsafe begun)
        #expect(unsafe environment.isChosenAgain(transaction))
        try environment.put([1], [2])
        #expect(unsafe !environment.isChosenAgain(transaction))
        #expect(unsafe environment.isChosenAgain(transaction))
        unsafe mdb_txn_abort(transaction)
    }

    // STO-50
    @Test func `a writer that died between its meta page and its number stops no reader`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        for number in 1...6 as ClosedRange<UInt8> { try environment.put([1], [number]) }
        // The number of the last commit in the lock file, by which readers choose theirs.
        var newest = environment.newestTransactionID
        let lock = try FileHandle(forUpdating: URL(filePath: scratch.store + "/lock.mdb"))
        let bytes = try #require(try lock.readToEnd())
        let place = unsafe bytes.firstRange(of: withUnsafeBytes(of: newest) { unsafe Data($0) })
        try lock.seek(toOffset: UInt64(try #require(place).lowerBound))
        newest -= 1
        unsafe try lock.write(contentsOf: withUnsafeBytes(of: newest) { unsafe Data($0) })
        // Where the map is not known, as well.
        for _ in 0..<2 {
            #expect(try environment.value([1]) == [5])
            environment.mapAddress.store(0, ordering: .relaxed)
        }
        try lock.close()
    }

    // STO-50
    @Test func `a file that was replaced below a reader is refused, and nothing hangs`() throws {
        let (scratch, other) = (Scratch(), Scratch())
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        let later = try Environment.scratch(other)
        for number in 0..<20 { try later.put([1], [UInt8(number)]) }
        later.close()
        let bytes = try Data(contentsOf: URL(filePath: other.store + "/data.mdb"))
        let file = try FileHandle(forWritingTo: URL(filePath: scratch.store + "/data.mdb"))
        try file.write(contentsOf: bytes)
        try file.close()
        #expect(code { _ = try environment.beginRead() } == .lockFileUnusable)
        environment.close()
    }
}
