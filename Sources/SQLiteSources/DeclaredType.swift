import LegacyRecords
import SQLiteFile

/// What a column's declared type says of its values.
enum DeclaredType {
    /// The form that a declared type asks for, by what is in its name; nil where there is none.
    ///
    /// SQLite's own rules (https://www.sqlite.org/datatype3.html#determination_of_column_affinity) come after the
    /// words by which GRDB, Core Data, Room and others mean more than they say: yes and no, dates and decimals.
    static func form(_ declared: String) -> ValueForm? {
        let type = SQLiteName.folded(declared)
        if type.hasPrefix("bool") { return .bool }
        if type.hasPrefix("date") || type.hasPrefix("timestamp") { return .date }
        if type.contains("decimal") || type.hasPrefix("numeric") { return .decimal }
        if type.contains("int") { return .int }
        if type.contains("char") || type.contains("clob") || type.contains("text") {
            return .string
        }
        if type.contains("blob") { return .data }
        if type.contains("real") || type.contains("floa") || type.contains("doub") {
            return .double
        }
        return nil
    }

    /// The form that the declared type, the column's name and its values ask for together: SQLite has no type for
    /// dates, nor for yes and no.
    ///
    /// Without a type for it a number is likelier to be a number: the name has to say a moment by a whole word, and all
    /// values have to be of our times; or the name has to say a yes or no, and there are only 0 and 1.
    static func form(of column: SQLiteColumn, _ survey: ColumnSurvey, isKey: Bool = false) -> ValueForm? {
        let form = form(column.declaredType)
        let words = StoredWords.words(of: column.name)
        let dates = DateNumbers.form(survey, saysJulian: !julianWords.isDisjoint(with: words))
        switch form {
        case .date: return dates ?? .date
        case _ where isKey || survey.count == 0: return form
        case .string: return survey.hasOnlyTexts && survey.areExactDateTexts && survey.areDateTexts ? .date : .string
        case .int, .double, nil:
            guard survey.hasOnlyNumbers else { return form }
            if let dates, saysMoment(words), DateNumbers.areRecent(survey, dates) { return dates }
            return form == .int && survey.hasOnlyIntegers && survey.areBooleans && YesOrNo.isSaid(by: words)
                ? .bool : form
        default: return form
        }
    }

    private static let julianWords: Set<String> = ["jd", "julian", "julianday"]
    private static let momentWords: Set<String> = [
        "date", "datetime", "timestamp", "time", "created", "modified", "updated", "added",
    ]
    /// What is put before such a word without a mark between them: `birthdate`, not `update` or `candidate`.
    private static let momentStems: Set<String> = [
        "birth", "creation", "death", "due", "end", "expiry", "issue", "modification", "publication", "purchase",
        "release", "start",
    ]

    /// Whether a name says a moment, such as `release_date` and `createdAt`, and not `updates` or `candidate`.
    private static func saysMoment(_ words: [String]) -> Bool {
        words.last == "at" || !momentWords.union(julianWords).isDisjoint(with: words)
            || words.contains { word in
                momentWords.contains { word.hasSuffix($0) && momentStems.contains(String(word.dropLast($0.count))) }
            }
    }

    /// What has to be looked at to know whether the values fit.
    static func depth(_ form: ValueForm?) -> ColumnSurvey.Depth {
        switch form {
        case .date, .dateText, .millisecondDate, .referenceDate, .julianDay: [.dates, .numberTexts]
        case .decimal, .plainDecimal: [.decimals, .numberTexts]
        case .externalData, .referringData: [.external, .numberTexts]
        // SQLite itself makes texts of all numbers in such a column.
        case .string: .dates
        default: .numberTexts
        }
    }
}

/// Names of columns that say a yes or no.
enum YesOrNo {
    private static let beginnings: Set<String> = ["is", "has", "was", "can", "should", "are", "had", "did", "needs"]
    private static let ends: Set<String> = [
        "active", "bookmark", "complete", "done", "enabled", "favorite", "favourite", "hidden", "open", "paid",
        "public", "read", "seen", "visible",
    ]

    private static let moments: Set<String> = ["last", "date", "time"]

    /// Whether the words begin with one like `is` or `has`, or end in one like `done` or in one with `-ed` at its end,
    /// as in `completed`; `speed` is none. `lastModified` and `date_added` say a moment.
    static func isSaid(by words: [String]) -> Bool {
        guard let first = words.first, let last = words.last else { return false }
        return words.count > 1 && beginnings.contains(first) || ends.contains(last)
            || last.hasSuffix("ed") && !last.hasSuffix("eed") && last.count > 4 && !moments.contains(first)
    }
}
