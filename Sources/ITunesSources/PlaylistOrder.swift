import ExportFormats
import LegacyRecords

/// A playlist as it will be handed on.
struct LibraryPlaylist {
    let key: String
    var parent: String?
    let name: String
    let isFolder: Bool
    let entries: LegacyReferences

    /// About what it takes while it waits, with what it is found by.
    var byteCount: Int {
        768 + key.heapByteCount + (parent?.heapByteCount ?? 0) + name.heapByteCount
            + entries.byteCount
    }
}

/// Holds playlists back until their parents have been handed on. Apple writes folders before what
/// is in them, so that mostly nothing waits.
struct PlaylistOrder {
    private struct Waiting {
        /// How many had to wait before it.
        let number: Int
        let playlist: LibraryPlaylist
    }

    private static let name = "playlist"

    /// What those that wait may take.
    private let byteCountMax: Int
    private var byteCount = 0
    private let emitted: RememberedKeys
    /// What waits, by the key of the parent, each in the order of the file.
    private var waiting: [RecordKey: [Waiting]] = [:]
    private var waitedCount = 0

    init(in memory: RecordMemory, byteCountMax: Int = 128 << 20) {
        emitted = RememberedKeys(in: memory)
        self.byteCountMax = byteCountMax
    }

    /// Hands `playlist` on, and after it what waited for it; or keeps it.
    ///
    /// - Throws: what `emit` throws, and ``LegacyError``: `limitExceeded` where too much waits, `inputOutput`.
    mutating func add(
        _ playlist: LibraryPlaylist,
        _ emit: (LibraryPlaylist) throws -> Void
    ) throws {
        if let parent = playlist.parent, try !emitted.contains(parent, of: Self.name) {
            return try keep(playlist, until: RecordKey(parent))
        }
        // Not recursive: a chain of folders may be as long as the file.
        var ready = [playlist]
        while let next = ready.popLast() {
            try emit(next)
            try emitted.insert(next.key, of: Self.name)
            guard !waiting.isEmpty,
                let children = waiting.removeValue(forKey: RecordKey(next.key))
            else { continue }
            for child in children.reversed() {
                byteCount -= child.playlist.byteCount
                ready.append(child.playlist)
            }
        }
    }

    private mutating func keep(
        _ playlist: LibraryPlaylist,
        until parent: RecordKey
    ) throws(LegacyError) {
        byteCount += playlist.byteCount
        guard byteCount <= byteCountMax else {
            throw LegacyError(
                .limitExceeded,
                "The playlists that come before the folders that they are in take more than \(byteCountMax) bytes.",
                advice: "Export the library again; do not trust this file."
            )
        }
        waiting[parent, default: []].append(Waiting(number: waitedCount, playlist: playlist))
        waitedCount += 1
    }

    /// Hands on what still waits: first what waits for a parent that does not exist, then what
    /// waits for itself.
    ///
    /// - Parameter orphan: called for each playlist that loses its parent, and whether that was a
    ///   cycle.
    mutating func finish(
        orphan: (LibraryPlaylist, _ isCycle: Bool) throws -> Void,
        emit: (LibraryPlaylist) throws -> Void
    ) throws {
        let left = waiting.flatMap { parent, children in
            children.map { (key: RecordKey($0.playlist.key), parent: parent, number: $0.number) }
        }.sorted { $0.number < $1.number }
        var parents: [RecordKey: (key: RecordKey, number: Int)] = [:]
        for (key, parent, number) in left { parents[key] = (parent, number) }
        for (_, parent, _) in left where parents[parent] == nil {
            for child in waiting.removeValue(forKey: parent) ?? [] {
                try release(child.playlist, isCycle: false, orphan, emit)
            }
        }
        for (key, _, _) in left where try !emitted.contains(key.text, of: Self.name) {
            let cycle = Self.cycle(reachedFrom: key, by: parents)
            guard
                let first = cycle.min(by: {
                    (parents[$0]?.number ?? 0) < (parents[$1]?.number ?? 0)
                }),
                let (parent, number) = parents[first],
                let index = waiting[parent]?.firstIndex(where: { $0.number == number }),
                let child = waiting[parent]?.remove(at: index)
            else { continue }
            try release(child.playlist, isCycle: true, orphan, emit)
        }
    }

    private mutating func release(
        _ playlist: LibraryPlaylist,
        isCycle: Bool,
        _ orphan: (LibraryPlaylist, Bool) throws -> Void,
        _ emit: (LibraryPlaylist) throws -> Void
    ) throws {
        byteCount -= playlist.byteCount
        try orphan(playlist, isCycle)
        var playlist = playlist
        playlist.parent = nil
        try add(playlist, emit)
    }

    /// The playlists that one meets for ever when one goes from `key` to its parent, and so on.
    private static func cycle(
        reachedFrom key: RecordKey,
        by parents: [RecordKey: (key: RecordKey, number: Int)]
    ) -> [RecordKey] {
        var path: [RecordKey] = []
        var places: [RecordKey: Int] = [:]
        var next = key
        while places[next] == nil {
            places[next] = path.count
            path.append(next)
            guard let parent = parents[next]?.key else { return [] }
            next = parent
        }
        return Array(path[(places[next] ?? 0)...])
    }
}
