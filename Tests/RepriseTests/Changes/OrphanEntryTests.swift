import RepriseLog
import Testing

@testable import Reprise

/// Entries of lists whose owner is not there: HIS-44.
struct OrphanEntryTests {
    @Test func `an entry without an owner is a fault, though log and views agree`() throws {
        let store = try Jukebox.filled()
        #expect(try store.verify().isSound)
        try store.write { transaction in
            let session = transaction.session
            let model = try #require(session.schema.allModels.first { $0.name == "playlist" })
            let end = try #require(model.ownedLists.first)
            let owner = EntityKey(model: model.number, id: "nobody")
            let entry = ListEntry(orderKey: 1 << 40, serial: session.builder.nextPosition, target: Array("A".utf8))
            try session.change { try session.linkAgain(entry, ListPlace(end: end, owner: owner)) }
        }
        let faults = try store.verify().faults
        #expect(faults.map(\.kind) == [.rules])
        #expect(faults.first?.message == "This entry is in a list whose owner is not there.")
    }
}
