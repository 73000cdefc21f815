import Foundation
import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What processes that share an environment may do to each other (STO-60 to STO-65).
@Suite struct ProtocolTests {
    /// Writes bytes into a lock file. The descriptor stays open: closing it would give up the locks of this process.
    private func forge(_ scratch: Scratch, _ bytes: [UInt8], at offset: Int) {
        let descriptor = unsafe open(scratch.lock, O_WRONLY | O_CLOEXEC)
        let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        #expect(written == bytes.count)
    }

    private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    private func status(_ path: String) throws -> FileStatus? { try FileStatus.ofLink(at: path) }

    @Test func `LMDB 1_0 is refused before a file is touched`() {
        #expect(Environment.refusal(ofLibrary: 0, 9, 24, path: "x") == nil)
        #expect(Environment.refusal(ofLibrary: 0, 9, 70, path: "x") == nil)
        #expect(Environment.refusal(ofLibrary: 1, 0, 0, path: "x")?.code == .unsupportedLibrary)
    }

    // MARK: The lock file

    @Test(arguments: [0, 1, 4096])
    func `a lock file that is too short or has holes is made anew where nobody has it open`(
        byteCount: Int
    ) throws {
        let scratch = Scratch()
        try Environment.scratch(scratch).close()
        let full = try #require(try status(scratch.lock)).byteCount
        #expect(unsafe truncate(scratch.lock, 0) == 0)
        // A hole of that size, and once one of the full size.
        #expect(unsafe truncate(scratch.lock, off_t(byteCount == 4096 ? full : byteCount)) == 0)
        let environment = try Environment.reopen(scratch)
        let now = try #require(try status(scratch.lock))
        #expect(now.byteCount == full)
        #expect(now.allocatedByteCount >= full)
        try environment.put([1], [1])
        #expect(try environment.value([1]) == [1])
        #expect(try status(scratch.lock + ".new") == nil)
    }

    @Test func `a lock file that others use and LMDB cannot share is refused`() async throws {
        guard let header = LockLayout.header else { return }
        let room = 510 + 1
        let cases: [(offset: Int, number: UInt32)] = [
            (0, 7), (header.readerCountOffset, UInt32(room + 1)),
            (header.readerCountOffset, .max), (header.readerMutexOffset, 1), (4, 7),
            (header.commitOffset, 9), (header.commitOffset, .max), (header.commitOffset + 4, .max),
        ]
        for (offset, number) in cases {
            let scratch = Scratch()
            let environment = try Environment.scratch(scratch)
            try environment.put([1], [1])
            forge(scratch, bytes(number), at: offset)
            await #expect(processExitsWith: .success) { [store = scratch.store as String] in
                #expect(
                    code { _ = try Environment.open(at: store, tables: ["a"], options: .small()) }
                        == .lockFileUnusable
                )
            }
        }
    }

    @Test func `a lock file that was deleted is not made again while the environment is open`()
        async throws
    {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        unsafe unlink(scratch.lock)
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            #expect(
                code { _ = try Environment.open(at: store, tables: ["a"], options: .small()) }
                    == .inUse
            )
        }
        #expect(code { try environment.put([2], [2]) } == .storeMoved)
        #expect(try environment.value([1]) == [1])
        environment.close()
        let again = try Environment.reopen(scratch)
        #expect(try again.value([1]) == [1])
        #expect(try again.value([2]) == nil)
        try again.put([2], [2])
    }

    @Test func `an environment whose locks are lost is not opened beside, and gets them back`()
        async throws
    {
        // STO-79
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        close(unsafe open(scratch.lock, O_RDONLY))
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            #expect(
                code { _ = try Environment.open(at: store, tables: ["a"], options: .small()) }
                    == .inUse
            )
        }
        try environment.put([1], [2])
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(64))
            #expect(try other.value([1]) == [2])
            try other.put([1], [3])
        }
        #expect(try environment.value([1]) == [3])
        try environment.put([1], [4])
        try environment.checkStructure()
    }

    @Test func `a lock file is opened once in a process, whatever data file is beside it`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        let other = Scratch()
        try Environment.scratch(other).close()
        #expect(unsafe rename(other.data, scratch.data) == 0)
        #expect(code { try environment.put([1], [2]) } == .storeMoved)
        #expect(code { _ = try Environment.reopen(scratch) } == .alreadyOpen)
        #expect(try environment.value([1]) == [1])
        environment.close()
        #expect(try Environment.reopen(scratch).value([1]) == nil)
    }

    @Test func `a program that is started does not keep the mark of use`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        let flags = fcntl(try environment.descriptor(), F_GETFD)
        #expect(flags & FD_CLOEXEC != 0)
    }

    // MARK: Files that are not there any more

    @Test(arguments: ["moved", "copied", "data", "lock", "shorter"])
    func `nothing is acknowledged that is written to files which are not at the path`(
        change: String
    ) throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        let aside = scratch.path + "/aside"
        switch change {
        case "moved": #expect(unsafe rename(scratch.store, aside) == 0)
        case "copied":
            #expect(unsafe rename(scratch.store, aside) == 0)
            try Environment.scratch(scratch).close()
        case "data": #expect(unsafe rename(scratch.data, aside) == 0)
        case "lock": #expect(unsafe rename(scratch.lock, aside) == 0)
        default: #expect(unsafe truncate(scratch.lock, 8192) == 0)
        }
        #expect(code { try environment.put([1], [2]) } == .storeMoved)
        if change == "shorter" { return }
        #expect(try environment.value([1]) == [1])
        guard change == "moved" else { return }
        #expect(unsafe rename(aside, scratch.store) == 0)
        try environment.put([1], [3])
        #expect(try environment.value([1]) == [3])
    }

    @Test func `a transaction that was begun before the files were moved does not commit`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        let transaction = try environment.beginWrite()
        try transaction.put(environment.table("a"), [1], [1])
        #expect(unsafe rename(scratch.store, scratch.path + "/aside") == 0)
        #expect(code { try transaction.commitInPlace() } == .storeMoved)
        #expect(!environment.isPoisoned)
        #expect(try environment.value([1]) == nil)
    }

    // MARK: Writers

    @Test func `a write does not begin from an older commit than the newest`() throws {
        guard let header = LockLayout.header else { return }
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        for number in 1...3 { try environment.put([1], [UInt8(number)]) }
        let last = try environment.statistics().lastTransactionID
        for other in [last - 1, last - 2, last + 1, .max, 0] {
            forge(scratch, bytes(other), at: header.commitOffset)
            #expect(code { try environment.put([1], [9]) } == .lockFileUnusable)
        }
        forge(scratch, bytes(last - 2), at: header.commitOffset)
        #expect(code { _ = try environment.value([1]) } == .lockFileUnusable)
        forge(scratch, bytes(last), at: header.commitOffset)
        try environment.put([2], [2])
        #expect(try environment.value([1]) == [3])
    }

    @Test func `a write waits for another process as long as it is told, and names it`()
        async throws
    {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        // The lock alone: a transaction would have to end on its thread.
        let lockFile = try #require(environment.lockFile)
        try lockFile.takeWriterLock(within: .zero)
        let own = getpid()
        await #expect(processExitsWith: .success) {
            [store = scratch.store as String, own = own as Int32] in
            var options = Environment.Options.small(64)
            options.writerWait = .milliseconds(50)
            let other = try Environment.open(at: store, tables: ["a"], options: options)
            #expect(code { try other.put([1], [1]) } == .writerBusy(processID: own))
            #expect(try other.value([1]) == nil)
        }
        lockFile.releaseWriterLock()
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            var options = Environment.Options.small(64)
            options.writerWait = .milliseconds(50)
            let other = try Environment.open(at: store, tables: ["a"], options: options)
            try other.put([1], [1])
        }
        #expect(try environment.value([1]) == [1])
    }

    @Test func `while writers are kept out, no other process writes between two transactions`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        let (stream, steps) = AsyncStream.makeStream(of: String.self)
        let mayEnd = DispatchSemaphore(value: 0)
        Thread {
            try? environment.keepingWritersOut {
                try environment.keepingWritersOut { try environment.put([1], [1]) }
                steps.yield("is kept")
                mayEnd.wait()
                try environment.put([1], [2])
                steps.yield("is over")
                throw CancellationError()
            }
            steps.finish()
        }.start()
        var step = stream.makeAsyncIterator()
        #expect(await step.next() == "is kept")
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            var options = Environment.Options.small(64)
            options.writerWait = .milliseconds(50)
            let other = try Environment.open(at: store, tables: ["a"], options: options)
            #expect(throws: LMDBError.self) { try other.put([1], [3]) }
            #expect(try other.value([1]) == [1])
        }
        mayEnd.signal()
        #expect(await step.next() == "is over")
        #expect(await step.next() == nil)
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(64))
            #expect(try other.value([1]) == [2])
            try other.put([1], [3])
        }
        #expect(try environment.value([1]) == [3])
    }

    @Test func `a write does not wait for ever for a lock of LMDB that nobody gives back`() throws {
        guard let header = LockLayout.header else { return }
        let scratch = Scratch()
        var options = Environment.Options.small(64)
        options.writerWait = .milliseconds(50)
        let environment = try Environment.scratch(scratch, options: options)
        try environment.put([1], [1])
        forge(scratch, bytes(1), at: header.writerMutexOffset)
        #expect(code { try environment.put([1], [2]) } == .lockFileUnusable)
        forge(scratch, bytes(0), at: header.writerMutexOffset)
        try environment.put([1], [3])
        #expect(try environment.value([1]) == [3])
    }

    // MARK: Dead readers

    @Test func `a reader that died does not make a writer's file grow`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        func writeOver() throws -> Int {
            for number in 0..<100 {
                try environment.put([1], Array(repeating: UInt8(number), count: 100_000))
            }
            return try environment.statistics().usedByteCount
        }
        let undisturbed = try writeOver()
        await #expect(processExitsWith: .signal(SIGKILL)) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(64))
            let transaction = try other.beginRead()
            kill(getpid(), SIGKILL)
            _ = transaction.transactionID
        }
        #expect(try writeOver() <= 2 * undisturbed)
    }

    // MARK: The working directory

    @Test func `a change of the working directory moves nothing`() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            #expect(unsafe chdir(scratch.path) == 0)
            let environment = try Environment.create(at: "store", tables: ["a"]) { _, _ in }
            #expect(environment.path == scratch.store)
            #expect(unsafe chdir("/") == 0)
            // STO-66
            try environment.put([1], [1])
            _ = try environment.makeSpillFile()
            environment.close()
            let again = try Environment.open(at: scratch.store, tables: ["a"], options: .small())
            #expect(try again.value([1]) == [1])
        }
    }
}
