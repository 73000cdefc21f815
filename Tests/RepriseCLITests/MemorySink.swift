import Synchronization

@testable import RepriseCLI

/// Keeps what is written; can also refuse.
final class MemorySink: ByteSink {
    private let bytes = Mutex<[UInt8]>([])
    private let error: OutputError?

    init(refusing error: OutputError? = nil) {
        self.error = error
    }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    func write(_ added: [UInt8]) throws(OutputError) {
        if let error { throw error }
        bytes.withLock { $0 += added }
    }
}

/// A clock that goes when it is told to.
final class FakeClock: Sendable {
    private let now = Mutex(Duration.zero)

    func advance(_ duration: Duration) {
        now.withLock { $0 += duration }
    }

    var uptime: @Sendable () -> Duration {
        { self.now.withLock { $0 } }
    }
}
