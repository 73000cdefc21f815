import Foundation
import MusicLibrary
import Reprise
import Testing

@Suite struct MusicLibraryStore {
    let path = NSTemporaryDirectory() + "/music-\(UInt64.random(in: 0 ... .max)).reprise"

    @Test
    func `a library is written, read, deleted with cascade, rolled back, replayed and verified`()
        throws
    {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try Store.open(at: path, schema: MusicLibrary.schema)
        defer { store.close() }
        try store.write { tx in
            for a in 0..<5 {
                try tx.insert(Album(id: Album.ID("a\(a)"), title: "Album \(a)"))
                for t in 0..<12 {
                    try tx.insert(
                        Track(
                            id: Track.ID("t\(a)-\(t)"),
                            title: "Track \(t)",
                            duration: Double(t * 60),
                            genre: t % 2 == 0 ? "Jazz" : "Rock",
                            album: Album.ID("a\(a)")
                        )
                    )
                }
            }
            try tx.insert(Playlist(id: "p", name: "Mix"))
            for t in ["t0-1", "t1-1", "t0-1", "t2-3"] {
                try tx.link(Playlist.tracks, from: "p", to: Track.ID(t))
            }
        }
        let before = try store.createSnapshot(named: "before")
        let jazz = try store.fetch(
            FetchDescriptor<Track>().where { $0.genre == "Jazz" && $0.duration > 200 }.sorted(
                by: \.title
            ).limit(7)
        )
        #expect(jazz.count == 7)
        let album = try store.read { try $0.entries(Album.tracks, of: "a0").map(\.target.rawValue) }
        #expect(album == (0..<12).map { "t0-\($0)" })
        let plan = try store.write { tx in try tx.delete(Album.self, id: "a0") }
        #expect(plan.deleted.count == 13)
        #expect(plan.unlinked.count == 2)
        #expect(
            try store.read { try $0.entries(Playlist.tracks, of: "p").map(\.target.rawValue) } == [
                "t1-1", "t2-3",
            ]
        )
        let mixed = try store.read(asOf: .snapshot("before")) {
            try $0.entries(Playlist.tracks, of: "p")
        }
        #expect(mixed.map(\.target.rawValue) == ["t0-1", "t1-1", "t0-1", "t2-3"])
        #expect(try store.read(asOf: .snapshot("before")) { $0.digest } == before.digest)
        let jazzOnly = FetchDescriptor<Track>().where { $0.genre == "Jazz" }
        #expect(try store.read(asOf: .snapshot("before")) { try $0.count(jazzOnly) } == 30)
        let report = try store.rollback(to: .snapshot("before"))
        #expect(report.digest == before.digest)
        #expect(
            try store.read { try $0.entries(Album.tracks, of: "a0").map(\.target.rawValue) }
                == album
        )
        let replay = try store.replay()
        #expect(replay.digest == before.digest)
        let verification = try store.verify()
        #expect(verification.faults == [])
        #expect(verification.rowCount == 66)
        let other = path + ".other"
        defer { try? FileManager.default.removeItem(atPath: other) }
        #expect(try store.replay(into: other).digest == before.digest)
        try store.rollback(to: .position(Position(rawValue: report.head.rawValue - 1)))
        #expect(try store.count(FetchDescriptor<Album>()) == 4)
        #expect(try store.verify().faults == [])
        try store.bulkLoad { loader in
            for b in 0..<10 {
                try loader.batch { tx in
                    for i in 0..<100 {
                        try tx.insert(Track(id: Track.ID("b\(b)-\(i)"), title: "x"))
                    }
                }
            }
        }
        #expect(try store.count(FetchDescriptor<Track>()) == 1048)
        #expect(try store.verify().faults == [])
    }
}
