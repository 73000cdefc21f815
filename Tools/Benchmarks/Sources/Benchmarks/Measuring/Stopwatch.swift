/// Adds up seconds of the monotonic clock.
final class Stopwatch {
    private let clock = ContinuousClock()
    private var start: ContinuousClock.Instant?
    private var total = Duration.zero

    func resume() {
        start = clock.now
    }

    func pause() {
        if let start { total += clock.now - start }
        start = nil
    }

    var seconds: Double {
        let running = start.map { total + (clock.now - $0) } ?? total
        return Double(running.components.seconds) + Double(running.components.attoseconds) / 1e18
    }

    /// How many seconds `body` takes.
    static func time(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        watch.resume()
        try body()
        return watch.seconds
    }

    static func timeAwaiting(_ body: () async throws -> Void) async rethrows -> Double {
        let watch = Stopwatch()
        watch.resume()
        try await body()
        return watch.seconds
    }

    /// Repeats what changes nothing for at least half a second.
    ///
    /// - Returns: the seconds that one repetition took.
    static func repeated(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        var count = 0.0
        watch.resume()
        repeat {
            try body()
            count += 1
        } while watch.seconds < 0.5
        return watch.seconds / count
    }
}
