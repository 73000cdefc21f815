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

    /// What can stand for a point.
    static var help: String { "a position, a snapshot's name, an ISO 8601 date, or head" }
}
