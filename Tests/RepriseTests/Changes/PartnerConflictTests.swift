import Reprise
import Testing

/// One-to-ones in a merge: no partner is taken away from an entity that keeps it (HIS-54).
struct PartnerConflictTests {
    @Test func `a key that another guest has by now stays with that guest`() throws {
        let store = try Store.temporary(Schema(Guest.self, RoomKey.self))
        try store.write(Jukebox.by("setup")) { transaction in
            try transaction.insert(Guest(id: "one", key: nil))
            try transaction.insert(Guest(id: "two", key: nil))
            try transaction.insert(RoomKey(id: "key", guest: "one"))
        }
        try store.write(Jukebox.by("ada")) { try $0.update(RoomKey.self, id: "key") { $0.guest = nil } }
        try store.write(Jukebox.by("bob")) { try $0.update(RoomKey.self, id: "key") { $0.guest = "two" } }
        let before = try store.digest()
        let report = try #require(try store.undo(by: "ada"))
        #expect(report.commit == nil && !report.conflicts.isEmpty)
        #expect(try store.undo(by: "ada", resolving: .ours)?.isDone == true)
        #expect(try store.digest() == before)
        #expect(try store.fetch(RoomKey.self, id: "key")?.guest == "two")
        #expect(try store.fetch(Guest.self, id: "two")?.key == "key")
        #expect(try store.verify().isSound)
        // The step is taken back, though nothing was different.
        #expect(try !store.canUndo(by: "ada"))
    }
}
