import LegacyRecords
import SQLiteFile

/// The words of the ``SourceInterpretation`` of tables, of lines of JSON and of JSON of Realm files without a schema
/// (Specs/format/migration.md). They stand in logs for ever.
package enum TextChoice {
    // What is chosen for.

    /// Which column holds the keys of a table.
    static let key = "key"
    /// Whether a table has no titles of columns.
    static let header = "header"
    /// Which member holds the keys of the objects of a class.
    static func key(of className: String) -> String { "key \(className)" }
    /// Which member names the class of an object.
    static let classMember = "class"

    /// What the values of each column of a table are. Where several have one title, the second has a 2 after it, the
    /// third a 3.
    static func types(of titles: [String]) -> [String] {
        var counts: [String: Int] = [:]
        return titles.map { title in
            let count = counts[title, default: 0] + 1
            counts[title] = count
            return "type \(SQLiteName.quoted(title))" + (count > 1 ? " \(count)" : "")
        }
    }

    /// What the values of a member are.
    ///
    /// - Parameter place: where a survey has the class: names parted by NUL, which are quoted one by one.
    static func type(of member: String, at place: String) -> String {
        let names = place.utf8.split(separator: 0, omittingEmptySubsequences: false).map { String(Substring($0)) }
        return "type " + (names + [member]).map(SQLiteName.quoted).joined(separator: ".")
    }

    // What is chosen.

    /// The column or the member that follows.
    package static let member = "member"
    /// The number that an object has in the file beside its members.
    package static let number = "number"
    /// None: what a row holds, the place of an object, or the name of the file stand in.
    package static let none = "none"

    /// The rows are the entries of playlists: a choice for the key.
    package static let playlist = "playlist"
    /// The numbers of a column are milliseconds, after its type.
    static let milliseconds = "milliseconds"

    /// What a record is told by, and no attribute.
    static let identifier = "identifier"
    // Collections of the type that follows, and `null` after it where something in them may be nothing.
    static let list = "list"
    static let set = "set"
    static let map = "map"
    static let null = "null"
    // Links to the class that follows, one or a list.
    static let reference = "reference"
    static let references = "references"
    // Objects inside their owner, of the class that follows where the file names it.
    static let object = "object"
    static let objects = "objects"

    /// As it is written into the log.
    static func choice(_ member: String?) -> [String] { member.map { [Self.member, $0] } ?? [none] }

    /// The column or the member that was chosen for the keys; nil where none was.
    static func member(of choice: [String]?) -> String? {
        guard let choice, choice.count == 2, choice[0] == member else { return nil }
        return choice[1]
    }

    /// Says that records are named otherwise than before; nil where they are not.
    static func warning(
        from earlier: [String]?,
        to choice: [String],
        of className: String,
        model: String
    ) -> LegacyWarning? {
        guard let earlier, earlier != choice else { return nil }
        func words(_ choice: [String]) -> String {
            member(of: choice) ?? (choice == [number] ? "their numbers" : "nothing of their own")
        }
        let message =
            "The records of \(className) were named by \(words(earlier)) and are by \(words(choice)) now; those that "
            + "are called otherwise by that are new ones, and the old ones are missing."
        return LegacyWarning(kind: .changedKey, message: message, of: model)
    }
}

extension ScalarType {
    /// As it is written into the log.
    var word: String { self == .words ? ScalarType.string.rawValue : rawValue }

    /// A type that the log names; nil where it is none.
    ///
    /// - Parameter isText: whether all values are texts now: a text of an earlier export holds others, too.
    init?(word: String, isText: Bool) {
        guard word != Self.words.rawValue, let type = Self(rawValue: word) else { return nil }
        self = type == .string && !isText ? .words : type
    }
}
