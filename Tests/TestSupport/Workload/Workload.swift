import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A seeded run of random operations against a store and the auditor at the same time, compared after each step.
///
/// A step is decided by one number, its dice, and by the state it meets; so a run can be repeated from its seed, and
/// shortened by leaving steps out.
package final class Workload {
    package struct Options: Sendable {
        package var seed: UInt64
        /// How many operations to do at least.
        package var operationCount: Int
        /// The largest commit, in operations.
        package var commitOperationCountMax = 48
        /// How often, in steps, everything is compared.
        package var fullComparisonStride = 60
        /// Replaying and verifying read the whole log: how often, in operations.
        package var auditStride = 12_500
        /// Over how many events the store goes through time in memory; nil is its standard.
        package var travelEventCountMax: Int?
        /// Whether merges are written in steps where they can be, however small they are.
        package var mergesInSteps = false
        /// Of a thousand steps, how many make a branch: that reads the whole log.
        package var branchWeight = 1
        /// Of a thousand steps, how many take a past commit back, or bring an entity back.
        package var revertWeight = 0
        /// Of a thousand steps, how many bring the next release of the program, with another schema.
        package var releaseWeight = 0
        package var fault: Fault?
        /// The operation from which on the fault may strike.
        package var faultAfter = 0

        package init(seed: UInt64, operationCount: Int) {
            self.seed = seed
            self.operationCount = operationCount
        }
    }

    package let options: Options
    let directory: TemporaryDirectory
    let clock = WorkloadClock()
    var store: Store
    var auditor = Auditor(schema: ClubRelease.all[0].audit)
    /// The number of the program's release.
    var releaseNumber = 0
    /// The release after each commit, by its number.
    var releaseAfter: [Int] = [0]
    /// Whether the rows after each commit have come through all conversions of the last release.
    var isConverted: [Bool] = [false]
    /// The branch that sleeps through releases, if there is one.
    var sleeper: SleepingBranch?
    /// Whether a state is compared whose rows have not.
    var isBeforeConversion = false
    var chronicle = Chronicle()
    var registry = EntryRegistry()
    var saboteur: Saboteur
    var trail = Trail()
    /// What each commit left behind, by the number of commits.
    var digests: [StateDigest] = []
    /// When each commit was made, in the same order.
    var times: [Date] = []
    var snapshots: [String: Int] = [:]
    var stacks = UndoStacks()
    /// The stacks after the last commit of each step, by its number. Within a step that merges a branch and takes the
    /// merge back, an undo has to do with what the branch brought.
    var stacksAfter: [Int: UndoStacks] = [:]
    /// The commits that are rollbacks, by number, with the number of the commit to which each went back.
    var rollbacks: [Int: Int] = [:]
    var head: UInt64 = 0
    package private(set) var operationCount = 0
    package private(set) var tally: [String: Int] = [:]
    private var nextAudit: Int

    /// - Throws: what opening the store throws.
    package init(_ options: Options) throws {
        self.options = options
        directory = try TemporaryDirectory(named: "workload")
        saboteur = Saboteur(options.fault, after: options.faultAfter)
        nextAudit = options.auditStride
        let clock = clock
        store = try Store.open(
            at: directory.path("store"),
            schema: ClubRelease.all[0].schema,
            configuration: Self.configuration(clock, options)
        )
    }

    static func configuration(_ clock: WorkloadClock, _ options: Options) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.actor = "workload"
        configuration.now = { clock.now() }
        if let bound = options.travelEventCountMax {
            configuration.travelEventCountMax = bound
            configuration.readEventCountMax = bound
        }
        if options.mergesInSteps {
            configuration.stepwiseChangeCountMin = 1
            configuration.viewStepByteCount = 4096
            configuration.planByteCount = 1024
        }
        return configuration
    }

    /// How many merges were written in steps.
    package var stepwiseCommitCount: Int { closedStepwiseCommitCount + store.stepwiseCommitCount }
    /// How many were until the store was opened last.
    var closedStepwiseCommitCount = 0

    /// The operation at which the fault of the options was put in.
    package var struckAt: Int? { saboteur.struckAt }

    /// Runs until enough operations are done.
    /// - Throws: `WorkloadFailure` at the first difference.
    package func run() throws(WorkloadFailure) {
        var steps: [UInt64] = []
        try run(recording: &steps)
    }

    /// The same, noting the dice of the steps.
    func run(recording steps: inout [UInt64]) throws(WorkloadFailure) {
        var dice = SeededGenerator(seed: options.seed)
        try guarded { try self.begin() }
        while operationCount < options.operationCount {
            let rolled = dice.next()
            steps.append(rolled)
            try perform(rolled, number: steps.count)
        }
        try finish()
    }

    /// Runs the steps of these dice only.
    package func run(_ dice: [UInt64]) throws(WorkloadFailure) {
        try guarded { try self.begin() }
        for (index, dice) in dice.enumerated() { try perform(dice, number: index + 1) }
        try finish()
    }

    private func perform(_ dice: UInt64, number: Int) throws(WorkloadFailure) {
        try guarded {
            try self.step(dice)
            if number.isMultiple(of: self.options.fullComparisonStride) { try self.compareHead() }
            if self.operationCount >= self.nextAudit {
                self.nextAudit += self.options.auditStride
                try self.audit()
            }
        }
    }

    private func finish() throws(WorkloadFailure) {
        try guarded {
            try self.compareHead()
            try self.audit()
            self.store.close()
        }
    }

    private func guarded(_ body: () throws -> Void) throws(WorkloadFailure) {
        do {
            try body()
        } catch {
            throw WorkloadFailure(
                seed: options.seed,
                operation: operationCount,
                difference: "\(error)",
                trail: trail.lines
            )
        }
    }

    /// Counts a thing that was done, for the summary.
    func tick(_ what: String, operations: Int = 1) {
        operationCount += operations
        tally[what, default: 0] += 1
    }

    private func step(_ dice: UInt64) throws {
        var generator = SeededGenerator(seed: dice)
        defer { stacksAfter[chronicle.commitCount] = stacks }
        if generator.below(1000) < options.branchWeight { return try branchStep(&generator) }
        if options.revertWeight > 0, generator.below(1000) < options.revertWeight {
            return try revertStep(&generator)
        }
        if options.releaseWeight > 0, generator.below(1000) < options.releaseWeight {
            return try releaseStep(&generator)
        }
        switch generator.below(1000) {
        case 0..<620: try commitStep(&generator)
        case 620..<660: try abandonStep(&generator)
        case 660..<800: try queryStep(&generator)
        case 800..<860: try pastStep(&generator)
        case 860..<940: try planStep(&generator)
        case 940..<955: try snapshotStep(&generator)
        case 955..<970: try rollbackStep(&generator)
        case 970..<992: try changesStep(&generator)
        default: try reopenStep()
        }
    }
}
