extension LegacyWarning.Kind {
    /// A reference leads to a row that does not exist; it was left out.
    public static let danglingReference = Self(rawValue: "danglingReference")
    /// A relationship has no order in the database, and its members stand in the order of the rows; or several columns
    /// may say it, of which one was taken.
    public static let orderUnknown = Self(rawValue: "orderUnknown")
    /// A table has nothing that tells its rows apart but their numbers, which `VACUUM` and a copy of it may change; a
    /// mapping can say what does.
    public static let rowNumberKey = Self(rawValue: "rowNumberKey")
    /// The rows of a table can no longer be told apart as in an earlier export: some may be taken for new ones, and
    /// what they were for missing.
    public static let changedKey = Self(rawValue: "changedKey")
    /// Rows have an order for a second to-one as well, and another one: records come in that of the first. Or a list
    /// has one on its other side, too.
    public static let lostOrder = Self(rawValue: "lostOrder")
    /// Values do not fit the type that their column was declared with; they were kept in a type that holds them all.
    public static let mixedTypes = Self(rawValue: "mixedTypes")
    /// Values of a column that are stored in several ways became the same in the type that holds them all, or may have:
    /// numbers and texts that spell numbers, or bytes and anything else.
    public static let mergedTypes = Self(rawValue: "mergedTypes")
    /// A value that is too large to be read, or one of a row that is; it was left out.
    public static let oversizedValue = Self(rawValue: "oversizedValue")
    /// A table that could not be examined for damage, or not all of it, because that needs what only the app has; what
    /// is stored in it was read as it is.
    public static let unexaminedTable = Self(rawValue: "unexaminedTable")
    /// Text that is no UTF-8; what is wrong in it was replaced.
    public static let invalidText = Self(rawValue: "invalidText")
    /// A column that is computed from others; it was left out.
    public static let generatedColumn = Self(rawValue: "generatedColumn")
    /// A foreign key that cannot become a relationship; its columns stayed plain values.
    public static let plainForeignKey = Self(rawValue: "plainForeignKey")
    /// A table that nothing is known of but that it has rows, one of a module, or one that cannot be read without the
    /// app; it was left out.
    public static let skippedTable = Self(rawValue: "skippedTable")
    /// A table that a framework keeps for itself; it was left out.
    public static let bookkeepingTable = Self(rawValue: "bookkeepingTable")
    /// A table became an ordered list; its own keys were left out, and a column may have become the order.
    public static let joinTable = Self(rawValue: "joinTable")
    /// A large value is kept in a file of its own that is not there, or is only a link to one; it was left out.
    public static let missingExternalData = Self(rawValue: "missingExternalData")
    /// Bytes before which Core Data may or may not have put a mark of its own; they were kept as they are.
    public static let ambiguousData = Self(rawValue: "ambiguousData")
    /// The export does not say where a relationship leads; it was told by names or values.
    public static let guessedRelationship = Self(rawValue: "guessedRelationship")
    /// The database keeps its latest changes in a log, and none is beside it; they may be missing.
    public static let missingLog = Self(rawValue: "missingLog")
    /// Numbers or texts of a column were taken for dates, and the database does not say that they are some, or in
    /// which way they count time.
    public static let guessedDate = Self(rawValue: "guessedDate")
    /// A column of 0 and 1 was taken for yes and no, because its name says so.
    public static let guessedFlag = Self(rawValue: "guessedFlag")
    /// The database breaks a rule of its own schema; its values were read as they are.
    public static let brokenRule = Self(rawValue: "brokenRule")
}

extension LegacyWarning {
    /// What is said of a column that was taken for something which its declared type does not say; nil for any other.
    ///
    /// - Parameter column: its name, with that of its table.
    init?(guessOf column: String, _ found: ColumnSurvey, _ form: ValueForm, _ declared: ValueForm?) {
        if form == .bool, declared == .int {
            let message = "\(column) has only 0 and 1, and its name says a yes or no; it became one."
            self.init(kind: .guessedFlag, message: message)
            return
        }
        let range = DateNumbers.range(found, form)
        let count: String
        switch form {
        case .julianDay: count = "Julian days"
        case .date: count = "seconds since 1970"
        case .millisecondDate: count = "milliseconds since 1970"
        case .referenceDate: count = "seconds since 2001"
        default: return nil
        }
        if found.numbers != nil {
            self.init(kind: .guessedDate, message: "\(column) has numbers, which were taken for \(count): \(range).")
        } else if declared == .string, found.count > 0 {
            self.init(kind: .guessedDate, message: "\(column) has only texts that are dates, and became one: \(range).")
        } else {
            return nil
        }
    }

    /// What is said of a list whose order the database does not say.
    init(unknownOrderOf list: String) {
        self.init(
            kind: .orderUnknown,
            message: "The database does not say the order of \(list); its members stand as the rows do."
        )
    }

    /// What is said of a column with values that do not fit its type.
    ///
    /// - Parameters:
    ///   - column: its name, with that of its table.
    ///   - type: the declared type after a space, or nothing.
    init(misfitsOf column: String, _ type: String, _ found: ColumnSurvey, _ form: ValueForm) {
        let isMerged = found.losesDifference(in: form)
        self.init(
            kind: isMerged ? .mergedTypes : .mixedTypes,
            message: "\(column) has values that do not fit its type\(type); all were kept as \(form.type)"
                + (isMerged ? ", in which some of different types can be the same." : ".")
        )
    }
}
