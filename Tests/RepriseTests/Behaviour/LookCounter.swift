import Logging
import RepriseLMDB

@testable import Reprise

/// Counts the queries that observations run: each is told to the store's logger.
final class LookCounter: Sendable {
    private let looks = Guarded(0)

    var count: Int { looks.withLock { $0 } }

    func wait(for count: Int) async throws {
        while self.count < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    var logger: Logger {
        var logger = Logger(label: "looks") { _ in Handler(counter: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let counter: LookCounter
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if event.message == "An observed query is run." { counter.looks.withLock { $0 += 1 } }
        }
    }
}
