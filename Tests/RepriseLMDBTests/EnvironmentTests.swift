import Testing

@testable import RepriseLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct EnvironmentTests {
    @Test func `what a commit wrote is there after opening again`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [10, 11])
        #expect(try environment.value([1]) == [10, 11])
        environment.close()
        let again = try Environment.reopen(scratch)
        #expect(try again.value([1]) == [10, 11])
        #expect(try again.value([2]) == nil)
        try again.checkStructure()
    }
}
