import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// Numbers that JSON cannot say go out as lines of JSON and come back.
struct NumberRoundTripTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "reading",
                version: 1,
                slotCount: 3,
                attributes: [
                    AttributeDescription(slot: 0, name: "value", type: .double, isOptional: true),
                    AttributeDescription(slot: 1, name: "short", type: .float, isOptional: true),
                    AttributeDescription(
                        slot: 2,
                        name: "list",
                        type: .list(.double, nilElements: false),
                        isOptional: false
                    ),
                ],
                indexes: []
            )
        ],
        relations: []
    )

    private func tool(_ words: String...) -> (outcome: Outcome, output: String) {
        let output = MemorySink()
        var console = Console(output: output, diagnostics: MemorySink(), isQuiet: true)
        return (Tool.run(words + ["--quiet"], in: &console), output.text)
    }

    private func values(of path: String, _ name: String) throws -> [String: Value] {
        let store = try Store.open(existing: path)
        defer { store.close() }
        return try store.read { state in
            try state.records(RecordQuery(model: "reading")).reduce(into: [:]) { found, record in
                found[record.id] = record.values.first { $0.name == name }?.value
            }
        }
    }

    /// A value as a double with its bits; every NaN is the one that lines of JSON have.
    private func bits(_ value: Value) -> [UInt64?] {
        switch value {
        case .double(let number): [(number.isNaN ? .nan : number).bitPattern]
        case .float(let number): [(number.isNaN ? .nan : Double(number)).bitPattern]
        case .list(let elements): elements.flatMap(bits)
        default: [nil]
        }
    }

    @Test func `what a store exports is equal in the store that it is migrated into`() throws {
        let directory = try TemporaryDirectory(named: "cli")
        let numbers: [Double] = [
            1.5, .nan, -.nan, .infinity, -.infinity, 0, -0.0, 3, .leastNonzeroMagnitude, 1e300,
            Double(bitPattern: 0x7FF8_0000_0000_0123),
        ]
        let store = try Store.open(at: directory.path("first"), schema: Schema(Self.schema))
        try store.write { transaction in
            for (place, number) in numbers.enumerated() {
                let short: Float = number.magnitude == 1e300 ? 0.25 : Float(number)
                try transaction.put(
                    EntityReference(model: "reading", id: "r\(place)"),
                    values: [
                        "value": .double(number), "short": .float(short),
                        "list": .list([.double(number), .double(0.5)]),
                    ]
                )
            }
        }
        store.close()
        let export = directory.path("readings.ndjson")
        #expect(tool("export", directory.path("first"), "--output", export).outcome == .done)
        #expect(tool("migrate", export, "--into", directory.path("second")).outcome == .done)
        #expect(tool("verify-migration", export, directory.path("second")).outcome == .done)
        for name in ["value", "short", "list"] {
            let first = try values(of: directory.path("first"), name)
            let second = try values(of: directory.path("second"), name)
            #expect(first.count == numbers.count && second.count == numbers.count)
            for (id, value) in first {
                let found = try #require(second[id])
                #expect(bits(found) == bits(value), "\(name) of \(id): \(found)")
            }
        }
    }
}
