import ExportFormats
import LegacyRecords

extension CSVReader.Header {
    /// As it is written into the log; nil where the table has titles.
    var choice: [String]? { if case .none = self { [TextChoice.none] } else { nil } }

    /// What is said of it.
    ///
    /// - Parameter above: the rows above the titles.
    func note(_ above: [[CSVReader.Field]]) -> LegacyWarning? {
        let message: String
        switch self {
        case .firstRow: return nil
        case .below:
            let texts = above.flatMap { $0 }.map(\.text).filter { !$0.isEmpty }.prefix(3)
            message =
                (above.count == 1
                    ? "The row above the column titles was"
                    : "The \(above.count) rows above the column titles were")
                + " left out"
                + (texts.isEmpty
                    ? "." : ": \(texts.map(LibraryReport.quoted).joined(separator: ", ")).")
        case .none:
            message =
                "The table has no column titles, because its first row has a number or a date where the rows below it"
                + " have one; the columns are called column1, column2 and so on."
        }
        return LegacyWarning(kind: .guessedHeader, message: message)
    }
}

extension SourceInterpretation {
    /// What an earlier export of a table has decided about its titles.
    var titles: CSVReader.EarlierTitles {
        if choices.isEmpty { return .unknown }
        if self[TextChoice.header] == [TextChoice.none] { return .none }
        return .known { self[TextChoice.types(of: [$0])[0]] != nil }
    }
}
