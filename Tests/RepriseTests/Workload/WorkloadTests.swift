import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The engine against the auditor.
///
/// `REPRISE_WORKLOAD_SEED` repeats a run that failed, `REPRISE_WORKLOAD_OPERATIONS` makes it longer: above 100,000
/// operations the run is divided into stores of 100,000 with one seed after the other.
struct WorkloadTests {
    private static let storeOperationCount = 100_000

    private static func setting(_ name: String, default fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? fallback
    }

    @Test func `a hundred thousand random operations leave what the auditor predicts`() throws {
        let first = Self.setting("REPRISE_WORKLOAD_SEED", default: 1)
        var rest = Self.setting("REPRISE_WORKLOAD_OPERATIONS", default: Self.storeOperationCount)
        var seed = UInt64(first)
        while rest > 0 {
            let count = min(rest, Self.storeOperationCount)
            var options = Workload.Options(seed: seed, operationCount: count)
            options.revertWeight = 10
            try Workload.runAndShrink(options)
            rest -= count
            seed += 1
        }
    }

    /// HIS-28, HIS-80
    @Test(arguments: [0, 60])
    func `random operations leave what the auditor predicts where states of the past are built`(bound: Int) throws {
        var options = Workload.Options(seed: UInt64(80 + bound), operationCount: 4000)
        options.travelEventCountMax = bound
        options.auditStride = 4000
        try Workload(options).run()
    }

    /// HIS-90 to HIS-93, HIS-111
    @Test func `random branches come to what the auditor predicts`() throws {
        var options = Workload.Options(seed: 22, operationCount: 2700)
        options.branchWeight = 150
        options.auditStride = 3000
        let workload = try Workload(options)
        try workload.run()
        #expect(workload.tally["branch", default: 0] > 20)
    }

    /// HIS-52, HIS-113
    @Test(arguments: [31, 32]) func `merges in steps come to what the auditor predicts`(seed: Int) throws {
        var options = Workload.Options(seed: UInt64(seed), operationCount: 2700)
        options.branchWeight = 150
        options.auditStride = 1000
        options.mergesInSteps = true
        let workload = try Workload(options)
        try workload.run()
        #expect(workload.stepwiseCommitCount > 0)
    }

    /// HIS-52, HIS-53, HIS-57
    @Test(arguments: [51, 52, 53]) func `random reverts and restores come to what the auditor predicts`(
        seed: Int
    ) throws {
        var options = Workload.Options(seed: UInt64(seed), operationCount: 2700)
        options.revertWeight = 250
        options.auditStride = 1000
        options.mergesInSteps = seed == 52
        options.releaseWeight = seed == 53 ? 20 : 0
        let workload = try Workload(options)
        try workload.run()
        for kind in ["revert", "plan of a revert", "forced change"] {
            #expect(workload.tally[kind, default: 0] > 5, "\(kind)")
        }
    }

    /// HIS-98, HIS-117
    @Test(arguments: 41...44) func `new releases of the program come to what the auditor predicts`(seed: Int) throws {
        var options = Workload.Options(seed: UInt64(seed), operationCount: 2700)
        options.branchWeight = 60
        options.releaseWeight = 30
        options.auditStride = 1000
        let workload = try Workload(options)
        try workload.run()
        #expect(workload.tally["release", default: 0] == 5)
        #expect(workload.tally["branch", default: 0] > 5)
        #expect(workload.tally["branch that has slept", default: 0] > 0)
    }

    @Test func `one seed is one run`() throws {
        let options = Workload.Options(seed: 7, operationCount: 600)
        let first = try Workload(options)
        try first.run()
        let second = try Workload(options)
        try second.run()
        #expect(first.tally == second.tally)
        #expect(first.operationCount == second.operationCount)
    }

    @Test func `a workload does some of everything`() throws {
        var options = Workload.Options(seed: 11, operationCount: 4000)
        options.auditStride = 2000
        let workload = try Workload(options)
        try workload.run()
        let kinds = [
            "insert", "update", "delete", "link", "unlink", "move", "abandoned commit", "query",
            "plan",
            "read of the past", "snapshot", "rollback", "reopening", "full comparison",
            "replay and verify",
        ]
        for kind in kinds { #expect(workload.tally[kind, default: 0] > 0, "\(kind)") }
    }

    private static func canary(_ fault: Fault?) -> Workload.Options {
        var options = Workload.Options(seed: 3, operationCount: 6000)
        options.fault = fault
        options.faultAfter = 1500
        options.auditStride = .max
        return options
    }

    @Test func `the run that the faults are put into is sound without them`() throws {
        try Workload(Self.canary(nil)).run()
    }

    @Test(arguments: Fault.allCases)
    func `a fault between the auditor and the store is caught`(fault: Fault) throws {
        let workload = try Workload(Self.canary(fault))
        let failure = try #require(throws: WorkloadFailure.self) { try workload.run() }
        let struckAt = try #require(workload.struckAt, "the fault never had an opportunity")
        #expect(failure.operation >= struckAt, "\(failure)")
        #expect(failure.operation - struckAt <= 200, "caught late: \(failure)")
    }
}
