/// What an examination of a database has found that is no damage.
public struct SQLiteExamination: Sendable, Equatable {
    /// What breaks a rule of the schema, in SQLite's words.
    public internal(set) var remarks: [String] = []
    /// What could not be examined, or not all of it, because that needs what only the app has: a sentence each.
    public internal(set) var unexamined: [String] = []
    /// The indexes that were compared with the rows of a table which SQLite itself did not compare with all of its
    /// indexes; all by the bytes of their names.
    var compared: [[UInt8]: Set<[UInt8]>] = [:]

    /// An examination that has found nothing.
    public init() {}

    init(remarks: [String]) {
        self.remarks = remarks
    }

    /// Whether all was examined and nothing breaks a rule.
    public var isEmpty: Bool { remarks.isEmpty && unexamined.isEmpty }

    /// Whether an index of a table leads to each of its rows, as far as it is of all of them: nobody knows that of one
    /// that could not be compared with the rows, and what is not found by it may be there.
    public func trusts(_ index: SQLiteIndex, of table: SQLiteTable) -> Bool {
        compared[SQLiteName.bytes(table.name)]?.contains(SQLiteName.bytes(index.name)) ?? true
    }

    mutating func add(_ found: [String], upTo limit: Int) {
        for remark in found where remarks.count < limit && !remarks.contains(remark) {
            remarks.append(remark)
        }
    }
}
