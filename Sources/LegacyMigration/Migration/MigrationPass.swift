import MusicLibrary
import Reprise

/// What one pass over an export knows and has found, whether it writes or only compares.
final class MigrationPass {
    let source: SourceIdentity
    /// What migrations of this source have written.
    var owned: PositionRanges
    /// What migrations of other sources have written.
    let foreign: PositionRanges
    /// Whether the source's rows may be in the store already.
    let isRerun: Bool
    /// The first position of the batch that is being written: from there on everything is ours.
    var batchStart = UInt64.max

    private(set) var counts: [String: MigrationCounts]
    private(set) var warnings: [LegacyWarning] = []
    private var tally = WarningTally()

    /// The models that had rows when the pass began; of the others nothing has to be looked up.
    private let populated: Set<String>
    private var seen: [String: KeySet] = [:]
    private var renamed: [String: KeySet] = [:]
    /// What follows an identifier that another source has taken.
    private let suffix: String
    private(set) var albumOrder = WantedOrders()
    private(set) var folderOrder = WantedOrders()

    static let models = [Track.schema.name, Album.schema.name, Playlist.schema.name]

    init(_ source: SourceIdentity, _ history: SourceHistory, in store: Store) throws {
        self.source = source
        owned = history.owned
        foreign = history.foreign
        isRerun = !history.owned.isEmpty
        populated = try store.read { Set($0.counts.lazy.filter { $0.count > 0 }.map(\.model)) }
        counts = Dictionary(uniqueKeysWithValues: Self.models.map { ($0, MigrationCounts()) })
        suffix = "-" + ContentKey(["reprise source", source.kind, source.name]).text.prefix(8)
    }

    // MARK: Counting

    func count(_ model: String, _ change: (inout MigrationCounts) -> Void) {
        change(&counts[model, default: MigrationCounts()])
    }

    func warn(_ kind: LegacyWarning.Kind, _ message: @autoclosure () -> String) {
        guard tally.count(kind) else { return }
        warnings.append(LegacyWarning(kind: kind, message: message()))
    }

    /// A warning of the source, which counts its own.
    func note(_ warning: LegacyWarning) {
        warnings.append(warning)
    }

    /// The source's warnings and those of the pass.
    func warningCounts(_ reading: LegacyReading) -> [LegacyWarning.Kind: Int] {
        reading.warningCounts.merging(tally.counts) { $0 + $1 }
    }

    /// How many records were written so far.
    var writtenCount: Int { counts.values.reduce(0) { $0 + $1.written + $1.deleted } }
    var readCount: Int { counts.values.reduce(0) { $0 + $1.read } }

    // MARK: Records

    /// The row that a record becomes, with the identifiers that it and its references have in the
    /// store.
    func row<M: MigratedModel, State: StateReading & ~Copyable>(
        _ type: M.Type,
        _ record: LegacyRecord,
        in state: borrowing State
    ) throws -> M {
        let model = M.schema.name
        count(model) { $0.read += 1 }
        let id = try storedIdentifier(type, record.key, in: state)
        if isRerun { seen[model, default: KeySet()].insert(id) }
        return M(record, id: id) { field in
            let kind: LegacyWarning.Kind = .unexpectedType
            warn(kind, "The \(field) of \(model) \(LibraryReport.quoted(id)) was left out.")
        }
    }

    /// What the store has of a row.
    enum Standing {
        case absent
        case same
        /// The row differs, and has been changed by somebody else since the last migration or not.
        case different(isChangedHere: Bool)
    }

    /// Compares a row with the store; `wanted` takes over what no export says.
    func standing<M: MigratedModel, State: StateReading & ~Copyable>(
        of wanted: inout M,
        in state: borrowing State
    ) throws -> Standing {
        guard mayHold(M.schema.name), let stored = try state.fetch(M.self, id: wanted.id) else {
            return .absent
        }
        wanted.keep(from: stored)
        if wanted.isSame(as: stored) { return .same }
        return .different(isChangedHere: try isChangedHere(wanted.id, in: state))
    }

    /// Whether the last event of a row is somebody else's.
    func isChangedHere<M: Model, State: StateReading & ~Copyable>(
        _ id: Identifier<M>,
        in state: borrowing State
    ) throws -> Bool {
        guard let revision = try state.revision(of: id) else { return false }
        return !isOurs(revision.position)
    }

    /// Whether an event is this source's.
    func isOurs(_ position: Position) -> Bool {
        position.rawValue >= batchStart || owned.contains(position)
    }

    /// Whether the export has a record that became this row.
    func hasSeen(_ model: String, _ id: String) -> Bool {
        seen[model]?.contains(id) ?? false
    }

    /// Whether the store may hold rows of a model that this pass did not insert.
    func mayHold(_ model: String) -> Bool {
        populated.contains(model)
    }

    // MARK: Identifiers

    /// The identifier in the store of a record that came before.
    func storedIdentifier(_ model: String, _ key: String) -> String {
        guard let keys = renamed[model], keys.contains(key) else { return key }
        return key + suffix
    }

    /// The identifier that a record has in the store, or would have.
    func identifier<State: StateReading & ~Copyable>(
        of record: LegacyRecord,
        in state: borrowing State
    ) throws -> String {
        switch record.className {
        case Track.schema.name: try storedIdentifier(Track.self, record.key, in: state)
        case Album.schema.name: try storedIdentifier(Album.self, record.key, in: state)
        case Playlist.schema.name: try storedIdentifier(Playlist.self, record.key, in: state)
        default: record.key
        }
    }

    private func storedIdentifier<M: MigratedModel, State: StateReading & ~Copyable>(
        _ type: M.Type,
        _ key: String,
        in state: borrowing State
    ) throws -> String {
        guard !foreign.isEmpty, let created = try state.created(M.ID(key)),
            foreign.contains(created)
        else { return key }
        renamed[M.schema.name, default: KeySet()].insert(key)
        warn(
            .identifierTaken,
            "Another source's \(M.schema.name) is called \(LibraryReport.quoted(key));"
                + " this one was named \(LibraryReport.quoted(key + suffix))."
        )
        return key + suffix
    }

    // MARK: Orders

    /// Notes the place of a track in its album. Only needed where the store may have another order.
    func place(_ track: Track) {
        guard isRerun, let album = track.album else { return }
        albumOrder.append(track.id.rawValue, to: album.rawValue)
    }

    /// Notes the place of a playlist in its folder.
    func place(_ playlist: Playlist.ID, in folder: Playlist.ID) {
        folderOrder.append(playlist.rawValue, to: folder.rawValue)
    }
}
