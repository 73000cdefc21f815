import ExportFormats
import LegacyRecords

/// Turns the events of a property list into the records of a music library: which dictionary of the
/// file one is in, and what its end means.
final class LibraryReader: PropertyListHandler {
    enum Pass {
        case tracksAndPlaylists
        /// Again, for a file whose playlists come before its tracks.
        case playlists
    }

    /// Where in the library the open container is.
    private enum Place {
        case root, tracks, track, playlists, playlist, items, item
    }

    let source: ITunesLibrarySource
    let report: LibraryReport
    private var places: [Place] = []
    private var currentPass = Pass.tracksAndPlaylists
    private var hasTracks = false
    private var hasPlaylists = false
    private(set) var mustReadPlaylistsAgain = false

    private let tracks: TrackBuilder
    private let playlists: PlaylistBuilder
    private var contentHash: ContentHash?

    init(
        _ source: ITunesLibrarySource,
        consume: @escaping (LegacyEvent) throws -> Void
    ) {
        self.source = source
        report = LibraryReport(consume)
        let memory = RecordMemory()
        tracks = TrackBuilder(source.identity, report, memory)
        playlists = PlaylistBuilder(
            source.identity,
            report,
            tracks: tracks,
            takesBuiltIn: source.takesBuiltInPlaylists,
            memory
        )
    }

    /// Reads the file once.
    func pass(_ pass: Pass) throws {
        currentPass = pass
        let input = try FileInput(path: source.path, stamp: source.stamp)
        let stream = CheckedStream(input)
        let before = pass == .playlists ? source.byteCount : 0
        input.onProgress = { [self] bytesRead in
            let passCount: UInt64 = mustReadPlaylistsAgain ? 2 : 1
            let progress = LegacyProgress(
                bytesRead: before + bytesRead,
                byteCount: passCount * source.byteCount
            )
            try report.consume(.progress(progress))
        }
        if pass == .tracksAndPlaylists { stream.onReplacement = report.warnOfReplacement }
        if pass == .tracksAndPlaylists, source.lacksLibraryID {
            try report.warn(.missingLibraryID) {
                "The export does not say which library it is; \(source.identity.name) stands in."
            }
        }
        try PropertyListReader(stream).read(self)
        guard hasTracks else { throw Self.notALibrary }
        try input.checkUnchanged()
        if pass == .tracksAndPlaylists { contentHash = input.contentHash }
    }

    /// Hands on what waited for the end of the file; the last thing to call.
    func finish() throws -> LegacyReading {
        try playlists.finish()
        var reading = report.reading
        reading.byteCount = source.byteCount
        if let contentHash { reading.contentHash = contentHash }
        return reading
    }

    func open(_ container: PropertyListContainer, key: String) throws -> Bool {
        guard let next = try place(of: container, key: key) else {
            switch places.last {
            case .track: try tracks.leaveOutContainer(key)
            case .playlist: playlists.leaveOut(key)
            default: break
            }
            return false
        }
        switch next {
        case .track: tracks.begin(number: key)
        case .playlist: playlists.begin()
        case .item: playlists.beginItem()
        case .root, .tracks, .playlists, .items: break
        }
        places.append(next)
        return true
    }

    func close() throws {
        switch places.removeLast() {
        case .track: try tracks.end()
        case .playlist: try playlists.end()
        case .item: try playlists.endItem()
        case .root, .tracks, .playlists, .items: break
        }
    }

    func scalar(_ scalar: PropertyListScalar, key: String) throws {
        switch places.last {
        case .track: try tracks.set(key, to: scalar)
        case .playlist: try playlists.set(key, to: scalar)
        case .item: playlists.setItem(key, to: scalar)
        case .items: playlists.addMalformedItem()
        case nil: throw Self.notALibrary
        case .root:
            if key == "Tracks" || key == "Playlists" { throw Self.notALibrary }
        case .tracks, .playlists: break
        }
    }

    /// What a container is, or nil when it is of no interest.
    private func place(of container: PropertyListContainer, key: String) throws -> Place? {
        switch (places.last, container) {
        case (nil, .dictionary): return .root
        case (nil, .array): throw Self.notALibrary
        case (.root, _) where key == "Tracks":
            guard container == .dictionary else { throw Self.notALibrary }
            guard currentPass == .tracksAndPlaylists else { return nil }
            guard !hasTracks else { throw Self.repeated(key) }
            hasTracks = true
            return .tracks
        case (.root, _) where key == "Playlists":
            guard container == .array else { throw Self.notALibrary }
            if currentPass == .tracksAndPlaylists {
                guard !hasPlaylists else { throw Self.repeated(key) }
                hasPlaylists = true
                mustReadPlaylistsAgain = !hasTracks
                guard hasTracks else { return nil }
            }
            return .playlists
        case (.tracks, .dictionary): return .track
        case (.playlists, .dictionary): return .playlist
        case (.playlist, .array): return key == "Playlist Items" ? .items : nil
        case (.items, .dictionary): return .item
        case (.items, .array):
            playlists.addMalformedItem()
            return nil
        default: return nil
        }
    }

    static var notALibrary: LegacyError {
        LegacyError(
            .notALibrary,
            "The file is a property list, but no music library.",
            advice:
                "Choose the XML file that Music or iTunes exports (File, Library, Export Library)."
        )
    }

    private static func repeated(_ key: String) -> LegacyError {
        LegacyError(
            .malformed,
            "The file holds its \(key) twice.",
            advice: "It was damaged or edited: export the library again."
        )
    }
}
