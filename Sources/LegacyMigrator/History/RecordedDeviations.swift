import Reprise

/// The annotations that say what a migration left otherwise than its export said it (Specs/format/migration.md).
enum RecordedDeviations {
    static let name = "migration.kept"
    /// How much of them goes into one annotation.
    private static let byteCountMax = 512 << 10

    /// What the last migration of a source noted.
    ///
    /// - Throws: a `StoreError` with the code `newerFormat` or `corrupted`.
    static func read(of migration: MigrationRecord, in state: borrowing ReadTransaction) throws -> Deviations {
        let commit = migration.firstPosition...migration.lastPosition
        var pieces: [[UInt8]] = []
        while let piece = try state.annotation(name: name(pieces.count), key: migration.source),
            commit.contains(piece.position), !piece.payload.isEmpty
        {
            pieces.append(piece.payload)
        }
        return pieces.isEmpty ? Deviations() : try Deviations(decoding: Array(pieces.joined()))
    }

    /// What the annotations of one migration noted.
    static func read(_ annotations: [Annotation]) throws -> Deviations {
        try read(Dictionary(annotations.map { ($0.name, $0.payload) }) { $1 })
    }

    /// What the annotations of one migration noted.
    ///
    /// - Parameter payloads: those of its annotations, by name.
    static func read(_ payloads: [String: [UInt8]]) throws -> Deviations {
        var pieces: [[UInt8]] = []
        while let piece = payloads[name(pieces.count)], !piece.isEmpty { pieces.append(piece) }
        return pieces.isEmpty ? Deviations() : try Deviations(decoding: Array(pieces.joined()))
    }

    /// Whether annotations of the source are in force that note something, be they of a migration that a rollback has
    /// taken back.
    static func isThere(of source: String, in state: borrowing ReadTransaction) throws -> Bool {
        try state.annotation(name: name(0), key: source)?.payload.isEmpty == false
    }

    /// What there is to note: one that is empty ends those before it.
    ///
    /// - Parameter replacesOthers: whether something is noted so far.
    /// - Returns: none where there is nothing to note, and nothing to replace.
    static func notes(
        _ deviations: Deviations,
        replacesOthers: Bool,
        of migration: MigrationRecord
    ) -> [CommitNote] {
        if deviations.isEmpty, !replacesOthers { return [] }
        let bytes = deviations.isEmpty ? [] : deviations.bytes
        var pieces: [[UInt8]] = stride(from: 0, to: bytes.count, by: byteCountMax).map {
            Array(bytes[$0..<min(bytes.count, $0 + byteCountMax)])
        }
        pieces.append([])
        return pieces.enumerated().map { place, piece in
            CommitNote(name: name(place), key: migration.source, payload: piece)
        }
    }

    private static func name(_ place: Int) -> String { place == 0 ? name : "\(name).\(place)" }
}
