import LegacyRecords

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
