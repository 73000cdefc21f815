import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Copies of a store that a killed verification has left beside it (STO-78).
struct LeftScratchTests {
    @Test func `a verification removes the copies that killed ones have left`() throws {
        let scratch = try Scratch(inMemory: true)
        let folder = scratch("folder of stores")
        try FileManager.default.createDirectory(
            atPath: folder + "/.reprise-scratch-0abc/copy",
            withIntermediateDirectories: true
        )
        try Data("rows".utf8).write(
            to: URL(filePath: folder + "/.reprise-scratch-0abc/copy/data.mdb")
        )
        let store = try Store.open(at: folder + "/store", schema: FaultModels.schema)
        defer { store.close() }
        #expect(try store.verify().faults == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store"])
    }
}
