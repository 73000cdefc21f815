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
        guard var next = try state.annotation(name: Self.name, key: key) else { return }
        last = next.position
        let live = try state.liveRanges()
        var unfinishedChoices = SourceInterpretation()
        while true {
            let payload = try MigrationLog.decode(Payload.self, next)
            if live.contains(where: { $0.contains(next.position) }) {
                let choices = SourceInterpretation(payload.choices)
                latest.add(choices)
                if payload.migration == unfinished {
                    unfinishedChoices.add(choices)
                } else {
                    earlier.add(choices)
                }
            }
            guard let before = payload.before.map(Position.init(rawValue:)) else { break }
            guard before < next.position, let annotation = try state.event(at: before)?.annotation,
                annotation.name == Self.name, annotation.key.utf8.elementsEqual(key.utf8)
            else { throw MigrationLog.unreadable(key) }
            next = annotation
        }
        earlier.add(unfinishedChoices)
    }

    /// Whether an export has decided something that the log does not have.
    func lacks(_ interpretation: SourceInterpretation) -> Bool {
        !interpretation.changes(since: latest).choices.isEmpty
    }

    /// Writes what the log does not have yet.
    func write(
        _ interpretation: SourceInterpretation,
        of migration: MigrationRecord,
        _ transaction: inout WriteTransaction
    ) throws {
        var entries = AnnotationEntries()
        let changes = interpretation.changes(since: latest).choices
        for (subject, choice) in changes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let words = ([subject] + choice).map(JSONText.quoted)
            guard words.reduce(0, { $0 + $1.utf8.count }) <= Self.choiceByteCountMax else { continue }
            entries.append(words, to: "choices")
        }
        var before = last
        for lists in entries.payloads {
            var json = JSONText()
            json.member("migration", migration.id)
            if let before { json.member("before", before.rawValue) }
            json.member("choices", entries: lists["choices"] ?? [])
            before = try transaction.annotate(name: Self.name, key: migration.source, payload: json.bytes)
        }
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
