import Reprise
import TestSupport

/// Two stores with the same rack, box and volumes, whose lists are still empty.
struct ListStores {
    private let directory: TemporaryDirectory
    let store: Store
    let twin: Store

    init(_ ids: [Volume.ID]) throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        twin = try Store.open(at: directory.path("twin"), schema: ReviewStore.schema)
        for store in [store, twin] {
            try store.write { transaction in
                try transaction.insert(Rack(id: "r", name: nil))
                try transaction.insert(Box(id: "b"))
                for id in ids { try transaction.insert(Volume(id: id, title: nil, box: nil)) }
            }
        }
    }

    /// Where another store of the test can lie.
    func path(_ name: String) -> String { directory.path(name) }
}
