import RepriseLMDB
import TestSupport
import Testing

@testable import Reprise

/// Rows on their way to the thread that decodes them.
struct LongKeyTests {
    struct Song: Model {
        var id: ID

        static let schema = ModelSchema("song", version: 1, Self.init, .id("id", \.id))
    }

    /// A log that was made elsewhere may name entities whose keys no table would take, and states of the past hold
    /// them.
    @Test(.enabled(if: DetachedThread.processorCount > 1))
    func `keys of any length are handed over whole`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Song.self))
        defer { store.close() }
        let transaction = try store.environment.beginRead()
        let state = try StoreState.read(transaction.reader, store.tables)
        let binding = try ModelBinding(
            ObjectIdentifier(Song.self),
            Song.schema.declaration,
            in: store.compiledSchema(transaction.reader, state)
        )
        var seen: [Int] = []
        let made = unsafe RowRelay(binding) { (id, _, _) throws(ValueError) in
            seen.append(id.count)
        }
        let relay = try #require(made)
        let counts = (0..<600).map { $0 % 7 * 400 }
        let payload: [UInt8] = [0, 0]
        for count in counts {
            let key = [0, 1] + [UInt8](repeating: 0x61, count: count)
            let isWanted = try unsafe key.withUnsafeBytes { key in
                try unsafe payload.withUnsafeBytes { payload in
                    let row = unsafe RowView(created: 1, revision: 1, payload: payload)
                    return relay.add(try unsafe RowHit(key: key, view: row, of: binding.model))
                }
            }
            #expect(isWanted)
        }
        #expect(relay.finish() == nil)
        #expect(seen == counts)
    }
}
