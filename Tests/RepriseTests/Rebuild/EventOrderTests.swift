import RepriseLog
import Testing

@testable import Reprise

/// Events that are sorted where they lie (decision 0014).
struct EventOrderTests {
    /// The first model has most of the events, or just the first one of them.
    @Test(arguments: [(1500, 3), (1, 1500), (1, 64), (700, 700)])
    func `events come entity after entity, whichever model is the large one`(
        first: Int,
        others: Int
    ) throws {
        let models = Array(repeating: UInt16(9), count: first) + (0..<others).map { _ in 2 } + [5]
        let block = unsafe try Self.block(models)
        defer { unsafe block.deallocate() }
        var order = EventOrder(eventCountMax: models.count)
        let view = unsafe try BlockView(
            UnsafeRawBufferPointer(block),
            storedAt: 1,
            verifiesHash: false
        )
        var expected: [UInt16: [(id: [UInt8], position: UInt64)]] = [:]
        var cursor = view.events()
        while let event = try cursor.next() {
            order.add(event)
            expected[event.model, default: []].append((unsafe [UInt8](event.id), event.position))
        }
        let sorted = order.sorted()
        #expect(sorted.map(\.number) == [2, 5, 9])
        for model in sorted {
            // A reserve for more than there are would be kept for each of very many models.
            #expect(model.capacity <= models.count + models.count / 16 + 1 || model.capacity <= 72)
            let wanted = (expected[model.number] ?? []).sorted { left, right in
                left.id == right.id
                    ? left.position < right.position : left.id.lexicographicallyPrecedes(right.id)
            }
            var positions: [UInt64] = []
            for stretch in model.sorted(stretchCount: 100, mayShare: false) {
                var events = stretch.events()
                while let event = try events.next() { positions.append(event.position) }
            }
            #expect(positions == wanted.map(\.position))
        }
    }

    /// More events than were announced are taken as well.
    @Test func `a wrong count of events does no harm`() throws {
        let block = unsafe try Self.block(Array(repeating: 1, count: 300))
        defer { unsafe block.deallocate() }
        var order = EventOrder(eventCountMax: 0)
        let view = unsafe try BlockView(
            UnsafeRawBufferPointer(block),
            storedAt: 1,
            verifiesHash: false
        )
        var cursor = view.events()
        while let event = try cursor.next() { order.add(event) }
        let stretches = order.sorted().flatMap { $0.sorted(stretchCount: 50, mayShare: false) }
        #expect(stretches.reduce(0) { $0 + $1.count } == 300)
    }

    /// A block with an event of each model in turn, about few entities.
    private static func block(_ models: [UInt16]) throws -> UnsafeMutableRawBufferPointer {
        var commit = CommitBuilder(
            after: .empty,
            metadata: CommitMetadata(timeMicroseconds: 0)
        )
        for (number, model) in models.enumerated() {
            let id = Array("entity \(number * 7919 % 400)".utf8)
            _ = unsafe try id.withUnsafeBytes { id in
                unsafe try commit.append(
                    type: .inserted,
                    version: 1,
                    model: model,
                    id: id,
                    previous: 0,
                    cause: 0
                ) { $0.varint(UInt64(number)) }
            }
        }
        var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
        unsafe commit.seal(digest: .zero).forEachBlock { _, bytes in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
            unsafe copy.copyMemory(from: bytes)
            unsafe blocks.append(copy)
        }
        try #require(unsafe blocks.count == 1)
        return unsafe blocks[0]
    }
}
