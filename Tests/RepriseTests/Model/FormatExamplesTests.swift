import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The examples in `Specs/format` are what this code writes: lines `name = hex` inside ```` ```hex ````.
struct FormatExamplesTests {
    private func check(_ page: String, _ produced: [String: [UInt8]]) throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let data = try #require(
            FileManager.default.contents(atPath: "\(root)/Specs/format/\(page).md")
        )
        var examples: [String: String] = [:]
        var isInside = false
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("```") {
                isInside = line == "```hex"
            } else if isInside, let mark = line.ranges(of: " = ").last {
                let name = String(line[..<mark.lowerBound])
                examples[name] = String(line[mark.upperBound...])
            }
        }
        #expect(Set(examples.keys) == Set(produced.keys), "every example is checked")
        for (name, bytes) in produced { #expect(examples[name] == hex(bytes), "\(page): \(name)") }
    }

    private struct Pair: CodableValue {
        let b: String
        let a: Double
    }

    private func bytes(_ value: some StoredValue) -> [UInt8] {
        var writer = RowPayloadWriter()
        value.write(to: &writer)
        return unsafe [UInt8](writer.bytes)
    }

    private let point: ValueType = .embedded([
        EmbeddedField(name: "x", type: .int, isOptional: false),
        EmbeddedField(name: "label", type: .string, isOptional: true),
    ])

    @Test func `values are as the page says`() throws {
        try check(
            "values",
            [
                "bool true": slotBytes(.bool(true), .bool),
                "int -2": slotBytes(.int(-2), .int),
                "double 1.5": slotBytes(.double(1.5), .double),
                "float -0": slotBytes(.float(-0.0), .float),
                "string aé": slotBytes(.string("aé"), .string),
                "date 2001-01-01T00:00:01Z": slotBytes(
                    .date(Date(timeIntervalSinceReferenceDate: 1)),
                    .date
                ),
                "decimal NaN": slotBytes(.decimal(.nan), .decimal),
                "decimal 0": slotBytes(.decimal(0), .decimal),
                "decimal -12.30": slotBytes(
                    .decimal(#require(Decimal(string: "-12.30"))),
                    .decimal
                ),
                "list [true, nil]": slotBytes(
                    .list([.bool(true), .null]),
                    .list(.bool, nilElements: true)
                ),
                "set {b, a}": slotBytes(
                    .set([.string("b"), .string("a")]),
                    .set(.string, nilElements: false)
                ),
                "map {k: true, j: nil}": slotBytes(
                    .map([.init("k", .bool(true)), .init("j", .null)]),
                    .map(.bool, nilValues: true)
                ),
                "embedded x = 1, label nil": slotBytes(.embedded([.init("x", .int(1))]), point),
                "reference album-1": slotBytes(.reference("album-1"), .reference),
                "Int8 -2": bytes(Int8(-2)),
                "UInt32 4294967295": bytes(UInt32.max),
                "URL https://a.b/c?d": bytes(#require(URL(string: "https://a.b/c?d"))),
                "Duration 1.5 s": bytes(Duration.milliseconds(1500)),
                "Duration -1 as": bytes(.zero - Duration.nanoseconds(1) / 1_000_000_000),
                "CodableValue a 1.5, b x/y": bytes(Pair(b: "x/y", a: 1.5)),
            ]
        )
    }

    @Test func `rows are as the page says`() throws {
        func row(_ values: [Value], _ types: [ValueType]) throws -> [UInt8] {
            var writer = RowPayloadWriter()
            var row = writer.beginRow(slotCount: values.count)
            for (value, type) in zip(values, types) {
                try value.writeSlot(to: &writer, in: &row, as: type, isOptional: true, name: "x")
            }
            try writer.endRow(row)
            return writer.array
        }
        try check(
            "rows",
            [
                "no slots": row([.null, .null], [.int, .int]),
                "\"hi\", nil, 7, nil": row(
                    [.string("hi"), .null, .int(7), .null],
                    [.string, .int, .int, .int]
                ),
                "wide, first bytes": Array(
                    row([.data(Data(repeating: 0xAA, count: 32_768))], [.data]).prefix(8)
                ),
            ]
        )
    }

    @Test func `keys are as the page says`() throws {
        func component(_ value: Value, _ type: ValueType, of count: Int = 1) throws -> [UInt8] {
            var encoder = IndexKeyEncoder()
            encoder.begin(index: 1, componentCount: count)
            _ = try encoder.append(value, as: type)
            return Array(encoder.array.dropFirst(2))
        }
        var whole = IndexKeyEncoder()
        whole.begin(index: 3, componentCount: 2)
        _ = try whole.append(.string("Jazz"), as: .string)
        _ = try whole.append(.int(5), as: .int)
        unsafe Array("t1".utf8).withUnsafeBytes { unsafe whole.append(id: $0) }
        let long = String(repeating: "a", count: 51)
        try check(
            "keys",
            [
                "nil": component(.null, .int),
                "bool true": component(.bool(true), .bool),
                "int -1": component(.int(-1), .int),
                "int 5": component(.int(5), .int),
                "double -1": component(.double(-1), .double),
                "double -0": component(.double(-0.0), .double),
                "double NaN": component(.double(.nan), .double),
                "string a NUL b": component(.string("a\0b"), .string),
                "string of 51 a, one of four components, last bytes": Array(
                    component(.string(long), .string, of: 4).suffix(4)
                ),
                "decimal 123.4": component(.decimal(#require(Decimal(string: "123.4"))), .decimal),
                "decimal -123.4": component(
                    .decimal(#require(Decimal(string: "-123.4"))),
                    .decimal
                ),
                "index 3, Jazz and 5, t1": whole.array,
            ]
        )
    }

    @Test func `schemas are as the page says`() throws {
        let schema = SchemaDescription(
            models: [
                .init(
                    number: 1,
                    name: "a",
                    version: 1,
                    slotCount: 2,
                    attributes: [
                        .init(
                            slot: 0,
                            name: "n",
                            type: .list(.int, nilElements: true),
                            isOptional: false
                        ),
                        .init(slot: 1, name: "up", type: .reference, isOptional: true),
                    ],
                    indexes: [.init(number: 1, slots: [1], isUnique: false)]
                )
            ],
            relations: [
                .init(
                    number: 1,
                    kind: .reference(slot: 1),
                    source: .init(model: 1, name: "up", onDelete: .nullify),
                    target: .init(model: 1, name: nil, onDelete: .cascade)
                )
            ]
        )
        try schema.validate()
        var searchable = schema
        searchable.models[0].slotCount = 3
        searchable.models[0].attributes.append(
            .init(slot: 2, name: "t", type: .string, isOptional: false)
        )
        searchable.models[0].search = .init(number: 2, fields: [.init(slot: 2, weight: 3)])
        try searchable.validate()
        var changed = schema
        changed.models[0].earlierNames = ["b"]
        changed.models[0].slotCount = 5
        changed.models[0].attributes.append(
            .init(slot: 2, name: "s", earlierNames: ["r"], type: .int, isOptional: false, defaultValue: .int(3))
        )
        changed.models[0].attributes.append(
            .init(slot: 4, name: "f", type: .bool, isOptional: true, origins: [3])
        )
        changed.models[0].retiredAttributes = [.init(slot: 3, name: "f", type: .int, isOptional: true)]
        changed.retiredModels = [
            .init(number: 2, name: "c", version: 1, slotCount: 0, attributes: [], indexes: [])
        ]
        changed.retiredRelations = [
            .init(
                number: 2,
                kind: .list,
                source: .init(model: 2, name: "as", onDelete: .nullify),
                target: .init(model: 1, name: nil, onDelete: .nullify)
            )
        ]
        changed.version = 4
        changed.floor = 4
        try changed.validate()
        #expect(try SchemaDescription(decoding: changed.encode()) == changed)
        try check(
            "schema",
            [
                "example": schema.encode(), "searchable": searchable.encode(), "changed": changed.encode(),
                "widened": Self.widened().encode(),
            ]
        )
    }

    /// A whole number that has become text.
    private static func widened() throws -> SchemaDescription {
        let number = AttributeDescription(slot: 0, name: "n", type: .int, isOptional: true)
        var schema = SchemaDescription(
            models: [
                .init(number: 1, name: "a", version: 1, slotCount: 1, attributes: [number], indexes: [])
            ],
            relations: []
        )
        let isWider = schema.widen("n", of: "a", to: .string)
        #expect(isWider)
        try schema.validate()
        #expect(try SchemaDescription(decoding: schema.encode()) == schema)
        return schema
    }
}
