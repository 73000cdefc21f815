import Foundation
import TestSupport
import Testing

@testable import RealmFile

/// Files that were damaged at random: what is handed on of them is true.
///
/// Realm files have no check sums, so a value that is changed within its own bytes is read as it stands there, whoever
/// reads it. Therefore two things are tested. Whatever is damaged, every object that is read from bytes that were not
/// is as it was. And where only what holds values together was damaged (references, counts beside them, roots, headers
/// that then say another length), every object is.
struct SalvageMutationTests {
    /// How many damaged files in all; for longer runs it is set from outside.
    private static let mutantCount =
        ProcessInfo.processInfo.environment["REALM_MUTANTS"].flatMap(Int.init) ?? 3000

    private struct Tally: CustomStringConvertible {
        var refused = 0
        var complete = 0
        var older = 0
        var partial = 0
        var empty = 0

        var description: String {
            "\(refused) refused, \(complete) complete, \(older) older, \(partial) in part, \(empty) nothing"
        }
    }

    /// Salvages damaged bytes and compares what comes of it.
    private func check(
        _ mutant: [UInt8],
        _ truth: SalvageTruth,
        isStructural: Bool,
        _ tally: inout Tally
    ) throws -> [String] {
        let salvage: RealmSalvage
        do {
            salvage = try RealmReader(salvagingBytes: mutant).salvage()
        } catch is RealmFileError {
            tally.refused += 1
            return []
        }
        guard salvage.newestFault == nil else {
            tally.older += 1
            // Another version of the data: true is what holds together.
            return try Content(salvage.realm).contradictions
        }
        if salvage.isComplete {
            tally.complete += 1
            // Of a file that is only too short, what is missing may have been free.
            let code = try refusal { try RealmReader(bytes: mutant).examine() }
            if let code, code != .truncated { return ["complete, and \(code)"] }
        } else if salvage.objectCount == 0 {
            tally.empty += 1
        } else {
            tally.partial += 1
        }
        return try truth.faults(of: salvage, mutant, isStructural: isStructural)
            + Content(salvage.realm).contradictions
    }

    @Test(arguments: [
        ("music_tiny", "unresolved", 6, 11), ("music_tiny_compact", "music_tiny", 6, 12),
        ("unresolved", "music_tiny", 4, 13), ("music_100", "music_100", 4, 14),
    ])
    func `objects that are not read from damaged bytes are as they were`(
        name: String,
        donorName: String,
        share: Int,
        seed: Int
    ) throws {
        let truth = try SalvageTruth(Fixtures.bytes(name))
        let donor = try Fixtures.bytes(donorName)
        var generator = SeededGenerator(seed: UInt64(seed))
        var tally = Tally()
        for number in 0..<Self.mutantCount * share / 20 {
            let mutation = Mutation(of: truth.bytes, donor: donor, &generator)
            let mutant = mutation.applied(to: truth.bytes, donor: donor)
            let faults = try check(mutant, truth, isStructural: false, &tally)
            #expect(faults.isEmpty, "\(name), \(number), \(mutation): \(faults.prefix(3))")
        }
        if Self.mutantCount >= 3000 { #expect(tally.partial > 0, "\(tally)") }
        if ProcessInfo.processInfo.environment["REALM_MUTANTS"] != nil { print(name, tally) }
    }

    /// Changes one word of what holds values together; nil where it would then say the same length.
    static func structuralMutant(
        _ truth: SalvageTruth,
        _ generator: inout SeededGenerator
    ) -> [UInt8]? {
        var mutant = truth.bytes
        let node = truth.arrays[generator.below(truth.arrays.count)]
        if node.hasReferences, node.count > 0, node.width >= 8, !generator.once(in: 3) {
            let size = node.width / 8
            let place = node.offset + 8 + size * generator.below(node.count)
            // To anywhere, to another array, or by a few bits.
            let value: Int =
                switch generator.below(4) {
                case 0: 0
                case 1: truth.arrays[generator.below(truth.arrays.count)].offset
                case 2: 8 * generator.below(truth.bytes.count / 8)
                default:
                    Int(
                        truncatingIfNeeded: (try? node.integer(at: (place - node.offset - 8) / size))
                            ?? 0
                    )
                        ^ 1 << generator.below(8 * size)
                }
            for byte in 0..<size {
                mutant[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
            }
        } else {
            for _ in 0...generator.below(3) {
                mutant[node.offset + 4 + generator.below(4)] ^= 1 << UInt8(generator.below(8))
            }
            let image = FileImage(bytes: mutant)
            let isAsLong = withExtendedLifetime(image) {
                (try? ArrayNode(at: node.offset, in: image.bytes))?.end == node.end
            }
            if isAsLong { return nil }
        }
        return mutant
    }

    @Test(arguments: [
        ("music_tiny", 21), ("music_tiny_compact", 22), ("unresolved", 23), ("music_100", 24),
    ])
    func `whatever reference or length is damaged, no object is other than it was`(
        name: String,
        seed: Int
    ) throws {
        let truth = try SalvageTruth(Fixtures.bytes(name))
        var generator = SeededGenerator(seed: UInt64(seed))
        var tally = Tally()
        for number in 0..<Self.mutantCount / 4 {
            guard let mutant = Self.structuralMutant(truth, &generator) else { continue }
            let faults = try check(mutant, truth, isStructural: true, &tally)
            let changes = SalvageTruth.changes(truth.bytes, mutant)
            #expect(faults.isEmpty, "\(name), \(number), \(changes): \(faults.prefix(3))")
        }
        if Self.mutantCount >= 3000 { #expect(tally.partial > 0, "\(tally)") }
        if ProcessInfo.processInfo.environment["REALM_MUTANTS"] != nil { print(name, tally) }
    }
}
