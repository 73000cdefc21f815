import Foundation
import Synchronization

/// The memory that belongs to this process alone and that the kernel could not take back: anonymous
/// pages. `Private_Dirty` would also count pages of the mapped file that wait for being written.
enum PrivateMemory {
    /// In bytes; nil where the system does not say (anything but Linux).
    static func current() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("Anonymous:") {
            return Int(line.split { !$0.isNumber }.first ?? "").map { $0 * 1024 }
        }
        return nil
    }

    /// The peak while `body` runs, sampled every 20 ms.
    static func peak(during body: () throws -> Void) throws -> Int? {
        let sampler = Sampler()
        let thread = Thread { sampler.run() }
        thread.start()
        try body()
        return sampler.stop()
    }

    private final class Sampler: Sendable {
        private let state = Mutex((peak: 0, isRunning: true))

        func run() {
            while state.withLock({ $0.isRunning }) {
                sample()
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        func stop() -> Int? {
            sample()
            return state.withLock { state in
                state.isRunning = false
                return state.peak > 0 ? state.peak : nil
            }
        }

        private func sample() {
            let now = PrivateMemory.current() ?? 0
            state.withLock { $0.peak = max($0.peak, now) }
        }
    }
}
