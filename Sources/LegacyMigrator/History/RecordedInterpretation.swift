import LegacyRecords
import Reprise

/// What the log says of how the exports of one source were understood: the annotations `migration.understood`
/// (Specs/format/migration.md).
struct RecordedInterpretation {
    static let name = "migration.understood"
    /// A choice of more bytes has no place in an annotation.
    private static let choiceByteCountMax = 256 << 10

    /// How a newer export is to be understood: as those before the migration that is not finished, and for what they
    /// did not have, as that.
    private(set) var earlier = SourceInterpretation()
    /// What was written last of each choice.
    private var latest = SourceInterpretation()
    /// Where the last annotation of the source is, be it left behind by a rollback.
    private var last: Position?

    /// Nothing.
    init() {}

    /// Reads what migrations of a source have written. What a rollback took back counts no more (HIS-46).
    ///
    /// - Parameter unfinished: the migration that has not come to its end, if there is one.
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    /// - Complexity: O(choices in all annotations).
    init(of key: String, unfinished: String?, in state: borrowing ReadTransaction) throws {
        let chain = AnnotationChain(name: Self.name, key: key)
        var next = try state.annotation(name: Self.name, key: key)
        if next == nil { return }
        last = next?.position
        let live = try state.liveRanges()
        var unfinishedChoices = SourceInterpretation()
        while let annotation = next {
            let payload = try MigrationLog.decode(Payload.self, annotation)
            if live.contains(where: { $0.contains(annotation.position) }) {
                let choices = SourceInterpretation(payload.choices)
                latest.add(choices)
                if payload.migration == unfinished {
                    unfinishedChoices.add(choices)
                } else {
                    earlier.add(choices)
                }
            }
            next = try chain.annotation(before: annotation, at: payload.before, of: state)
        }
        earlier.add(unfinishedChoices)
    }

    /// Whether somebody has chosen something that the log does not have.
    func lacksAsked(of interpretation: SourceInterpretation) -> Bool {
        let changes = interpretation.changes(since: latest)
        return interpretation.asked.contains { changes[$0] != nil }
    }

    /// Notes of what the log does not have yet.
    ///
    /// - Parameter first: the position of the first of them.
    func notes(
        _ interpretation: SourceInterpretation,
        of migration: MigrationRecord,
        from first: Position
    ) -> [CommitNote] {
        var entries = AnnotationEntries()
        for words in unwritten(interpretation) { entries.append(words, to: "choices") }
        var before = last
        return entries.payloads.enumerated().map { place, lists in
            var json = JSONText()
            json.member("migration", migration.id)
            if let before { json.member("before", before.rawValue) }
            json.member("choices", entries: lists["choices"] ?? [])
            before = Position(rawValue: first.rawValue + UInt64(place))
            return CommitNote(name: Self.name, key: migration.source, payload: json.bytes)
        }
    }

    /// The entries, as JSON, of what the log does not have and has room for, by what they were chosen for.
    private func unwritten(_ interpretation: SourceInterpretation) -> [[String]] {
        interpretation.changes(since: latest).choices
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { subject, choice in ([subject] + choice).map(JSONText.quoted) }
            .filter { words in words.reduce(0) { $0 + $1.utf8.count } <= Self.choiceByteCountMax }
    }

    private struct Payload: Decodable {
        var migration: String
        var before: UInt64?
        /// Each with what it was chosen for before it.
        var choices: [[String]]
    }
}

extension SourceInterpretation {
    fileprivate init(_ entries: [[String]]) {
        self.init()
        for entry in entries where !entry.isEmpty { self[entry[0]] = Array(entry.dropFirst()) }
    }
}
