/// What an examination of a database has found that is no damage.
public struct SQLiteExamination: Sendable, Equatable {
    /// What breaks a rule of the schema, in SQLite's words.
    public internal(set) var remarks: [String] = []
    /// What could not be examined, or not all of it, because that needs what only the app has: a sentence each.
    public internal(set) var unexamined: [String] = []

    /// Whether all was examined and nothing breaks a rule.
    public var isEmpty: Bool { remarks.isEmpty && unexamined.isEmpty }

    mutating func add(_ found: [String], upTo limit: Int) {
        for remark in found where remarks.count < limit && !remarks.contains(remark) {
            remarks.append(remark)
        }
    }
}
