import Foundation
import Synchronization
import Testing

@testable import RepriseLMDB

@Suite struct TransactionGateTests {
    @Test func `who waits to be alone when the gate closes does not run`() async throws {
        let gate = TransactionGate(idleReaderCountMax: 0)
        try gate.enterRead()
        let ran = Atomic(false)
        let ends = DispatchGroup()
        let answer = Guarded<LMDBError.Code?>(nil)
        ends.enter()
        Thread {
            let found = code {
                _ = try gate.exclusively(within: .seconds(10)) { () throws(LMDBError) in
                    ran.store(true, ordering: .relaxed)
                }
            }
            answer.withLock { $0 = found }
            ends.leave()
        }.start()
        ends.enter()
        Thread {
            // Whichever comes first.
            Thread.sleep(forTimeInterval: 0.05)
            _ = gate.close()
            ends.leave()
        }.start()
        try await Task.sleep(for: .milliseconds(100))
        gate.leaveRead()
        await withCheckedContinuation { continuation in
            ends.notify(queue: .global()) { continuation.resume() }
        }
        let hasRun = ran.load(ordering: .relaxed)
        #expect(!hasRun)
        #expect(answer.withLock { $0 } == .closed)
    }

    @Test func `a writer that waits for an exchange does not keep new readers out`() async throws {
        // STO-67
        let gate = TransactionGate(idleReaderCountMax: 0)
        try gate.enterRead()
        let ends = DispatchGroup()
        let ran = Guarded<Bool?>(nil)
        ends.enter()
        Thread {
            let result = try? gate.exclusively(within: .seconds(600)) { () throws(LMDBError) in }
            ran.withLock { $0 = result }
            ends.leave()
        }.start()
        // A thread of its own: a machine that is busy with other tests may wake a task only after seconds.
        let ranBeforeTheEnd = Guarded<Bool?>(nil)
        ends.enter()
        Thread {
            // Each of these would wait for the first reader to end.
            for _ in 0..<20 {
                _ = code { try gate.enterRead() }
                gate.leaveRead()
                Thread.sleep(forTimeInterval: 0.002)
            }
            ranBeforeTheEnd.withLock { $0 = ran.withLock { $0 } }
            gate.leaveRead()
            ends.leave()
        }.start()
        await withCheckedContinuation { continuation in
            ends.notify(queue: .global()) { continuation.resume() }
        }
        #expect(ranBeforeTheEnd.withLock { $0 } == nil)
        #expect(ran.withLock { $0 } == true)
    }

    @Test func `after a poisoned gate nobody is alone, and nobody looks at the map`() throws {
        let gate = TransactionGate(idleReaderCountMax: 0)
        var inside: Int? = 1
        let ran = try gate.exclusively(within: .zero) { () throws(LMDBError) in
            inside = gate.whileMapStays { 2 }
        }
        #expect(ran)
        #expect(inside == nil)
        #expect(gate.whileMapStays { 3 } == 3)
        gate.poison()
        #expect(gate.whileMapStays { 4 } == nil)
        #expect(
            code { _ = try gate.exclusively(within: .zero) { () throws(LMDBError) in } }
                == .poisoned
        )
    }

    @Test func `a closing environment keeps its map for the transactions that are open`()
        async throws
    {
        let gate = TransactionGate(idleReaderCountMax: 0)
        try gate.enterRead()
        let closing = DispatchGroup()
        closing.enter()
        Thread {
            _ = gate.close()
            closing.leave()
        }.start()
        while code(of: { try gate.enterRead() }) != .closed {
            gate.leaveRead()
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(gate.whileMapStays { 1 } == 1)
        gate.leaveRead()
        #expect(gate.whileMapStays { 1 } == nil)
        await withCheckedContinuation { continuation in
            closing.notify(queue: .global()) { continuation.resume() }
        }
    }

    @Test func `growth is not adopted in an environment that was closed meanwhile`() async {
        await #expect(processExitsWith: .success) {
            let environment = try Environment.scratch(Scratch(), options: .small(16))
            environment.close()
            #expect(code { try environment.adoptGrowth() } == .closed)
            #expect(!environment.hasRoom(for: 1))
            #expect(environment.roomByteCount == 0)
        }
    }
}
