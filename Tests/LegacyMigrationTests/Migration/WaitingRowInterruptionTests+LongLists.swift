import LegacyMigration
import TestSupport
import Testing

@testable import LegacyMigrator

/// Lists that are too long to be put in order as a whole: here when they have two members.
extension WaitingRowInterruptionTests {
    @Test(arguments: Bond.allCases, [1, 6] as [UInt64])
    mutating func `so do lists that are put in order a few entries at a time`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        let test = self
        let bounds = LongList.Bounds(lengthMax: 1, window: 1 + Int(number % 3))
        try LongList.$bounds.withValue(bounds) {
            try test.expectSameWhereValuesGoRound(number, withOthers: number % 3 == 0)
        }
    }
}
