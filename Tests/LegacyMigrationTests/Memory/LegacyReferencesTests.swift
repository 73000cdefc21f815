import LegacyMigration
import TestSupport
import Testing

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

    @Test func `lists are the same however their keys were handed over, and others are not`() throws
    {
        let key = InventedLibrary.key(1)
        var references = LegacyReferences([key])
        try references.append(.odd("odd"))
        try references.append(.odd(key))
        #expect(references == LegacyReferences([key, "odd", key]))
        #expect(references.dropLast().elementsEqual([key, "odd"]))
        #expect(LegacyReferences(["odd", key]) != LegacyReferences([key, "odd"]))
        #expect(LegacyReferences(["ab", "c"]) != LegacyReferences(["a", "bc"]))
    }
}
