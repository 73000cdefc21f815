import LegacyMigration

/// What the records of an export become.
enum ExportMapping: Equatable, Sendable {
    /// The music library where the export has tracks, otherwise what the export itself says.
    case automatic
    /// The music library.
    case music
    /// Models with the export's own classes and properties.
    case own

    init(_ text: String) throws(CommandFailure) {
        switch text {
        case "music": self = .music
        case "own": self = .own
        default:
            throw CommandFailure(
                .usage,
                "The mapping \"\(DisplayWidth.visible(text))\" is not known.",
                advice: "Use --mapping music, or --mapping own."
            )
        }
    }

    /// - Parameter isMusic: whether the export has tracks.
    func wantsMusic(automatically isMusic: Bool) -> Bool {
        switch self {
        case .automatic: isMusic
        case .music: true
        case .own: false
        }
    }
}

/// An export that a command names by its path, and what the options say of it.
struct ExportLocation: Equatable, Sendable {
    let path: String
    /// The name of a format; nil to tell by the content.
    var format: String?
    /// The file that holds the key of an encrypted export.
    var keyFile: String?
    /// A name that takes the place of the export's own identity.
    var name: String?
    /// What the records become.
    var mapping: ExportMapping = .automatic

    /// The source for the export: what `--as` says, or what its content tells.
    func source() throws -> any LegacySource {
        let key = try keyFile.map(RealmLocation.key)
        switch try format ?? formatByContent() {
        case RealmLibrarySource.kind:
            let music = try RealmLibrarySource(path: path, key: key, name: name)
            return mapping.wantsMusic(automatically: music.isMusicLibrary)
                ? music : try RealmStoreSource(path: path, key: key, name: name)
        case ITunesLibrarySource.kind:
            guard key == nil else {
                throw CommandFailure(
                    .usage,
                    "--key-file is for encrypted exports, and an iTunes library is none.",
                    advice: "Leave it out."
                )
            }
            return try ITunesLibrarySource(path: path, name: name)
        case let other:
            let known = [ITunesLibrarySource.kind, RealmLibrarySource.kind].joined(
                separator: " or "
            )
            throw CommandFailure(
                .usage,
                "The format \"\(DisplayWidth.visible(other))\" is not known.",
                advice: "Use --as \(known), or leave it out and let the content tell."
            )
        }
    }

    /// What the beginning of the export says. Encrypted files say nothing: the key tells.
    private func formatByContent() throws -> String {
        let prefix = try LegacyFormat.prefix(of: path)
        if RealmLibrarySource.canRead(prefix: prefix) { return RealmLibrarySource.kind }
        if keyFile != nil { return RealmLibrarySource.kind }
        return ITunesLibrarySource.kind
    }
}
