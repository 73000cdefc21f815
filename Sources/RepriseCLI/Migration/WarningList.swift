import LegacyMigration

/// What of an export is not in a store as it is there, or needs to be known: by kind, with how often and why.
struct WarningList: Equatable, Sendable {
    /// The warnings of one kind.
    struct Entry: Equatable, Sendable {
        let kind: LegacyWarning.Kind
        let count: Int
        /// The first of them, in the order in which they came: one sentence each.
        let messages: [String]

        /// The kind with how often and what it means: `roundedDate: 3, dates with more digits than …`.
        var headline: String {
            let meaning = kind.meaning.map { ", \($0)" } ?? ""
            return "\(kind.rawValue): \(Quantity.count(count))\(meaning)"
        }

        /// The first few reasons, and how many more there are.
        func reasons(_ shown: Int = WarningList.shownCount) -> [String] {
            let shown = kind.isDamage ? messages.count : shown
            var lines = messages.prefix(shown).map { "  " + $0 }
            let more = count - lines.count
            if more > 0, !lines.isEmpty { lines.append("  and \(Quantity.count(more)) more") }
            return lines
        }

        /// Whether more reasons are known than people are shown.
        var hasMoreReasons: Bool { !kind.isDamage && messages.count > WarningList.shownCount }
    }

    /// Sorted by the names of the kinds.
    let entries: [Entry]

    /// How many reasons of a kind people are shown; a damaged file's are all shown that are kept.
    static let shownCount = 3

    /// - Parameters:
    ///   - counts: how many warnings there are of each kind.
    ///   - warnings: the first of each kind.
    init(_ counts: [LegacyWarning.Kind: Int], _ warnings: [LegacyWarning]) {
        let messages = Dictionary(grouping: warnings, by: \.kind)
        entries = counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { kind, count in
                Entry(
                    kind: kind,
                    count: count,
                    messages: messages[kind, default: []].map(\.message)
                )
            }
    }

    private init(_ entries: [Entry]) { self.entries = entries }

    var isEmpty: Bool { entries.isEmpty }

    /// Those that are no mere notes on how something was understood.
    var losses: WarningList { WarningList(entries.filter { !$0.kind.isNote }) }

    /// Whether they say what is lost of a damaged file, and not all of it.
    var lacksLossesOfDamage: Bool {
        entries.contains { $0.kind.isDamage && $0.messages.count < $0.count }
    }

    /// Whether more reasons are known than people are shown.
    var hasMoreReasons: Bool { entries.contains(where: \.hasMoreReasons) }

    /// Every kind with how often, in one line: `roundedDate 3, missingTarget 1`.
    var summary: String {
        entries.map { "\($0.kind.rawValue) \(Quantity.count($0.count))" }.joined(separator: ", ")
    }

    /// Every kind with its reasons, a line each, as they stand in an error.
    var detail: String {
        entries.flatMap { entry in [entry.headline] + entry.reasons() }
            .map { "  " + DisplayWidth.visible($0) }
            .joined(separator: "\n")
    }

    /// Every kind with its reasons, as they stand among other facts.
    ///
    /// - Parameters:
    ///   - label: what a kind is called that is no mere note.
    ///   - shown: how many reasons of a kind are shown at most.
    func facts(label: String, shown: Int = WarningList.shownCount) -> [(
        name: String, value: String
    )] {
        entries.flatMap { entry in
            [(entry.kind.isNote ? "note" : label, entry.headline)]
                + entry.reasons(shown).map { ("", $0) }
        }
    }

    /// Writes the counts and the messages: `"warnings":{kind:N},"warningMessages":{kind:[…]}`.
    func write(to writer: inout JSONWriter) {
        writer.key("warnings")
        writer.object { writer in
            for entry in entries { writer.member(entry.kind.rawValue, entry.count) }
        }
        writer.key("warningMessages")
        writer.object { writer in
            for entry in entries where !entry.messages.isEmpty {
                writer.key(entry.kind.rawValue)
                writer.array { writer in
                    for message in entry.messages.sorted() { writer.value(message) }
                }
            }
        }
    }
}
