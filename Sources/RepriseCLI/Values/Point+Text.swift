import Reprise

extension Point {
    /// Reads a point as a person writes it: `head`, a position, an ISO 8601 date, otherwise the name of a
    /// snapshot.
    ///
    /// - Throws: `CommandFailure` (`usage`) for an empty text or a number that no position can be.
    init(typed text: String) throws(CommandFailure) {
        if text == "head" {
            self = .head
        } else if let number = UInt64(text), text.first != "+" {
            self = .position(Position(rawValue: number))
        } else if let date = try? Timestamp.date(text) {
            self = .date(date)
        } else if text.isEmpty || text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw CommandFailure(
                .usage,
                "`\(DisplayWidth.visible(text))` names no point.",
                advice: "Give \(Self.help)."
            )
        } else {
            self = .snapshot(text)
        }
    }

    /// Refuses a name that no snapshot of the store has: the text was neither that nor anything else (CLI-10).
    ///
    /// - Throws: `CommandFailure` (`no`) with the snapshots that there are.
    func check(in store: Store) throws {
        guard case .snapshot(let name) = self else { return }
        let names = try store.snapshots().map(\.name)
        if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return }
        let nearest = Spelling.nearest(to: name, in: names).map { "Did you mean \($0)? " } ?? ""
        throw CommandFailure(
            .no,
            "\"\(DisplayWidth.visible(name))\" is neither a position, a date, a snapshot nor head.",
            advice: nearest
                + (names.isEmpty
                    ? "The store has no snapshots; a date is written 2024-05-31 or 2024-05-31T12:00:00Z."
                    : "The store has the snapshots \(Wording.list(names, "and", limit: 5)).")
        )
    }

    /// What can stand for a point.
    static var help: String { "a position, a snapshot's name, an ISO 8601 date, or head" }
}
