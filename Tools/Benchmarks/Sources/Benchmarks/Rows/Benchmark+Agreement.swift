/// A figure counts only when all did the same: these fail the run when they did not.
extension Benchmark {
    /// All have the same result.
    func agree<T: Equatable>(_ what: String, _ results: [(Participant, T)]) throws {
        guard let first = results.first else { return }
        for other in results.dropFirst() where other.1 != first.1 {
            throw BenchmarkError.disagreement(
                "\(what): \(first.0.rawValue) has \(first.1), \(other.0.rawValue) has \(other.1)"
            )
        }
    }

    /// One has what is known beforehand.
    func expect<T: Equatable>(
        _ what: String,
        _ expected: T,
        of participant: Participant,
        _ found: T
    )
        throws
    {
        guard found != expected else { return }
        throw BenchmarkError.disagreement(
            "\(what): \(participant.rawValue) has \(found), which should be \(expected)"
        )
    }
}
