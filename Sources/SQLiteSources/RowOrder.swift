import LegacyRecords
import SQLiteFile

/// In which order rows are read: as they were made, unless a column says where they stand among those that refer to the
/// same row.
enum RowOrder {
    private static let words: Set<String> = [
        "position", "order", "sort", "index", "rank", "ordinal", "sequence", "pos", "idx", "seq", "ordering",
    ]
    /// What may stand before such a word without anything between them: `displayorder`.
    private static let beginnings: Set<String> = ["display", "list", "item"]
    /// What may come after such a word: `sort_key`, `positionInAlbum`.
    private static let additions: Set<String> = ["key", "value", "in", "within"]

    /// How surely a column says where something stands.
    enum Sureness {
        /// By its name: `position`, `sortOrder`.
        case sure
        /// Perhaps: `trackOrder`, but also `purchaseOrder`; `order`, but also the number of one. Its values have to
        /// look like it.
        case perhaps
    }

    /// Whether a column says where something stands; nil where nothing speaks for it. Only whole words of the name
    /// count: an `ordered_quantity` is none.
    ///
    /// - Parameter name: the name of the column, or what stands for it.
    static func position(_ column: SQLiteColumn, called name: String? = nil) -> Sureness? {
        guard [.int, .double].contains(DeclaredType.form(column.declaredType)) else { return nil }
        var names = StoredWords.words(of: name ?? column.name)
        // A number at the end tells names apart.
        if let last = names.last, Int(last) != nil { names.removeLast() }
        let isPosition = names.map(isWord)
        if isPosition.allSatisfy({ $0 }), !names.isEmpty {
            return words.contains(names[0]) && names.count == 1 && names[0] != "position"
                ? .perhaps : .sure
        }
        if isPosition.last == true { return .perhaps }
        return isPosition.first == true && additions.contains(names[1]) ? .perhaps : nil
    }

    /// One of the words, or two without anything between them: `sortorder`.
    private static func isWord(_ text: String) -> Bool {
        words.contains(text)
            || words.union(beginnings).contains { word in
                text.hasPrefix(word) && words.contains(String(text.dropFirst(word.count)))
            }
    }

    /// What the rows of a table are sorted by.
    struct Columns {
        /// Expressions of SQL.
        let expressions: [String]
        /// The columns that may say the order, the best first: there is more than one only where they are equally good.
        let choice: [String]
        /// The referring column whose rows it puts in order, where it is one's.
        let reference: String?
        /// Other referring columns with a column of their own that says an order; records come in one only.
        let others: [(reference: String, position: String)]
        /// Those without one.
        let unknown: [String]
    }

    static func order(of source: SQLitePlanner.Source) -> Columns {
        let positions = source.table.readableColumns.filter { column in
            position(column) != nil
                && !source.references.contains { SQLiteName.areSame($0.column.name, column.name) }
                && source.survey[column.name].count > 0
        }.map(\.name)
        let references = source.references.map(\.column.name).filter { source.survey[$0].count > 0 }
        return order(
            positions,
            references,
            isOnly: source.references.count == 1,
            source.survey.largeValues.expression,
            rowOrder(of: source)
        )
    }

    /// - Parameters:
    ///   - positions: the columns that may say an order, and have values.
    ///   - references: the referring columns that have values.
    ///   - isOnly: whether the table has one referring column.
    ///   - expression: what is selected of a column.
    ///   - rows: what tells rows apart.
    static func order(
        _ positions: [String],
        _ references: [String],
        isOnly: Bool,
        _ expression: (String) -> String,
        _ rows: [String]
    ) -> Columns {
        let (reference, choice) = self.choice(positions, references, isOnly: isOnly)
        let left = positions.filter { !choice.contains($0) }
        let others = references.compactMap { other -> (reference: String, position: String)? in
            guard other != reference,
                let position = self.choice(left, [other], isOnly: false).columns.first
            else { return nil }
            return (other, position)
        }
        // Rows that have no place by the first stand in the order of the others.
        let all = choice.prefix(1) + others.map(\.position)
        return Columns(
            expressions: all.map(expression) + rows,
            choice: choice,
            reference: reference,
            others: others,
            unknown: references.filter { name in name != reference && !others.contains { $0.reference == name } }
        )
    }

    /// The columns that may say the order, the best first, and whose order.
    ///
    /// - Parameter isOnly: whether the table has no other reference, so that any position is that of this one.
    private static func choice(
        _ positions: [String],
        _ references: [String],
        isOnly: Bool
    ) -> (reference: String?, columns: [String]) {
        // As a store's own export calls it, after the columns of the model (``SQLiteExport``): where that has a column
        // of the name too, the last one is meant.
        for reference in references {
            let wanted = SQLiteName.folded(reference) + "_position"
            let exported = positions.last { name in
                let name = SQLiteName.folded(name)
                return name == wanted
                    || (name.hasPrefix(wanted + "_")
                        && Int(name.dropFirst(wanted.count + 1)) != nil)
            }
            if let exported { return (reference, [exported]) }
        }
        // `albumID` and `albumPosition` belong together, more so than `albumPosition` and `albumTrackPosition`.
        for reference in references {
            let stem = StoredWords.words(of: stem(of: reference))
            let found = positions.filter { name in
                let names = StoredWords.words(of: name)
                return names.starts(with: stem) && names.dropFirst(stem.count).allSatisfy(isWord)
                    && names.count > stem.count
            }
            if !found.isEmpty { return (reference, found) }
        }
        for reference in references {
            let stem = stem(of: reference)
            let found = positions.filter {
                !stem.isEmpty && SQLiteName.folded($0).hasPrefix(stem)
            }
            if !found.isEmpty { return (reference, found) }
        }
        return isOnly && !positions.isEmpty ? (references.first, positions) : (nil, [])
    }

    /// What tells rows apart; nothing where only other columns may do.
    static func rowOrder(_ table: SQLiteTable) -> [String] {
        if let rowid = table.rowidName { return [SQLiteName.quoted(rowid)] }
        return table.primaryKey.map { SQLiteName.quoted($0.name) }
    }

    /// What tells rows apart, where a table has a primary key or a name for the number of a row, and where it has
    /// neither.
    static func rowOrder(of source: SQLitePlanner.Source) -> [String] {
        let order = rowOrder(source.table)
        return order.isEmpty ? source.key.columns.map(SQLiteName.quoted) : order
    }

    /// The name of a referring column without what says that it refers: `album` of `albumID` and `album_id`.
    static func stem(of column: String) -> String {
        var name = SQLiteName.folded(column)
        for ending in ["_uuid", "uuid", "_id", "id"]
        where name.hasSuffix(ending) && name.count > ending.count {
            name.removeLast(ending.count)
            break
        }
        return name
    }
}
