import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is refused is not changed.
@Suite struct RefusalTests {
    private static func sample(_ path: String) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        var workload = Workload(seed: 3)
        for _ in 0..<20 { try workload.next().run(on: store) }
    }

    @Test func `a truncated store is refused and stays as it is, byte for byte`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try Self.sample(path)
        let whole = contents(ofFile: path + "/data.mdb")
        for length in [0, 1, 100, 4096, 8191, 8192, whole.count / 2, whole.count / 2 / 4096 * 4096]
        {
            let cut = Array(whole[..<length])
            replaceContents(ofFile: path + "/data.mdb", with: cut)
            let refusal = code { try Store.open(at: path, schema: FaultModels.schema) }
            #expect([.truncated, .notAStore, .corrupted].contains(refusal), "\(length) bytes")
            if length >= 8192 { #expect(refusal == .truncated, "\(length) bytes") }
            #expect(contents(ofFile: path + "/data.mdb") == cut, "\(length) bytes")
        }
        replaceContents(ofFile: path + "/data.mdb", with: whole)
        let store = try Store.open(existing: path)
        defer { store.close() }
        #expect(try store.verify().faults == [])
    }

    @Test func `what is not a store is refused and stays as it is`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let texts: [[UInt8]] = [
            Array("SQLite format 3\0".utf8), Array(repeating: 0, count: 20_000), [],
            (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) },
        ]
        for text in texts {
            replaceContents(ofFile: path + "/data.mdb", with: text)
            #expect(code { try Store.open(at: path, schema: FaultModels.schema) } == .notAStore)
            #expect(code { try Store.open(existing: path) } == .notAStore)
            #expect(contents(ofFile: path + "/data.mdb") == text)
        }
        replaceContents(ofFile: scratch("file"), with: [1, 2, 3])
        #expect(code { try Store.open(at: scratch("file"), schema: FaultModels.schema) } != nil)
        #expect(contents(ofFile: scratch("file")) == [1, 2, 3])
        #expect(code { try Store.open(existing: scratch("none")) } == .storeNotFound)
        #expect(!FileManager.default.fileExists(atPath: scratch("none")))
    }

    @Test func `a store of a newer format is refused and stays as it is`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try Self.sample(path)
        try StoreSurgery.setStateFormat(2, at: path)
        let bytes = contents(ofFile: path + "/data.mdb")
        #expect(code { try Store.open(at: path, schema: FaultModels.schema) } == .newerFormat)
        #expect(code { try Store.open(existing: path) } == .newerFormat)
        #expect(contents(ofFile: path + "/data.mdb") == bytes)
        try StoreSurgery.setStateFormat(1, at: path)
        let store = try Store.open(existing: path)
        defer { store.close() }
        #expect(try store.verify().faults == [])
    }

    @Test func `a block of a newer version is told as such`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try Self.sample(path)
        try StoreSurgery.setLastBlockVersion(2, at: path)
        let store = try Store.open(existing: path)
        defer { store.close() }
        let failure = code {
            try store.read { try $0.forEachCommit { _ in true } }
        }
        #expect(failure == .newerFormat)
        #expect(code { try store.replay() } == .newerFormat)
        #expect(try store.verify().faults.map(\.kind) == [.log])
        // The views are whole and go on serving.
        var workload = Workload(seed: 3)
        workload.advance(to: 20)
        #expect(try store.holds(workload.state))
    }
}
