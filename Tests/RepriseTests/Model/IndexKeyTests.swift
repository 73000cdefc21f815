import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct IndexKeyTests {
    private struct Built {
        let key: [UInt8]
        let cut: Bool
        let hasNil: Bool
    }

    /// Key of values in slots 0..., with the identifier last.
    private func build(_ values: [Value], _ types: [ValueType], id: String = "") throws -> Built {
        var writer = RowPayloadWriter()
        var row = writer.beginRow(slotCount: values.count)
        for (value, type) in zip(values, types) {
            try value.writeSlot(to: &writer, in: &row, as: type, isOptional: true, name: "x")
        }
        try writer.endRow(row)
        var encoder = IndexKeyEncoder()
        let index = IndexDescription(number: 7, slots: Array(values.indices), isUnique: false)
        var id = id
        let outcome = try id.withUTF8 { id in
            unsafe try encoder.encode(
                try RowPayload(writer.bytes),
                index: index,
                types: types,
                id: UnsafeRawBufferPointer(id)
            )
        }
        let key = encoder.array
        // A bound built from dynamic values is the same bytes.
        encoder.begin(index: 7, componentCount: values.count)
        for (value, type) in zip(values, types) { _ = try encoder.append(value, as: type) }
        #expect(encoder.array == Array(key.prefix(outcome.prefixByteCount)))
        #expect(outcome.hasNil == values.contains { $0.isNull })
        return Built(key: key, cut: outcome.wasCut, hasNil: outcome.hasNil)
    }

    private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : (left == right ? 0 : 1)
    }

    @Test(arguments: scalarTypes)
    func `the order of the bytes is the order of the values`(_ type: ValueType) throws {
        var random = Seeded(state: 3)
        for _ in 0..<3_000 {
            let left = Int.random(in: 0..<20, using: &random) == 0 ? .null : random.value(type)
            let right = Int.random(in: 0..<20, using: &random) == 0 ? .null : random.value(type)
            let (a, b) = (try build([left], [type]), try build([right], [type]))
            let (bytes, values) = (order(a.key, b.key), Value.compare(left, right).signum())
            // Two values that were cut may have one key; then the order is not contradicted.
            if a.cut, b.cut, bytes == 0 { continue }
            #expect(bytes == values, "\(left) \(right)")
        }
    }

    @Test func `composite keys order by their first difference`() throws {
        var random = Seeded(state: 4)
        for _ in 0..<5_000 {
            let count = Int.random(in: 2...4, using: &random)
            let types = (0..<count).map { _ in scalarTypes.randomElement(using: &random)! }
            var left = types.map { random.value($0) }
            var right = types.map { random.value($0) }
            let shared = Int.random(in: 0..<count, using: &random)
            for index in 0..<shared { right[index] = left[index] }
            if Bool.random(using: &random) { left[shared] = .null }
            let (a, b) = (try build(left, types), try build(right, types))
            if a.cut, b.cut { continue }
            let expected = zip(left, right).lazy.map { Value.compare($0, $1).signum() }
                .first { $0 != 0 }
            #expect(order(a.key, b.key) == expected ?? 0, "\(left) \(right)")
        }
    }

    @Test func `cut text keeps the order up to its cut and says so`() throws {
        let cap = IndexKeyEncoder.contentByteCountMax
        let exact = try build([.string(String(repeating: "a", count: cap))], [.string])
        let longer = try build([.string(String(repeating: "a", count: cap + 1))], [.string])
        let zero = try build([.string(String(repeating: "a", count: cap - 1) + "\0")], [.string])
        let short = try build([.string(String(repeating: "a", count: cap - 1))], [.string])
        #expect(!exact.cut && longer.cut && zero.cut && !short.cut)
        #expect(order(exact.key, longer.key) < 0)
        #expect(order(zero.key, exact.key) < 0)
        #expect(order(short.key, zero.key) < 0)
        #expect(longer.key.suffix(2) == [0, 1])
    }

    @Test func `no key is longer than LMDB allows`() throws {
        let id = String(repeating: "i", count: identifierByteCountMax)
        let long = Value.string(String(repeating: "\0x", count: 1_000))
        let decimal = Value.decimal(
            try #require(decode([1, 0x80] + Array(repeating: 0xFF, count: 16), .decimal).decimal)
        )
        for count in 1...4 {
            for mask in 0..<(1 << count) {
                let values = (0..<count).map { mask >> $0 & 1 == 0 ? long : decimal }
                let types: [ValueType] = (0..<count).map {
                    mask >> $0 & 1 == 0 ? .string : .decimal
                }
                #expect(try build(values, types, id: id).key.count <= 511)
            }
        }
    }

    @Test func `identifiers escape, end and decode`() throws {
        var random = Seeded(state: 5)
        for _ in 0..<2_000 {
            let (a, b) = (Array(random.text().utf8), Array(random.text().utf8))
            let (x, y) = (escape(a), escape(b))
            #expect(order(x, y) == order(a, b))
            let back = try unsafe (x + y).withUnsafeBytes {
                unsafe try IdentifierKey.decode(escaped: $0)
            }
            #expect(back.id == a)
            #expect(back.byteCount == x.count)
            var broken = x
            random.mutate(&broken)
            if let again = try? unsafe broken.withUnsafeBytes({
                unsafe try IdentifierKey.decode(escaped: $0)
            }) {
                #expect(escape(again.id) == Array(broken.prefix(again.byteCount)))
            }
        }
    }

    private func escape(_ bytes: [UInt8]) -> [UInt8] {
        var writer = RowPayloadWriter()
        _ = unsafe bytes.withUnsafeBytes { unsafe writer.append(escaping: $0) }
        return writer.array
    }

    @Test func `an identifier is measured with its escapes`() throws {
        func check(_ bytes: [UInt8]) throws {
            try unsafe bytes.withUnsafeBytes { unsafe try IdentifierKey.check($0) }
        }
        try check(Array(repeating: 1, count: 240))
        try check(Array(repeating: 0, count: 120))
        #expect(throws: ValueError(.identifierTooLong)) {
            try check(Array(repeating: 1, count: 241))
        }
        #expect(throws: ValueError(.identifierTooLong)) {
            try check(Array(repeating: 0, count: 121))
        }
    }
}

extension Value {
    fileprivate var decimal: Decimal? {
        if case .decimal(let value) = self { value } else { nil }
    }
}
