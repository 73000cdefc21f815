import Foundation
import Reprise
import Synchronization
import TestSupport
import Testing

struct ClosedStoreTests {
    @Test func `a new thread that gets the name of the writer's finds the store closed`() throws {
        let directory = try TemporaryDirectory()
        for round in 0..<8 {
            let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
            try store.write { try $0.insert(Box(id: .init("\(round)"))) }
            store.close()
            // The writer's thread ends by itself; its name and stack are then free for others.
            Thread.sleep(forTimeInterval: 0.02)
            let codes = Mutex<[StoreError.Code?]>([])
            let done = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                let thread = Thread {
                    do {
                        try store.write { _ in }
                        codes.withLock { $0.append(nil) }
                    } catch {
                        codes.withLock { $0.append((error as? StoreError)?.code) }
                    }
                    done.signal()
                }
                thread.stackSize = 8 << 20
                thread.start()
            }
            for _ in 0..<4 { done.wait() }
            #expect(codes.withLock { $0 } == [.closed, .closed, .closed, .closed])
        }
    }
}
