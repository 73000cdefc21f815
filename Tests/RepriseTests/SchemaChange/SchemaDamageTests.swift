import FaultSupport
import Testing

@testable import Reprise

/// Declarations whose bytes were changed while every checksum and hash is right (STO-70).
@Suite(.serialized) struct `Damaged declarations` {
    private static let count = 80

    @Test(arguments: [0, 1])
    func `a damaged declaration is told with advice, and never stops the program`(_ declaration: Int) async throws {
        // STO-33, STO-70
        let archive = try ArchiveStore(12)
        try archive.expectAfter(archive.path)
        let results = AcknowledgementFile(path: archive.scratch("results"))
        let work = try archive.copy("work")
        var next = 0
        while next < Self.count {
            let worker = archive.worker(
                "do=declarations",
                "original=" + archive.path + "/data.mdb",
                "work=" + work,
                "seed=\(KillTests.seed)",
                "from=\(next)",
                "to=\(Self.count)",
                "declaration=\(declaration)",
                results: results
            )
            let ending = await worker.end()
            if ending == .exit(0) { break }
            let last = try #require(results.lines.last)
            Issue.record("The program died: \(ending), after: \(last). \(archive.output)")
            next = try #require(last.split(separator: " ").first.flatMap { Int($0) }) + 1
        }
        var decoded: [String: Int] = [:]
        var decoding = ""
        for line in results.lines {
            let fields = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard fields.count == 3 else { continue }
            #expect(!fields[2].contains("untyped"), "\(line)")
            #expect(!fields[2].contains("without"), "\(line)")
            if fields[1] == "decoding" {
                decoding = fields[2]
                decoded[decoding == "ok" || decoding == "newerForm" ? decoding : "broken", default: 0] += 1
            } else if decoding != "ok", fields[1] != "use" {
                let code = decoding == "newerForm" ? "newerFormat" : "corrupted"
                #expect(fields[2] == "\(code) with advice", "\(line), decoding: \(decoding)")
            }
        }
        // So that damage that never hits cannot pass.
        #expect(decoded["broken", default: 0] > Self.count / 3)
        #expect(decoded["newerForm", default: 0] > 0)
    }

    @Test func `a forged store that was changed gives an answer or a typed error and never a signal`() async throws {
        // STO-70
        let archive = try ArchiveStore(30)
        try archive.expectAfter(archive.path)
        try await ForgeryTests.use(archive.path + "/data.mdb", named: "changed store", in: archive.scratch)
    }

    @Test func `whatever decodes as a declaration of form 3 has exactly these bytes`() throws {
        // STO-70
        let archive = try ArchiveStore(12)
        try archive.expectAfter(archive.path)
        let store = try Store.open(existing: archive.path)
        var schema = try store.schema
        store.close()
        var random = Seeded(state: UInt64(KillTests.seed))
        // Defaults of every type, beside what the change has left behind.
        for type in allTypes where type != .reference {
            let slot = schema.models[0].slotCount
            schema.models[0].slotCount += 1
            schema.models[0].attributes.append(
                AttributeDescription(
                    slot: slot,
                    name: "t\(slot)",
                    earlierNames: ["u\(slot)", "v\(slot)"],
                    type: type,
                    isOptional: false,
                    defaultValue: random.value(type),
                    origins: [0, 1]
                )
            )
        }
        try schema.validate()
        let bytes = schema.encode()
        #expect(bytes[4] == 3)
        #expect(try SchemaDescription(decoding: bytes) == schema)
        var decodedCount = 0
        for number in 0..<20_000 {
            var broken = bytes
            for step in 0...(number % 3) {
                DeclarationDamage(seed: UInt64(KillTests.seed &+ step), number: number).apply(to: &broken)
            }
            guard let other = try? SchemaDescription(decoding: broken) else { continue }
            decodedCount += 1
            #expect(other.encode() == broken, "damage \(number)")
        }
        // So that a reader that refuses everything cannot pass.
        #expect(decodedCount > 1000)
        for number in 0..<2000 {
            var noise = Array(bytes[..<(4 + number % 2)])
            for _ in 0..<Int.random(in: 0..<200, using: &random) {
                noise.append(UInt8.random(in: 0...255, using: &random))
            }
            if let other = try? SchemaDescription(decoding: noise) { #expect(other.encode() == noise) }
        }
    }

    @Test func `a to-one has no default, because no list of its target would have the rows`() throws {
        // STO-70, STO-88
        let attribute = AttributeDescription(
            slot: 0,
            name: "to",
            type: .reference,
            isOptional: false,
            defaultValue: .reference("x")
        )
        var schema = SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "m",
                    version: 1,
                    slotCount: 1,
                    attributes: [attribute],
                    indexes: []
                )
            ],
            relations: []
        )
        schema.relations = [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 0),
                source: .init(model: 1, name: "to", onDelete: .nullify),
                target: .init(model: 1, name: nil, onDelete: .deny)
            )
        ]
        let refused = #expect(throws: SchemaError.self) { try schema.validate() }
        #expect(refused?.code == .invalidDefault)
        let decoded = #expect(throws: SchemaError.self) { try SchemaDescription(decoding: schema.encode()) }
        #expect(decoded?.code == .invalidDefault)
    }
}
