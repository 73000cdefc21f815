extension Store {
    /// Checks everything: the pages of the file, the log's hashes and chain, that the log folds to the digest recorded
    /// with every commit, that recorded deletions are what the rules lead to, and that every view equals, byte for
    /// byte, one that is folded anew from the log.
    ///
    /// Nothing is changed. The views are folded in a scratch store beside this one (or in the temporary directory),
    /// which takes about as much room as this store at most, and is removed afterwards.
    ///
    /// - Parameter progress: called now and then; returning false cancels.
    /// - Returns: what was found. Faults are results here and not errors.
    /// - Throws: `cancelled`, `diskFull`, `inputOutput`.
    /// - Complexity: O(bytes of the store).
    public func verify(progress: (ReplayProgress) -> Bool = { _ in true }) throws
        -> VerificationReport
    {
        try wrapped {
            try Verification(environment, tables, stepByteCount: configuration.viewStepByteCount).run(progress)
        }
    }
}
