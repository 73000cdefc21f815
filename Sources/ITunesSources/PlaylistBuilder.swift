import ExportFormats
import LegacyRecords

/// Gathers a playlist's dictionary, and hands on its record when its parent's record has been.
final class PlaylistBuilder {
    /// A playlist of more entries than this is refused: 128 MiB.
    static let entryCountMax = 1 << 24

    /// The kinds of lists (`Distinguished Kind`) that hold all that the library has of a sort: films (2), television
    /// (3), music (4), audiobooks (5), podcasts (10) and lectures (31). What others hold is nowhere else: purchases
    /// (19), the smart lists that iTunes comes with (200 to 206), and kinds that are not known.
    private static let kindsOfAll: Set<Int64> = [2, 3, 4, 5, 10, 31]

    private struct Draft {
        var name: String?
        var persistentID: String?
        var parent: String?
        var isMaster = false
        var isFolder = false
        /// Whether it has rules by which iTunes fills it.
        var isSmart = false
        /// Whether it is one of the lists that iTunes makes by itself.
        var isBuiltIn = false
        /// Which of them.
        var kind: Int64?
        /// Keys with values for which there is no field.
        var unmapped: Set<String> = []
        var trackIDs: [Int64] = []
        var malformedCount = 0

        /// Whether its members follow from the tracks alone.
        var holdsAll: Bool { isMaster || !isSmart && kind.map(PlaylistBuilder.kindsOfAll.contains) == true }

        var description: String { "Playlist \(LibraryReport.quoted(name ?? ""))" }
    }

    private let identity: SourceIdentity
    private let report: LibraryReport
    private let tracks: TrackBuilder
    /// Whether those come as well that iTunes fills by itself with a choice of the tracks.
    private let takesBuiltIn: Bool
    private var draft = Draft()
    private var unmapped = UnmappedKeys.ofPlaylists
    private var itemTrackID: Int64?
    private let registry: KeyRegistry
    private var order: PlaylistOrder

    init(
        _ identity: SourceIdentity,
        _ report: LibraryReport,
        tracks: TrackBuilder,
        takesBuiltIn: Bool,
        _ memory: RecordMemory
    ) {
        self.takesBuiltIn = takesBuiltIn
        self.identity = identity
        self.report = report
        self.tracks = tracks
        registry = KeyRegistry(in: memory)
        order = PlaylistOrder(in: memory)
    }

    func begin() {
        let room = draft.trackIDs.capacity <= 1 << 16 ? draft.trackIDs : []
        draft = Draft()
        draft.trackIDs = room
        draft.trackIDs.removeAll(keepingCapacity: true)
    }

    func set(_ key: String, to scalar: PropertyListScalar) throws {
        switch key {
        case "Name": draft.name = scalar.string
        case "Playlist Persistent ID": draft.persistentID = scalar.string
        case "Parent Persistent ID": draft.parent = scalar.string
        case "Folder": draft.isFolder = scalar.bool ?? false
        case "Master": draft.isMaster = draft.isMaster || scalar.bool == true
        case "Distinguished Kind":
            draft.isBuiltIn = true
            draft.kind = scalar.kind == .integer ? scalar.integer : nil
        default: if !scalar.isEmpty { leaveOut(key) }
        }
    }

    /// Takes note of a value for which there is no field. Whether the list is one of those that iTunes makes by itself,
    /// of which nothing is taken, may be said only later.
    func leaveOut(_ key: String) {
        if key == "Smart Criteria" || key == "Smart Info" { draft.isSmart = true }
        if draft.unmapped.count < UnmappedKeys.keyCountMax { draft.unmapped.insert(key) }
    }

    func beginItem() { itemTrackID = nil }

    func setItem(_ key: String, to scalar: PropertyListScalar) {
        if key == "Track ID", scalar.kind == .integer { itemTrackID = scalar.integer }
    }

    func endItem() throws {
        guard let trackID = itemTrackID else { return addMalformedItem() }
        // The entries of these are never handed on, and the master list is the longest of all. Of others the rules that
        // make them smart lists may come only later.
        guard !draft.isMaster, !draft.isFolder else { return }
        guard draft.trackIDs.count < Self.entryCountMax else {
            throw LegacyError(
                .limitExceeded,
                "\(draft.description) has more than \(Self.entryCountMax) entries.",
                advice: "Export the library again; do not trust this file."
            )
        }
        draft.trackIDs.append(trackID)
    }

    func addMalformedItem() { draft.malformedCount += 1 }

    func end() throws {
        if draft.holdsAll { return try skip() }
        if draft.isBuiltIn, !takesBuiltIn {
            // So that the keys of others are the same where it is taken.
            _ = try registry.claim(proposedKey)
            return try skip()
        }
        for key in draft.unmapped.sorted() { try unmapped.note(key, report) }
        if draft.name == nil {
            try report.warn(.missingName) { "A playlist has no name; its name is empty." }
        }
        let key = try claimKey()
        let playlist = LibraryPlaylist(
            key: key,
            parent: draft.parent.flatMap { $0.isEmpty ? nil : $0 },
            name: draft.name ?? "",
            isFolder: draft.isFolder,
            entries: try entries()
        )
        try order.add(playlist, emit)
    }

    private func skip() throws {
        report.skip("playlist")
        let entryCount = draft.trackIDs.count + draft.malformedCount
        if draft.holdsAll || entryCount == 0 && !draft.isFolder {
            try report.warn(.builtInPlaylist) {
                let what = draft.holdsAll ? "all that the library has of a sort" : "nothing"
                return "\(draft.description) is filled by iTunes with \(what); it was left out."
            }
        } else {
            try report.warn(.leftOutPlaylist) {
                let what = draft.isFolder ? "lists" : "a choice of the tracks (entries: \(entryCount))"
                return "\(draft.description) is filled by iTunes with \(what); it was left out."
            }
        }
    }

    /// Hands on the playlists whose parents never came.
    func finish() throws {
        try order.finish { playlist, isCycle in
            try report.warn(isCycle ? .parentCycle : .missingParent) {
                let reason = isCycle ? "is inside itself" : "is none of the lists that are taken over"
                return "Playlist \(LibraryReport.quoted(playlist.name)): its parent \(reason) "
                    + "and was left out."
            }
        } emit: {
            try emit($0)
        }
    }

    private func emit(_ playlist: LibraryPlaylist) throws {
        var fields = [
            LegacyField("name", .string(playlist.name)),
            LegacyField("isFolder", .bool(playlist.isFolder)),
        ]
        if let parent = playlist.parent { fields.append(LegacyField("parent", .reference(parent))) }
        fields.append(LegacyField("tracks", .references(playlist.entries)))
        try report.emit(LegacyRecord(className: "playlist", key: playlist.key, fields: fields))
    }

    private func entries() throws -> LegacyReferences {
        var entries = LegacyReferences()
        guard !draft.isFolder else { return entries }
        for trackID in draft.trackIDs {
            if let key = try tracks.key(ofTrackID: trackID) {
                try entries.append(key)
            } else {
                try report.warn(.missingTrack) {
                    "\(draft.description) names the track \(trackID), which does not exist."
                }
            }
        }
        for _ in 0..<draft.malformedCount {
            try report.warn(.malformedEntry) {
                "\(draft.description) has an entry without a track."
            }
        }
        return entries
    }

    private var hasOwnKey: Bool { draft.persistentID.map(KeyRegistry.isUsable) ?? false }

    /// Its own key, or one made of its name.
    private var proposedKey: RecordKey {
        if hasOwnKey, let persistentID = draft.persistentID { return RecordKey(persistentID) }
        return .odd(ContentKey(["reprise playlist", identity.kind, identity.name, draft.name]).text)
    }

    private func claimKey() throws -> String {
        let proposed = proposedKey
        if !hasOwnKey {
            try report.warn(.missingKey) {
                "\(draft.description) has no Playlist Persistent ID; it gets \(proposed.text)."
            }
        }
        let (key, isRepeated) = try registry.claim(proposed)
        if isRepeated {
            try report.warn(.duplicateKey) {
                "\(draft.description) repeats the key \(proposed.text); it gets \(key.text)."
            }
        }
        return key.text
    }
}
