import LegacyMigration
import TestSupport
import Testing

@testable import LegacyMigrator

@Suite struct ListArrangementTests {
    private func arranged(_ present: String, _ wanted: String) -> String {
        ListArrangement(of: present.map(String.init), wanted.map(String.init)).members.joined()
    }

    @Test func `without members of others a list is in the order that is wanted`() {
        #expect(arranged("cab", "abc") == "abc")
        #expect(arranged("", "abc") == "")
        #expect(arranged("ca", "abc") == "ac")
    }

    @Test func `what comes behind those of others stays behind them in any order`() {
        #expect(arranged("XYba", "ab") == "XYab")
        #expect(arranged("XYab", "ab") == "XYab")
    }

    @Test func `what stood before those of others stays before them`() {
        #expect(arranged("aXbYdc", "abcd") == "aXbYcd")
        #expect(arranged("aXYcb", "abc") == "aXYbc")
    }

    @Test func `what belongs between two that stay follows the first of them`() {
        #expect(arranged("aXcYb", "abc") == "abXcY")
        #expect(arranged("aXcYdb", "abcd") == "abXcYd")
        #expect(arranged("XcYb", "bc") == "bXcY")
    }

    /// Rows come one after the other to the end of a list in which others have theirs.
    @Test(arguments: [UInt64](0..<200))
    func `the order in which rows came shows nowhere, and what is arranged stays so`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            let wanted = (0..<seed.below(10)).map { "w\($0)" }
            let others = (0..<seed.below(5)).map { "o\($0)" }
            let oldCount = seed.below(wanted.count + 1)
            var shuffled = wanted.shuffled(using: &seed)
            let old = (shuffled.prefix(oldCount) + others).shuffled(using: &seed)
            shuffled.removeFirst(oldCount)
            let arranged = ListArrangement(of: old + shuffled, wanted).members
            #expect(arranged.filter(wanted.contains) == wanted)
            #expect(arranged.filter(others.contains) == old.filter(others.contains))
            for _ in 0..<4 {
                shuffled.shuffle(using: &seed)
                #expect(ListArrangement(of: old + shuffled, wanted).members == arranged)
            }
            #expect(ListArrangement(of: arranged, wanted).members == arranged)
        }
    }
}
