import LegacyRecords
import Reprise

/// How much of what a source gave before a newer export of it would replace.
public struct Replacement: Sendable, Hashable {
    /// How many rows of the store the export has, too. The entries of a playlist count as rows.
    public internal(set) var commonCount = 0
    /// Of these, how many would get another value in the place of one that they have.
    public internal(set) var changedCount = 0
    /// How many rows of the source the export lacks.
    public internal(set) var missingCount = 0
    /// A few of the rows that would be changed or deleted, each told in a line: ten at most.
    public var examples: [String] { changedExamples + missingExamples }

    private var changedExamples: [String] = []
    private var missingExamples: [String] = []
    private static let exampleCountMax = 5

    init() {}

    /// Whether more than half of the rows would be deleted, or more than half of those that both have changed.
    public var replacesMost: Bool {
        missingCount * 2 > missingCount + commonCount || changedCount * 2 > commonCount
    }

    /// Notes rows that stay as they are.
    mutating func noteCommon(_ count: Int) { commonCount += count }

    mutating func noteCommon(_ change: String?) {
        commonCount += 1
        guard let change else { return }
        changedCount += 1
        if changedExamples.count < Self.exampleCountMax { changedExamples.append(change) }
    }

    mutating func noteMissing(_ example: @autoclosure () -> String) {
        missingCount += 1
        if missingExamples.count < Self.exampleCountMax { missingExamples.append(example()) }
    }
}
