import LegacyRecords
import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the numbers of a column count time: that is decided for the column as a whole, by its least and its greatest
/// number.
enum DateNumbers {
    /// Of the years 2007, when there was the first iPhone, to 2031; as seconds since 1970 they would be 1976 to 2000.
    private static let secondsSince2001 = 189_302_400.0...978_307_199.999
    /// Of the years 1800 to 2200, in seconds since 1970.
    private static let secondsOfJulianDays = -5_364_662_400.0..<7_289_654_400
    /// Of the years 1990 to 2100.
    private static let recentSeconds = 631_152_000.0..<4_133_980_800

    /// The form of the numbers in a column of dates; nil where they count time in no way that is known.
    ///
    /// - Parameter saysJulian: whether the column is called after Julian days, which may be whole then.
    static func form(_ survey: ColumnSurvey, saysJulian: Bool) -> ValueForm? {
        guard let numbers = survey.numbers else { return .date }
        let isJulian = survey.hasFraction || saysJulian
        let forms: [ValueForm] = (isJulian ? [.julianDay] : []) + [.referenceDate, .date, .millisecondDate]
        return forms.first { form in
            form == .referenceDate ? areSecondsSince2001(numbers) : areDates(numbers, form)
        }
    }

    private static func areSecondsSince2001(_ numbers: ClosedRange<Double>) -> Bool {
        secondsSince2001.contains(numbers.lowerBound) && secondsSince2001.contains(numbers.upperBound)
    }

    /// Whether numbers can be dates of a form.
    static func areDates(_ numbers: ClosedRange<Double>, _ form: ValueForm) -> Bool {
        form.dateUnit?.areDates(numbers) ?? false
    }

    /// Whether all numbers of a column are dates of our times.
    static func areRecent(_ survey: ColumnSurvey, _ form: ValueForm) -> Bool {
        guard let days = days(survey, form) else { return false }
        let wanted = form == .julianDay ? secondsOfJulianDays : recentSeconds
        return wanted.contains(days.first) && wanted.contains(days.last)
    }

    /// The first and the last date of a column as days, such as `2024-01-01 to 2025-12-31`.
    static func range(_ survey: ColumnSurvey, _ form: ValueForm) -> String {
        guard let days = days(survey, form) else { return "" }
        let texts = [days.first, days.last].map { "\(Date(timeIntervalSince1970: $0))".prefix(10) }
        return texts[0] == texts[1] ? String(texts[0]) : "\(texts[0]) to \(texts[1])"
    }

    /// The first and the last date in seconds since 1970.
    private static func days(_ survey: ColumnSurvey, _ form: ValueForm) -> (first: Double, last: Double)? {
        let numbers = survey.numbers.map { [$0.lowerBound, $0.upperBound] } ?? []
        let dates = numbers.compactMap { number -> Double? in
            guard case .date(let date)? = form.value(.real(number)) else { return nil }
            return date.timeIntervalSince1970
        }
        let texts = survey.dateTexts.map { [Double($0.lowerBound), Double($0.upperBound)] } ?? []
        guard let first = (dates + texts).min(), let last = (dates + texts).max() else { return nil }
        return (first, last)
    }
}
