import Foundation
import Reprise

/// Reprise through its public API and nothing else.
final class RepriseEngine: TrackEngine {
    static let participant = Participant.reprise

    let store: Store

    init(in directory: URL) throws {
        store = try Store.open(
            at: directory.appending(path: "tracks.reprise").path,
            schema: Schema(Track.self)
        )
    }

    func close() {
        store.close()
    }

    func insert(_ tracks: [Track]) throws {
        try store.write { transaction in
            for track in tracks { try transaction.insert(track) }
        }
    }

    func insertConcurrently(_ track: Track) async throws {
        try await store.write { transaction in try transaction.insert(track) }
    }

    func load(_ nextBatch: () -> [Track]?) throws {
        try store.bulkLoad { loader in
            while let tracks = nextBatch() {
                try loader.batch { transaction in
                    for track in tracks { try transaction.insert(track) }
                }
            }
        }
    }

    func readTogether(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws {
        try store.read { transaction in
            for id in ids {
                guard let track = try transaction.fetch(Track.self, id: id) else {
                    throw BenchmarkError.missing(id)
                }
                use(track)
            }
        }
    }

    func readSeparately(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws {
        for id in ids {
            guard let track = try store.fetch(Track.self, id: id) else {
                throw BenchmarkError.missing(id)
            }
            use(track)
        }
    }

    func tracks(ofGenre genre: String, longerThan duration: Double) throws -> [Track] {
        try store.fetch(
            FetchDescriptor<Track>().where { $0.genre == genre && $0.duration > duration }
        )
    }

    func firstByReleaseDate(_ count: Int) throws -> [Track] {
        try store.fetch(FetchDescriptor<Track>().sorted(by: \.releaseDate).limit(count))
    }

    func tracks(withTitleContaining part: String) throws -> [Track] {
        try store.fetch(FetchDescriptor<Track>().where { $0.title.contains(part) })
    }

    func durationByGenre() throws -> [String: Double]? {
        let sums = try store.group(FetchDescriptor<Track>(), by: \.genre, .sum(\.duration))
        return Dictionary(uniqueKeysWithValues: sums.map { ($0.0, $0.1) })
    }

    func count() throws -> Int {
        try store.count(FetchDescriptor<Track>())
    }

    func settle() {}
}
