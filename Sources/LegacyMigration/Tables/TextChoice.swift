/// The words of the ``SourceInterpretation`` of tables and of lines of JSON (Specs/format/migration.md). They stand in
/// logs for ever.
enum TextChoice {
    // What is chosen for.

    /// Which column holds the keys of a table.
    static let key = "key"
    /// Which member holds the keys of the objects of a class.
    static func key(of className: String) -> String { "key \(className)" }
    /// Which member names the class of an object.
    static let classMember = "class"

    // What is chosen.

    /// The column or the member that follows.
    static let member = "member"
    /// None: what a row holds, the place of an object, or the name of the file stand in.
    static let none = "none"

    /// As it is written into the log.
    static func choice(_ member: String?) -> [String] { member.map { [Self.member, $0] } ?? [none] }

    /// Says that records are named otherwise than before; nil where they are not.
    static func warning(
        from earlier: [String]?,
        to choice: [String],
        of className: String,
        model: String
    ) -> LegacyWarning? {
        guard let earlier, earlier != choice else { return nil }
        func words(_ choice: [String]) -> String { choice.count == 2 ? choice[1] : "nothing of their own" }
        let message =
            "The records of \(className) were named by \(words(earlier)) and are by \(words(choice)) now; those that "
            + "are called otherwise by that are new ones, and the old ones are missing."
        return LegacyWarning(kind: .changedKey, message: message, of: model)
    }
}
