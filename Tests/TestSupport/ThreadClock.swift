#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The processor time of the thread that asks, which tests that run beside do not make longer.
package enum ThreadClock {
    /// Nanoseconds of processor time that a body takes on this thread.
    package static func measure(_ body: () throws -> Void) rethrows -> Double {
        let start = now
        try body()
        return now - start
    }

    /// How many times as long `work` takes as `floor`: the least of several samples of each, taken in turns.
    package static func ratio(
        of work: () throws -> Void,
        to floor: () throws -> Void,
        samples: Int = 5
    ) rethrows -> Double {
        var best = (work: Double.infinity, floor: Double.infinity)
        for _ in 0..<samples {
            best.floor = min(best.floor, try measure(floor))
            best.work = min(best.work, try measure(work))
        }
        return best.work / best.floor
    }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
