import LegacyMigration

extension ExportLocation {
    /// What the beginning of the export says, and its name where that says too little. A store of Core Data is a SQLite
    /// database here: what it is besides, its tables say.
    ///
    /// Encrypted files say nothing, and of a damaged one the beginning may be damaged: the options tell, or the name.
    func formatByContent() throws -> String {
        let prefix = try LegacyFormat.prefix(of: path, byteCount: Self.prefixByteCount)
        if isRealm(prefix) || keyFile != nil || salvages { return RealmLibrarySource.kind }
        try LegacyFormat.refuseForeign(path)
        if SQLiteDatabaseSource.canRead(prefix: prefix) { return SQLiteDatabaseSource.kind }
        // A property list in its binary form is told by the source that it has to be exported otherwise.
        if ITunesLibrarySource.canRead(prefix: prefix) || prefix.starts(with: "bplist".utf8) {
            return ITunesLibrarySource.kind
        }
        let name = path.split(separator: "/").last.map(String.init)
        if TrackListSource.canRead(prefix: prefix) { return TrackListSource.kind }
        if let format = TextFormat.detect(prefix: prefix, fileName: name) { return format.rawValue }
        if isNamedRealm { return RealmLibrarySource.kind }
        switch Self.firstCharacter(of: prefix) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): throw unknownJSON
        // A property list in another encoding says itself what is wrong with it.
        case nil, UInt8(ascii: "<"): return ITunesLibrarySource.kind
        default:
            guard prefix.starts(with: [0xFE, 0xFF]) || prefix.starts(with: [0xFF, 0xFE]) else {
                throw try LegacyFormat.mayBeEncrypted(path) ? encrypted : unknownFormat
            }
            return ITunesLibrarySource.kind
        }
    }

    /// What `TextFormat` looks at.
    private static let prefixByteCount = 1 << 16

    private func isRealm(_ prefix: [UInt8]) -> Bool {
        RealmLibrarySource.canRead(prefix: prefix)
    }

    private var isNamedRealm: Bool { path.lowercased().hasSuffix(".realm") }

    private static func firstCharacter(of prefix: [UInt8]) -> UInt8? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return prefix.dropFirst(prefix.starts(with: mark) ? mark.count : 0)
            .first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    }

    private var unknownJSON: CommandFailure {
        CommandFailure(
            .badData,
            "The export \"\(DisplayWidth.visible(path))\" is JSON, but neither an array of objects nor an object on"
                + " each line.",
            advice:
                "Take out the array that has the rows, for example with `jq .items FILE`, and name the file that comes"
                + " out. --as \(NDJSONSource.kind) reads the whole as one row; --as \(Realm2JSONSource.kind) and"
                + " --as \(RealmStudioJSONSource.kind) read exports of Realm."
        )
    }

    private var encrypted: CommandFailure {
        CommandFailure(
            .badData,
            "The file \"\(DisplayWidth.visible(path))\" begins as no export does, and its size is that of whole pages:"
                + " the file may be an encrypted database.",
            advice:
                "If SQLCipher has encrypted the database, write a plain copy with `sqlcipher_export`, and name the"
                + " copy. If the file is a Realm file, give the key of an encrypted one with --key-file, and read a"
                + " damaged one with --as realm and --salvage."
        )
    }

    private var unknownFormat: CommandFailure {
        CommandFailure(
            .badData,
            "The content of \"\(DisplayWidth.visible(path))\" is that of no export that can be read: \(Self.readable).",
            advice:
                "Name the format: --as \(Self.formats.joined(separator: ", ")). A Realm file that is damaged is read"
                + " with --as realm and --salvage."
        )
    }

    /// What `migrate` reads.
    static let readable =
        "iTunes libraries (XML), .realm files and their JSON, SQLite databases, stores of Core Data and SwiftData, "
        + "CSV, NDJSON, and playlists (M3U, XSPF)"

    private var isTakenForRealm: Bool {
        ((try? format ?? formatByContent()) ?? "") == RealmLibrarySource.kind
    }

    /// Runs what reads the export.
    ///
    /// Of a damaged Realm file it is said that it can be salvaged, of what looks like noise how a key is given.
    func advising<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as LegacyError {
            var failure = error.failure
            guard isTakenForRealm else { throw error }
            switch error.code {
            case .damaged, .truncated, .limitExceeded:
                guard !salvages else { throw error }
                failure.advice += " " + RealmLocation.salvageAdvice
            case .unknownFormat:
                failure.advice +=
                    keyFile == nil ? " The key of an encrypted file goes with --key-file." : ""
            default: throw error
            }
            throw failure
        }
    }
}
