/// Makes a failing run short.
extension Workload {
    /// Runs a workload; on a failure looks for few steps that fail as well, from the end of the run on an empty store.
    ///
    /// - Parameter attemptCountMax: how many shorter runs may be tried; each is cheap, because it has at most 512
    ///   steps.
    /// - Throws: the failure, or that of the shortest run that fails.
    package static func runAndShrink(
        _ options: Options,
        attemptCountMax: Int = 60
    ) throws {
        let workload = try Workload(options)
        var steps: [UInt64] = []
        do {
            try workload.run(recording: &steps)
        } catch {
            guard let shortest = shrink(steps, options, attemptCountMax) else { throw error }
            throw ShrunkFailure(original: error, shortest: shortest.failure, steps: shortest.steps)
        }
    }

    private static func shrink(
        _ steps: [UInt64],
        _ options: Options,
        _ attemptCountMax: Int
    ) -> (steps: [UInt64], failure: WorkloadFailure)? {
        var attempts = 0
        func failure(of steps: [UInt64]) -> WorkloadFailure? {
            attempts += 1
            var shortened = options
            shortened.auditStride = .max
            do throws(WorkloadFailure) {
                guard let workload = try? Workload(shortened) else { return nil }
                try workload.run(steps)
                return nil
            } catch {
                return error
            }
        }
        var best: (steps: [UInt64], failure: WorkloadFailure)?
        for count in [8, 32, 128, 512] where best == nil {
            let tail = Array(steps.suffix(count))
            best = failure(of: tail).map { (tail, $0) }
        }
        guard var best else { return nil }
        var chunk = max(1, best.steps.count / 2)
        while attempts < attemptCountMax {
            var start = 0
            var isShorter = false
            while start < best.steps.count && attempts < attemptCountMax {
                let end = min(start + chunk, best.steps.count)
                let rest = Array(best.steps[..<start] + best.steps[end...])
                if let failure = failure(of: rest) {
                    best = (rest, failure)
                    isShorter = true
                } else {
                    start = end
                }
            }
            if chunk == 1 && !isShorter { break }
            chunk = max(1, chunk / 2)
        }
        return best
    }
}

/// A failure and a shorter run that fails as well.
package struct ShrunkFailure: Error, CustomStringConvertible {
    package let original: WorkloadFailure
    package let shortest: WorkloadFailure
    /// The dice of the steps that are enough.
    package let steps: [UInt64]

    package var description: String {
        """
        \(original)
        \(steps.count) steps are enough, on an empty store: \(steps)
        \(shortest.difference)
        \(shortest.trail.map { "  " + $0 }.joined(separator: "\n"))
        """
    }
}
