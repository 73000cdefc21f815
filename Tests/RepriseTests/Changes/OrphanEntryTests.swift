import RepriseLog
import Testing

@testable import Reprise

/// Entries of lists whose owner, or target, is not there: HIS-44.
struct OrphanEntryTests {
    @Test(arguments: [("nobody", "A", "This entry is in a list whose owner is not there."),
        ("list", "nothing", "This entry leads to an entity that is not there.")])
    func `an entry without an owner or a target is a fault, though log and views agree`(
        owner: String,
        target: String,
        message: String
    ) throws {
        let store = try Jukebox.filled()
        #expect(try store.verify().isSound)
        try store.write { transaction in
            let session = transaction.session
            let model = try #require(session.schema.allModels.first { $0.name == "playlist" })
            let end = try #require(model.ownedLists.first)
            let owner = EntityKey(model: model.number, id: Array(owner.utf8))
            let entry = ListEntry(orderKey: 1 << 40, serial: session.builder.nextPosition, target: Array(target.utf8))
            try session.change { try session.linkAgain(entry, ListPlace(end: end, owner: owner)) }
        }
        let faults = try store.verify().faults
        #expect(faults.map(\.kind) == [.rules])
        #expect(faults.first?.message == message)
    }
}
