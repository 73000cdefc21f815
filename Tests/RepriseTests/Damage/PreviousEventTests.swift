import RepriseLog
import Testing

@testable import Reprise

/// What events say of the event of their entity before them: HIS-44.
struct PreviousEventTests {
    @Test(arguments: ["list", "new"])
    func `an event that names a wrong one before it is a fault, though log and views agree`(id: String) throws {
        let store = try Jukebox.filled()
        #expect(try store.verify().isSound)
        var position: UInt64 = 0
        try store.write { transaction in
            let session = transaction.session
            let workspace = session.workspace
            let model = try #require(session.schema.allModels.first { $0.name == "playlist" })
            let list = try #require(try workspace.row(EntityKey(model: model.number, id: "list")))
            let payload = unsafe [UInt8](list.payload)
            var key = KeyBuffer()
            key.setRow(EntityKey(model: model.number, id: id))
            try session.change {
                let found = try unsafe workspace.find(key.bytes)
                let isNew = found.row == nil
                position = try unsafe session.record(
                    isNew ? .inserted : .updated,
                    model.number,
                    id: UnsafeRawBufferPointer(rebasing: key.bytes[2...]),
                    previous: 2,
                    cause: 0
                ) { body in
                    if isNew {
                        unsafe payload.withUnsafeBytes { unsafe body.bytes($0) }
                    } else {
                        SlotChanges([]).write(to: &body)
                    }
                }
                try unsafe payload.withUnsafeBytes { payload in
                    try unsafe workspace.put(
                        key.bytes,
                        over: found,
                        created: isNew ? position : list.created,
                        revision: position,
                        payload: payload
                    )
                }
            }
        }
        let faults = try store.verify().faults
        #expect(faults.map(\.kind) == [.replay])
        #expect(
            faults.first?.message
                == "The event at position \(position) names another event before it than its entity had."
        )
    }
}
