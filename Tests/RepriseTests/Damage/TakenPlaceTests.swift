import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// What events say of places in lists: HIS-44.
struct TakenPlaceTests {
    /// What an event may say that no state allows.
    enum Fault: String, CaseIterable {
        case linkedOverAnother, movedOverAnother, movedFromElsewhere, unlinkedFromElsewhere

        var message: String {
            switch self {
            case .linkedOverAnother, .movedOverAnother: "puts an entry where another one stands in its list"
            case .movedFromElsewhere, .unlinkedFromElsewhere: "takes an entry from a place where it does not stand"
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `an event that no list allows is a fault, though log and views agree`(fault: Fault) throws {
        let store = try Jukebox.filled()
        #expect(try store.verify().isSound)
        try store.write { transaction in
            let session = transaction.session
            let model = try #require(session.schema.allModels.first { $0.name == "playlist" })
            let end = try #require(model.ownedLists.first)
            let list = ListPlace(end: end, owner: EntityKey(model: model.number, id: "list"))
            let entries = try session.workspace.entries(of: list.key)
            let free = try session.freshAppendKey(of: list.key)
            func misplaced(_ entry: ListEntry) -> ListEntry {
                ListEntry(orderKey: free, serial: entry.serial, target: entry.target)
            }
            try session.change {
                switch fault {
                case .linkedOverAnother:
                    let other = ListEntry(orderKey: entries[1].orderKey, serial: 1 << 63 | 7, target: entries[0].target)
                    try session.linkAgain(other, list)
                case .movedOverAnother: try session.move(entries[0], list, to: entries[1].orderKey, cause: 0)
                case .movedFromElsewhere: try session.move(misplaced(entries[0]), list, to: free + 8, cause: 0)
                case .unlinkedFromElsewhere: try session.unlink(misplaced(entries[0]), list, cause: 0)
                }
            }
        }
        let position = try store.statistics().head
        let faults = try store.verify().faults
        #expect(faults.map(\.kind) == [.replay])
        #expect(faults.first?.message == "The event at position \(position.rawValue) \(fault.message).")
    }
}
