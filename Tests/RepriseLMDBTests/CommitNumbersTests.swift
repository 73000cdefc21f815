import Testing

@testable import RepriseLMDB

/// What the lock file and the data file say of the last commit, while others commit.
@Suite struct CommitNumbersTests {
    /// Each call takes the next number; the last one stays.
    private final class Numbers {
        private var left: [UInt64]

        init(_ numbers: UInt64...) { left = numbers }

        func next() throws(LMDBError) -> UInt64 { left.count > 1 ? left.removeFirst() : left[0] }
    }

    private func disagreement(_ own: Numbers, _ newest: Numbers) throws -> [UInt64]? {
        let found = try CommitNumbers.disagreement(own: own.next, newest: newest.next)
        return found.map { [$0.own, $0.newest] }
    }

    @Test func `a commit is in the data file a moment before its number is in the lock file`() throws {
        #expect(try disagreement(Numbers(7), Numbers(7)) == nil)
        #expect(try disagreement(Numbers(7), Numbers(8)) == nil)
    }

    @Test func `commits between the two looks are no contradiction`() throws {
        #expect(try disagreement(Numbers(1, 3), Numbers(3)) == nil)
        #expect(try disagreement(Numbers(1, 2, 5), Numbers(3, 5)) == nil)
        #expect(try disagreement(Numbers(9, 12), Numbers(8, 12)) == nil)
    }

    @Test func `numbers that stay apart are one`() throws {
        #expect(try disagreement(Numbers(1), Numbers(3)) == [1, 3])
        #expect(try disagreement(Numbers(5), Numbers(3)) == [5, 3])
        #expect(try disagreement(Numbers(1, 2), Numbers(4, 9)) == [2, 9])
    }
}
