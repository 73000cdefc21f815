import Reprise

extension ChangeSet.Counts {
    /// Whether nothing is changed.
    var isEmpty: Bool { entities == 0 && linked + unlinked + moved == 0 }
}

/// Shows what becomes of entities, one line a change, long values cut.
struct ChangeOutput {
    /// `3 inserted, 2 updated, 1 deleted; 4 entries linked, 1 moved`
    static func summary(_ counts: ChangeSet.Counts) -> String {
        func words(_ counts: [(Int, String)]) -> [String] {
            counts.filter { $0.0 > 0 }.map { "\(Quantity.count($0.0)) \($0.1)" }
        }
        let entities = words([
            (counts.inserted, "inserted"), (counts.updated, "updated"), (counts.deleted, "deleted"),
        ])
        let entries = words([
            (counts.linked, "linked"), (counts.unlinked, "unlinked"), (counts.moved, "moved"),
        ])
        if counts.isEmpty { return "nothing is different" }
        let first = entities.isEmpty ? [] : [entities.joined(separator: ", ")]
        let second = entries.isEmpty ? [] : ["entries: " + entries.joined(separator: ", ")]
        return (first + second).joined(separator: "; ")
    }

    static func show(_ change: ChangeSet.EntityChange, _ console: inout Console) throws {
        let (sign, style): (String, TextStyle) =
            switch change.kind {
            case .inserted: ("+", .green)
            case .updated: ("~", .bold)
            case .deleted: ("-", .red)
            }
        let name = "\(sign) \(change.entity)"
        let values = change.kind == .updated ? "" : fieldList(change)
        let text = fitted(values.isEmpty ? name : "\(name)  \(values)", console)
        let start = String(text.prefix(name.count))
        try console.output.line(style.applied(to: start, in: console.outputTraits) + text.dropFirst(name.count))
        if change.kind == .updated { try showFields(of: change, indent: "    ", &console) }
        for entry in change.entries {
            let owner = entry.owner == change.entity ? "" : " of \(entry.owner)"
            let line = "    \(entry.list)\(owner): \(entry.kind.rawValue) \(entry.target)"
            try console.output.line(fitted(line, console))
        }
    }

    /// A line for each field: from what to what.
    static func showFields(of change: ChangeSet.EntityChange, indent: String, _ console: inout Console) throws {
        for field in change.fields {
            let line = "\(indent)\(field.name): \(word(field.from)) → \(word(field.to))"
            try console.output.line(fitted(line, console))
        }
    }

    private static func fieldList(_ change: ChangeSet.EntityChange) -> String {
        change.fields.map { field in
            "\(field.name): \(word(change.kind == .deleted ? field.from : field.to))"
        }.joined(separator: ", ")
    }

    /// The text as one line that has room on the screen.
    static func fitted(_ text: String, _ console: Console) -> String {
        let text = DisplayWidth.visible(text)
        return console.outputTraits.width.map { DisplayWidth.truncated(text, to: $0) } ?? text
    }

    /// A value, short enough for a line that has others.
    static func word(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .string(let text): "\"\(DisplayWidth.truncated(text, to: valueWidthMax))\""
        default: DisplayWidth.truncated(value.cell, to: valueWidthMax)
        }
    }

    private static let valueWidthMax = 60

    /// The members that tell of a change in JSON, with its lists as a whole.
    static func write(
        _ change: ChangeSet.EntityChange,
        lists: [(name: String, from: [String], to: [String])],
        to writer: inout JSONWriter
    ) {
        writeFields(of: change, to: &writer)
        writer.key("lists")
        writer.object { writer in
            for list in lists {
                writer.key(list.name)
                writer.object { writer in
                    writer.key("from")
                    writer.array { writer in for id in list.from { writer.value(id) } }
                    writer.key("to")
                    writer.array { writer in for id in list.to { writer.value(id) } }
                }
            }
        }
        writeMoves(of: change, to: &writer)
    }

    /// The same where only the entries are known that are different.
    static func write(_ change: ChangeSet.EntityChange, to writer: inout JSONWriter) {
        writeFields(of: change, to: &writer)
        writer.key("entries")
        writer.objects(change.entries.filter { $0.owner == change.entity }) { entry, writer in
            writer.member("list", entry.list)
            writer.member("change", entry.kind.rawValue)
            writer.members(entry.target)
        }
        writeMoves(of: change, to: &writer)
    }

    private static func writeFields(of change: ChangeSet.EntityChange, to writer: inout JSONWriter) {
        writer.member("change", change.kind.rawValue)
        writer.key("fields")
        writer.object { writer in
            for field in change.fields {
                writer.key(field.name)
                writer.object { writer in
                    writer.member("from", field.from)
                    writer.member("to", field.to)
                }
            }
        }
    }

    private static func writeMoves(of change: ChangeSet.EntityChange, to writer: inout JSONWriter) {
        let moves = change.entries.filter { $0.owner != change.entity }
        if moves.isEmpty { return }
        writer.key("moved")
        writer.objects(moves) { move, writer in
            writer.members(move.owner)
            writer.member("list", move.list)
        }
    }
}
