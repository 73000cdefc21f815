/// A playlist as it will be handed on.
struct LibraryPlaylist {
    let key: String
    var parent: String?
    let name: String
    let isFolder: Bool
    let entries: LegacyReferences
}

/// Holds playlists back until their parents have been handed on. Apple writes folders before what
/// is in them, so that mostly nothing waits.
struct PlaylistOrder {
    /// The entries of all that wait, for a limit on memory.
    private(set) var waitingEntryCount = 0
    private var emitted: Set<String> = []
    /// What waits, by the key of the parent, each in the order of the file.
    private var waiting: [String: [LibraryPlaylist]] = [:]
    /// The parent that each waiting playlist waits for, in the order of the file.
    private var waitingKeys: [(key: String, parent: String)] = []

    /// Hands `playlist` on, and after it what waited for it; or keeps it.
    mutating func add(
        _ playlist: LibraryPlaylist,
        _ emit: (LibraryPlaylist) throws -> Void
    ) throws {
        if let parent = playlist.parent, !emitted.contains(parent) {
            waiting[parent, default: []].append(playlist)
            waitingKeys.append((playlist.key, parent))
            waitingEntryCount += playlist.entries.count
            return
        }
        // Not recursive: a chain of folders may be as long as the file.
        var ready = [playlist]
        while let next = ready.popLast() {
            try emit(next)
            emitted.insert(next.key)
            guard !waiting.isEmpty, let children = waiting.removeValue(forKey: next.key) else {
                continue
            }
            for child in children { waitingEntryCount -= child.entries.count }
            ready.append(contentsOf: children.reversed())
        }
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
        let parents = Dictionary(waitingKeys.map { ($0.key, $0.parent) }) { first, _ in first }
        for (_, parent) in waitingKeys where parents[parent] == nil {
            for child in waiting.removeValue(forKey: parent) ?? [] {
                try release(child, isCycle: false, orphan, emit)
            }
        }
        let places = Dictionary(waitingKeys.enumerated().map { ($1.key, $0) }) { first, _ in first }
        for (key, _) in waitingKeys where !emitted.contains(key) {
            let cycle = Self.cycle(reachedFrom: key, by: parents)
            guard let first = cycle.min(by: { places[$0, default: 0] < places[$1, default: 0] }),
                let parent = parents[first],
                let index = waiting[parent]?.firstIndex(where: { $0.key == first }),
                let playlist = waiting[parent]?.remove(at: index)
            else { continue }
            try release(playlist, isCycle: true, orphan, emit)
        }
    }

    private mutating func release(
        _ playlist: LibraryPlaylist,
        isCycle: Bool,
        _ orphan: (LibraryPlaylist, Bool) throws -> Void,
        _ emit: (LibraryPlaylist) throws -> Void
    ) throws {
        waitingEntryCount -= playlist.entries.count
        try orphan(playlist, isCycle)
        var playlist = playlist
        playlist.parent = nil
        try add(playlist, emit)
    }

    /// The playlists that one meets for ever when one goes from `key` to its parent, and so on.
    private static func cycle(reachedFrom key: String, by parents: [String: String]) -> [String] {
        var path: [String] = []
        var places: [String: Int] = [:]
        var next = key
        while places[next] == nil {
            places[next] = path.count
            path.append(next)
            guard let parent = parents[next] else { return [] }
            next = parent
        }
        return Array(path[(places[next] ?? 0)...])
    }
}
