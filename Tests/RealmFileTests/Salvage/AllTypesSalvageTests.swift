import Foundation
import TestSupport
import Testing

@testable import RealmFile

/// Damage to a file with every type in every form, which does not ship with the package.
@Suite(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
struct AllTypesSalvageTests {
    private static let mutantCount =
        ProcessInfo.processInfo.environment["REALM_MUTANTS"].flatMap(Int.init) ?? 3000

    @Test func `objects of every type that are not read from damaged bytes are as they were`()
        throws
    {
        let bytes = try [UInt8](
            Data(contentsOf: URL(filePath: Fixtures.sharedPath("alltypes_300")))
        )
        let truth = try SalvageTruth(bytes)
        // Half of the file is free: damage is done where something lies.
        let arrays = truth.arrays
        var generator = SeededGenerator(seed: 51)
        var partial = 0
        for number in 0..<Self.mutantCount / 150 {
            var mutant = bytes
            for _ in 0..<4 {
                let node = arrays[generator.below(arrays.count)]
                let place = node.offset + generator.below(node.end - node.offset)
                mutant[place] ^= UInt8(1 + generator.below(255))
            }
            guard let realm = try? RealmReader(salvagingBytes: mutant) else { continue }
            let salvage = try realm.salvage()
            guard salvage.newestFault == nil else { continue }
            let faults = try truth.faults(of: salvage, mutant, isStructural: false)
            #expect(faults.isEmpty, "\(number): \(faults.prefix(3))")
            if !salvage.isComplete, salvage.objectCount > 0 { partial += 1 }
        }
        #expect(partial > 0)
    }

    @Test
    func `whatever reference or length is damaged, no object of any type is other than it was`()
        throws
    {
        let bytes = try [UInt8](
            Data(contentsOf: URL(filePath: Fixtures.sharedPath("alltypes_300")))
        )
        let truth = try SalvageTruth(bytes)
        var generator = SeededGenerator(seed: 52)
        var partial = 0
        for number in 0..<Self.mutantCount / 100 {
            guard let mutant = SalvageMutationTests.structuralMutant(truth, &generator),
                let realm = try? RealmReader(salvagingBytes: mutant)
            else { continue }
            let salvage = try realm.salvage()
            guard salvage.newestFault == nil else { continue }
            let faults = try truth.faults(of: salvage, mutant, isStructural: true)
            let changes = SalvageTruth.changes(truth.bytes, mutant)
            #expect(faults.isEmpty, "\(number), \(changes): \(faults.prefix(3))")
            if !salvage.isComplete, salvage.objectCount > 0 { partial += 1 }
        }
        #expect(partial > 0)
    }
}
