import Testing

@testable import Reprise

struct RowPayloadTests {
    private func payload(_ slots: [[UInt8]?], slotCount: Int? = nil) throws -> [UInt8] {
        var writer = RowPayloadWriter()
        var row = writer.beginRow(slotCount: slotCount ?? slots.count)
        for slot in slots {
            if let slot {
                unsafe slot.withUnsafeBytes { unsafe writer.append(bytes: $0) }
                writer.endSlot(&row)
            } else {
                writer.skipSlot(&row)
            }
        }
        try writer.endRow(row)
        return writer.array
    }

    private func slots(_ bytes: [UInt8], count: Int) throws -> [[UInt8]?] {
        try unsafe bytes.withUnsafeBytes { all in
            let payload = unsafe try RowPayload(all)
            return (0..<count).map { unsafe payload.slot($0).map { unsafe Array($0) } }
        }
    }

    @Test func `slots come back, in narrow and in wide rows`() throws {
        var random = Seeded(state: 6)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...12, using: &random)
            let content: [[UInt8]?] = (0..<count).map { _ in
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: nil
                case 3: []
                case 4: Array(repeating: 7, count: Int.random(in: 32_760...32_770, using: &random))
                default: Array(repeating: 9, count: Int.random(in: 0...20, using: &random))
                }
            }
            let bytes = try payload(content)
            #expect(try slots(bytes, count: count) == content)
            // Slots that a newer schema added are nil and leave no trace.
            #expect(try payload(content, slotCount: count + 3) == bytes)
        }
    }

    @Test func `the table is wide exactly when the values need it`() throws {
        #expect(try payload([Array(repeating: 0, count: 32_767)]).count == 2 + 2 + 32_767)
        #expect(try payload([Array(repeating: 0, count: 32_768)]).count == 2 + 4 + 32_768)
        #expect(try payload([nil, nil]) == [0, 0])
        #expect(try payload([]) == [0, 0])
    }

    @Test func `mutated rows never trap, and those accepted are canonical`() throws {
        var random = Seeded(state: 7)
        var accepted = 0
        for _ in 0..<10_000 {
            let content: [[UInt8]?] = (0..<4).map { _ in
                Bool.random(using: &random)
                    ? nil : Array(repeating: 1, count: Int.random(in: 0...4, using: &random))
            }
            var bytes = try payload(content)
            random.mutate(&bytes)
            unsafe bytes.withUnsafeBytes { all in
                guard let trusted = try? unsafe RowPayload(trusting: all) else { return }
                for slot in -1...trusted.slotCount {
                    guard let part = unsafe trusted.slot(slot) else { continue }
                    let isInside =
                        unsafe part.isEmpty
                        || part.baseAddress! + part.count <= all.baseAddress! + all.count
                    #expect(isInside)
                }
            }
            let count = Int(bytes.first ?? 0) + 256 * Int(bytes.dropFirst().first ?? 0)
            guard let read = try? slots(bytes, count: count & 0x7FFF) else { continue }
            accepted += 1
            #expect(try payload(read) == bytes)
        }
        #expect(accepted > 100)
    }

    @Test func `rewriting keeps, clears and replaces slots`() throws {
        let old = try payload([[1], nil, [2, 2], [3]])
        let new: [UInt8] = [9, 9, 9]
        var writer = RowPayloadWriter()
        try unsafe old.withUnsafeBytes { old in
            try unsafe new.withUnsafeBytes { new in
                let view = unsafe try RowPayload(old)
                unsafe try writer.rewrite(view, slotCount: 6) { slot throws(ValueError) in
                    switch slot {
                    case 1: unsafe .replace(new)
                    case 3: unsafe .clear
                    default: unsafe .keep
                    }
                }
            }
        }
        #expect(writer.array == (try payload([[1], new, [2, 2]])))
    }

    @Test func `a row over the limit is refused`() throws {
        #expect(throws: ValueError(.tooLarge)) {
            _ = try payload([Array(repeating: 0, count: rowByteCountMax)])
        }
    }
}
