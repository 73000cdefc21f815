import TestSupport
import Testing

@testable import LegacyMigration

@Suite struct LegacyReferencesTests {
    @Test(arguments: [UInt64](1...20))
    func `keys of any form come back in order`(number: UInt64) throws {
        try seeded(number) { seed in
            let odd = [
                "", "7", "é", "e\u{301}", "0000000000000abc", String(repeating: "k", count: 40),
            ]
            let isMixed = seed.once(in: 2)
            let keys = (0..<seed.below(60)).map { place in
                isMixed && seed.once(in: 4) ? seed.pick(odd) : InventedLibrary.key(place)
            }
            let references = LegacyReferences(keys)
            #expect(references.map { Array($0.utf8) } == keys.map { Array($0.utf8) })
            #expect(references == LegacyReferences(keys))
            #expect(references != LegacyReferences(keys + ["0"]))
        }
    }

    @Test func `a list of numbers and one of their texts are not told apart by how they came`() {
        let key = InventedLibrary.key(1)
        #expect(LegacyReferences([key, "odd"]).dropLast().elementsEqual([key]))
        #expect(LegacyReferences(["odd", key]) == LegacyReferences(["odd", key]))
        #expect(LegacyReferences(["odd", key]) != LegacyReferences([key, "odd"]))
        #expect(LegacyReferences(["ab", "c"]) != LegacyReferences(["a", "bc"]))
    }
}
