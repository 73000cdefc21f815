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

    /// The form that the declared type or the column's name asks for, by what is in the column: SQLite has no type for
    /// dates, and its own functions count Julian days.
    ///
    /// Without a type for dates a number is likelier to be a number: the name has to say a date by a whole word, and
    /// the days have to be of our times.
    static func form(of column: SQLiteColumn, _ survey: ColumnSurvey) -> ValueForm? {
        let form = form(column.declaredType)
        guard survey.integerCount + survey.realCount > 0, survey.areJulianDays else { return form }
        let words = StoredWords.words(of: column.name)
        guard survey.hasFraction || !julianWords.isDisjoint(with: words) else { return form }
        switch form {
        case .date: return .julianDay
        case .double, nil: return survey.hasOnlyNumbers && survey.areRecentDays && saysMoment(words) ? .julianDay : form
        default: return form
        }
    }

    private static let julianWords: Set<String> = ["jd", "julian", "julianday"]
    private static let momentWords: Set<String> = ["date", "datetime", "timestamp"]
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
        case .date, .dateText, .julianDay: [.dates, .numberTexts]
        case .decimal, .plainDecimal: [.decimals, .numberTexts]
        case .externalData, .referringData: [.external, .numberTexts]
        // SQLite itself makes texts of all numbers in such a column.
        case .string: []
        default: .numberTexts
        }
    }
}
