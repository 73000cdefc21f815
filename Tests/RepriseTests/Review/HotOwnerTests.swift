import Reprise
import TestSupport
import Testing

/// One entity that nearly every event of a load is about.
struct HotOwnerTests {
    @Test
    func
        `a load that links everything to one list finds its owner again, with its revision and its other changes`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        let rack = Rack.ID("hot")
        try store.bulkLoad(memoryByteCount: 4 << 20) { loader in
            try loader.batch { transaction in
                try transaction.insert(Rack(id: rack, name: nil))
                for number in 0..<500 {
                    try transaction.insert(Volume(id: .init("\(number)"), title: nil, box: nil))
                }
            }
            for batch in 0..<4 {
                try loader.batch { transaction in
                    for number in 0..<6000 {
                        try transaction.link(
                            Rack.volumes,
                            from: rack,
                            to: .init("\((number + batch) % 500)")
                        )
                    }
                    guard batch < 3 else { return }
                    try transaction.update(Rack.self, id: rack) { $0.name = "batch \(batch)" }
                }
            }
            try loader.batch { transaction in
                let known = try transaction.fetch(Rack.self, id: rack)
                #expect(known?.name == "batch 2")
                let revision = try transaction.revision(of: rack)
                #expect(revision?.position == transaction.position)
            }
        }
        #expect(try store.read { try $0.entries(Rack.volumes, of: rack) }.count == 24_000)
        #expect(try store.verify().faults == [])
    }
}
