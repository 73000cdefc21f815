import MusicLibrary
import Reprise

/// Compares an export with a store and writes nothing.
final class MigrationComparison {
    let pass: MigrationPass
    private let store: Store
    private var records: [LegacyRecord] = []
    /// Enough to make the opening of a read cheap, few enough to keep it short.
    private static let recordCountPerRead = 512

    init(_ pass: MigrationPass, in store: Store) {
        self.pass = pass
        self.store = store
    }

    /// Whether a difference has been found.
    var hasFound: Bool { pass.writtenCount > 0 }

    func consume(_ record: LegacyRecord) throws {
        records.append(record)
        if records.count >= Self.recordCountPerRead { try compare() }
    }

    /// Compares what is left, the orders, and what the export lacks.
    func finish() throws {
        try compare()
        guard pass.isRerun else { return }
        try compareOrders(Album.tracks, pass.albumOrder.grouped())
        try compareOrders(Playlist.children, pass.folderOrder.grouped())
        try countMissing(Playlist.self, holding: Playlist.children)
        try countMissing(Track.self)
        try countMissing(Album.self, holding: Album.tracks)
    }

    private func compare() throws {
        try store.read { state in
            for record in records { try compare(record, in: state) }
        }
        records.removeAll(keepingCapacity: true)
    }

    private func compare(_ record: LegacyRecord, in state: borrowing ReadTransaction) throws {
        switch record.className {
        case Track.schema.name:
            var track = try pass.row(Track.self, record, in: state)
            track.album = track.album.map {
                Album.ID(pass.storedIdentifier(Album.schema.name, $0.rawValue))
            }
            count(Track.schema.name, try pass.standing(of: &track, in: state))
            pass.place(track)
        case Album.schema.name:
            var album = try pass.row(Album.self, record, in: state)
            count(Album.schema.name, try pass.standing(of: &album, in: state))
        case Playlist.schema.name:
            var playlist = try pass.row(Playlist.self, record, in: state)
            playlist.parent = playlist.parent.map {
                Playlist.ID(pass.storedIdentifier(Playlist.schema.name, $0.rawValue))
            }
            if let parent = playlist.parent { pass.place(playlist.id, in: parent) }
            var standing = try pass.standing(of: &playlist, in: state)
            if case .same = standing, try !hasWantedEntries(playlist.id, record, in: state) {
                standing = .different(
                    isChangedHere: try pass.isChangedHere(playlist.id, in: state)
                )
            }
            count(Playlist.schema.name, standing)
        default:
            pass.warn(.unknownClass, "A music library has no \(record.className); it was left out.")
        }
    }

    private func count(_ model: String, _ standing: MigrationPass.Standing) {
        switch standing {
        case .absent: pass.count(model) { $0.inserted += 1 }
        case .same: pass.count(model) { $0.unchanged += 1 }
        case .different(let isChangedHere):
            pass.count(model) { $0.updated += 1 }
            if isChangedHere {
                pass.warn(
                    .localChangeOverwritten,
                    "A \(model) was changed here since the last migration; it would be overwritten."
                )
            }
        }
    }

    private func hasWantedEntries(
        _ playlist: Playlist.ID,
        _ record: LegacyRecord,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        var wanted: [String] = []
        if case .references(let references) = record["tracks"] {
            wanted = references.map { pass.storedIdentifier(Track.schema.name, $0) }
        }
        let present = try state.entries(Playlist.tracks, of: playlist)
        let difference = ListDifference(from: present.map(\.target.rawValue), to: wanted)
        let isInPlace = difference.steps.allSatisfy { if case .stay = $0 { true } else { false } }
        return isInPlace
            && difference.surplus.allSatisfy {
                !pass.isOurs(Position(rawValue: present[$0].id.serial))
            }
    }

    /// A list that lacks only members at its end needs no ordering once they are there.
    private func compareOrders<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        _ lists: WantedLists
    ) throws {
        try store.read { state in
            for index in 0..<lists.count {
                let wanted = lists.members(at: index)
                let names = Set(wanted.map(ListMember.init))
                let present = try state.entries(
                    relationship,
                    of: Owner.ID(lists.owner(at: index))
                )
                .filter { names.contains(ListMember($0.target.rawValue)) }
                if !zip(present, wanted).allSatisfy({ $0.target == Target.ID($1) }) {
                    pass.count(Owner.schema.name) {
                        $0.updated += 1
                        $0.unchanged = max(0, $0.unchanged - 1)
                    }
                }
            }
        }
    }

    private func countMissing<M: Model>(_ type: M.Type) throws {
        let count = try pass.missing(type, from: store).count
        pass.count(M.schema.name) { $0.deleted += count }
    }

    /// Counts the rows that would be deleted: those that hold only others that would be, too.
    private func countMissing<M: Model, Member: Model>(
        _ type: M.Type,
        holding list: Relationship<M, Member>
    ) throws {
        var left = try pass.missing(type, from: store)
        let members = Set(try pass.missing(Member.self, from: store, warns: false))
        var gone: Set<Member.ID> = M.self == Member.self ? [] : members
        try store.read { state in
            while true {
                var kept: [M.ID] = []
                for id in left {
                    let entries = try state.entries(list, of: id)
                    if entries.allSatisfy({ gone.contains($0.target) }) {
                        pass.count(M.schema.name) { $0.deleted += 1 }
                        if M.self == Member.self { gone.insert(Member.ID(id.rawValue)) }
                    } else {
                        kept.append(id)
                    }
                }
                if kept.count == left.count { break }
                left = kept
            }
        }
        for id in left { pass.warnInUse(id) }
    }
}
