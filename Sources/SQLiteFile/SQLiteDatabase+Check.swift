extension SQLiteDatabase {
    /// What SQLite's own check says that is no damage: values that break a rule of the schema, pages that nothing
    /// uses.
    private static let harmless = [
        "NULL value in ", "CHECK constraint failed", "NUMERIC value in ", "TEXT value in ",
        "BLOB value in ",
        "INT value in ", "REAL value in ", "INTEGER value in ", "non-INT value in ",
        "non-unique entry in index",
    ]

    /// Where SQLite ends the check of a single table.
    private static let remarkCountPerTable = 100

    /// Examines the whole database: every page, every row, every entry of an index.
    ///
    /// Damage may come after any number of remarks: all of them are looked at, a few are handed back. Expressions in
    /// indexes are not run, since they are the file's and may take as long as they like: such an index is not compared
    /// with the rows of its table, nor are the others of a table without rowids.
    ///
    /// A table that has what only the app can evaluate, or a value that is too large, is left out, and named; its
    /// indexes by columns alone are compared with its rows all the same, where that can be done
    /// (``SQLiteExamination/trusts(_:of:)``).
    ///
    /// - Parameter remarkCountMax: how many remarks are gathered; one more says how many others there are.
    /// - Throws: ``SQLiteFileError`` with the code `damaged`, and the first thing that is wrong; `invalidRequest` where
    ///   collations are stood in for.
    /// - Complexity: O(*n* log *n*) of the rows.
    public func check(remarkCountMax: Int = 100) throws(SQLiteFileError) -> SQLiteExamination {
        guard !hasStandIns else {
            throw SQLiteFileError(.invalidRequest, "The order of an index is not that of a stand-in.")
        }
        let limit = max(1, remarkCountMax)
        let tables = try tables().filter { $0.kind == .table }
        if !tables.contains(where: \.hasIndexExpressions) {
            do throws(SQLiteFileError) {
                return SQLiteExamination(remarks: try check("integrity_check", limit))
            } catch  where Self.isOfContent(error) {
                // What is so of one table keeps the others from nothing.
            }
        }
        var (found, unexamined) = try checkQuickly(tables, limit)
        for table in tables
        where table.hasIndexExpressions || unexamined.contains(SQLiteName.bytes(table.name)) {
            let isNamed = unexamined.contains(SQLiteName.bytes(table.name))
            if try !comparePlainIndexes(of: table, limit, into: &found), !isNamed {
                found.unexamined.append("\(table.name) was not compared with its indexes.")
            }
        }
        for table in tables
        where !table.hasIndexExpressions && !unexamined.contains(SQLiteName.bytes(table.name)) {
            let result = try check(table, by: "integrity_check", limit, into: &found)
            if case .whole = result { continue }
            _ = try comparePlainIndexes(of: table, limit, into: &found)
            switch result {
            case .whole: continue
            case .begun:
                found.unexamined.append("\(table.name) was not compared with all of its indexes.")
            case .failed(let reason):
                found.unexamined.append("\(table.name) was not compared with its indexes: \(reason)")
            case .impossible where table.indexes.isEmpty: continue
            case .impossible:
                found.unexamined.append("\(table.name) was not compared with its indexes.")
            }
        }
        return found
    }

    /// Compares the plain indexes of a table that SQLite itself did not compare with all of them.
    ///
    /// - Returns: whether all of them could be.
    private func comparePlainIndexes(
        of table: SQLiteTable,
        _ limit: Int,
        into found: inout SQLiteExamination
    ) throws(SQLiteFileError) -> Bool {
        let comparison = try checkPlainIndexes(of: table)
        found.add(comparison.remarks, upTo: limit)
        found.compared[SQLiteName.bytes(table.name)] = comparison.names
        return comparison.isWhole
    }

    /// Whether something in a table cannot be evaluated here, or is too large: that is no damage.
    static func isOfContent(_ error: SQLiteFileError) -> Bool {
        error.code == .unsupportedContent || error.isOfLargeValue
    }

    /// All tables at once, or else each by itself: one that cannot be examined keeps no other from it.
    ///
    /// - Returns: what was found, and the names of the tables that could not be examined.
    private func checkQuickly(
        _ tables: [SQLiteTable],
        _ limit: Int
    ) throws(SQLiteFileError) -> (found: SQLiteExamination, unexamined: Set<[UInt8]>) {
        do throws(SQLiteFileError) {
            return (SQLiteExamination(remarks: try check("quick_check", limit)), [])
        } catch  where Self.isOfContent(error) {
            var found = SQLiteExamination()
            var unexamined: Set<[UInt8]> = []
            for table in tables {
                switch try check(table, by: "quick_check", limit, into: &found) {
                case .whole: continue
                case .begun: found.unexamined.append("\(table.name) was not examined to its end.")
                case .failed(let reason):
                    unexamined.insert(SQLiteName.bytes(table.name))
                    found.unexamined.append("\(table.name) could not be examined: \(reason)")
                case .impossible:
                    unexamined.insert(SQLiteName.bytes(table.name))
                    found.unexamined.append("\(table.name) could not be examined by itself.")
                }
            }
            return (found, unexamined)
        }
    }

    /// How far a table was examined by itself.
    private enum TableCheck {
        case whole
        /// SQLite has ended at its own bound.
        case begun
        case failed(String)
        /// Its name cannot be said to SQLite.
        case impossible
    }

    private func check(
        _ table: SQLiteTable,
        by pragma: String,
        _ limit: Int,
        into found: inout SQLiteExamination
    ) throws(SQLiteFileError) -> TableCheck {
        if table.isNamedByNumber { return .impossible }
        do throws(SQLiteFileError) {
            let sql = "PRAGMA \(pragma)(\(SQLiteName.quoted(table.name)))"
            let (remarks, count) = try lines(of: sql, limit)
            found.add(remarks, upTo: limit)
            return count >= Self.remarkCountPerTable ? .begun : .whole
        } catch  where Self.isOfContent(error) {
            return .failed(error.message)
        }
    }

    /// SQLite ends its check where it has said so many things, and gathers what it says of pages: few at first, then as
    /// many as there are.
    private func check(_ pragma: String, _ limit: Int) throws(SQLiteFileError) -> [String] {
        for lineCountMax in [limit + 1, Int(Int32.max)] {
            let (remarks, count) = try lines(of: "PRAGMA \(pragma)(\(lineCountMax))", limit)
            if count < lineCountMax {
                return count == remarks.count
                    ? remarks : remarks + ["and \(count - remarks.count) more."]
            }
        }
        throw SQLiteFileError(
            .limitExceeded,
            "The database breaks the rules of its schema too often."
        )
    }

    /// The first remarks, and how many there are.
    private func lines(of sql: String, _ limit: Int) throws(SQLiteFileError) -> (
        remarks: [String], count: Int
    ) {
        let statement = try prepare(sql)
        var remarks: [String] = []
        var count = 0
        while try statement.step() {
            let text = statement.text(at: 0) ?? "something that cannot be read"
            if text == "ok" { continue }
            // One row may hold several lines.
            for line in text.split(separator: "\n") where !line.hasPrefix("*** in database") {
                guard Self.isHarmless(line) else {
                    throw SQLiteFileError(.damaged, "The database is damaged: \(line).")
                }
                count += 1
                if remarks.count < limit { remarks.append(String(line)) }
            }
        }
        return (remarks, count)
    }

    /// Whether a remark is about no damage. Some versions of SQLite write `Page 3 is never used`, others
    /// `Page 3: never used`.
    static func isHarmless(_ line: Substring) -> Bool {
        harmless.contains { line.hasPrefix($0) }
            || line.hasPrefix("Page ")
                && (line.hasSuffix(" is never used") || line.hasSuffix(": never used"))
    }
}

extension SQLiteTable {
    /// Whether an index computes something of the rows.
    fileprivate var hasIndexExpressions: Bool {
        indexes.contains { $0.isPartial || $0.columns.contains(nil) }
    }

    /// Whether SQLite takes the name, within quotation marks too, for how much a check may say: it looks at the digits
    /// that it begins with and not at what comes after them.
    fileprivate var isNamedByNumber: Bool {
        let name = name.utf8
        let sign = name.first == UInt8(ascii: "-") || name.first == UInt8(ascii: "+") ? 1 : 0
        return name.dropFirst(sign).first.map((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ?? false
    }
}
