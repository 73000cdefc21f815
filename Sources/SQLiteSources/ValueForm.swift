import ExportFormats
import LegacyRecords
import Reprise
import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a column's values are told as those of a record. The words stand in logs (``DatabaseChoice``).
enum ValueForm: String, Sendable, Equatable {
    case bool = "bool"
    case int = "int"
    case double = "double"
    case string = "string"
    case data = "data"
    case decimal = "decimal"
    case uuid = "uuid"
    /// Text, or seconds since 1970.
    case date = "date"
    /// Text alone: numbers would be dates nobody knows of.
    case dateText = "dateText"
    /// A decimal whose texts are written as the decimal is, and no `01`.
    case plainDecimal = "plainDecimal"
    /// Text, or milliseconds since 1970.
    case millisecondDate = "millisecondsSince1970"
    /// Text, or seconds since 2001.
    case referenceDate = "secondsSince2001"
    /// Text, or days since noon of 24 November 4714 BC. A number that SQLite's functions write for a millisecond is
    /// that millisecond, any other one as exact as a day in a double is: to about 20 microseconds.
    case julianDay = "julianDay"
    /// What Core Data keeps in the row, behind a mark, or in a file.
    case externalData = "externalData"
    /// Bytes as they are, unless they are the name of such a file.
    case referringData = "referringData"
    /// As it is stored, whatever the column is otherwise understood as: a rule of a mapping says what it is.
    case stored = "stored"

    var type: ValueType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string, .stored: .string
        case .data, .externalData, .referringData: .data
        case .decimal, .plainDecimal: .decimal
        case .uuid: .uuid
        case .date, .dateText, .millisecondDate, .referenceDate, .julianDay: .date
        }
    }

    /// How numbers count the dates of this form; nil for other forms, and where dates are texts.
    var dateUnit: DateUnit? {
        switch self {
        case .date: .secondsSince1970
        case .millisecondDate: .millisecondsSince1970
        case .referenceDate: .secondsSince2001
        case .julianDay: .julianDays
        default: nil
        }
    }

    /// Whether values may be kept in files of their own.
    var mayBeExternal: Bool { self == .externalData || self == .referringData }

    /// The forms that the declared type and the values together allow; whether the values fit the declaration.
    static func form(wanted: ValueForm?, _ survey: ColumnSurvey) -> (form: ValueForm, fits: Bool) {
        guard let wanted else { return (anyForm(survey), !survey.isMixed) }
        guard survey.count > 0 else { return (wanted, true) }
        let noBlobs = survey.blobCount == 0
        let isRight: Bool =
            switch wanted {
            case .bool: survey.hasOnlyIntegers && survey.areBooleans
            case .int: survey.hasOnlyIntegers
            case .double: survey.hasOnlyNumbers && survey.areExactDoubles
            case .string: survey.hasOnlyTexts
            case .data: survey.hasOnlyBlobs
            case .uuid: survey.hasOnlyBlobs && survey.areUUIDs
            case .externalData, .referringData: survey.hasOnlyBlobs
            case .decimal: noBlobs && survey.areDecimals
            case .plainDecimal: false
            case .stored: true
            case .dateText: survey.hasOnlyTexts && survey.areDateTexts
            case .date, .millisecondDate, .referenceDate, .julianDay:
                noBlobs && survey.areDateTexts && survey.areFinite
                    && survey.numbers.map { DateNumbers.areDates($0, wanted) } ?? true
            }
        if isRight { return (wanted, true) }
        // A yes or no that is another number is a number, and not worth a word.
        if wanted == .bool, survey.hasOnlyIntegers { return (.int, true) }
        // Among anything else the name of a file is still one.
        if survey.blobCount > 0, wanted == .externalData { return (wanted, false) }
        if survey.hasExternal, wanted == .referringData { return (wanted, false) }
        return (anyForm(survey), false)
    }

    /// The form that values had in an earlier export, and how they fit it now: what does not fit is left out row by
    /// row, unless the form holds anything.
    ///
    /// - Parameter widens: whether a wider form takes the place of one that does not hold all values.
    static func form(
        kept: ValueForm,
        _ survey: ColumnSurvey,
        widens: Bool = false
    ) -> (form: ValueForm, fits: Bool, leavesOut: Bool) {
        let now = form(wanted: kept, survey)
        if now.form == kept { return (form: kept, fits: now.fits, leavesOut: false) }
        // A text that spells a number is none too much.
        let isText = now.form.type == .string && survey.textCount > 0 && !survey.hasWords && kept.type != .date
        if widens, !isText, Widening.exists(from: kept.type, to: now.form.type) {
            return (form: now.form, fits: now.fits, leavesOut: false)
        }
        let holdsAnything = kept == .string || kept == .data
        return (form: kept, fits: !holdsAnything, leavesOut: !holdsAnything)
    }

    /// The form that holds all values.
    private static func anyForm(_ survey: ColumnSurvey) -> ValueForm {
        if survey.count == 0 { return .string }
        if survey.hasOnlyIntegers { return .int }
        if survey.hasOnlyNumbers, survey.areExactDoubles { return .double }
        return survey.blobCount > 0 ? .data : .string
    }

    /// Whether a value is one of this form and loses nothing in it.
    func holds(_ value: SQLiteValue) -> Bool {
        switch (self, value) {
        case (_, .null), (.int, .integer), (.double, .real), (.stored, _): true
        case (.string, .text), (.string, .invalidText): true
        case (.data, .blob), (.externalData, .blob), (.referringData, .blob): true
        case (.bool, .integer(let number)): number == 0 || number == 1
        case (.int, .real), (.int, .text), (.double, .text), (.bool, .real): self.value(value) != nil
        case (.double, .integer(let number)): Int64(exactly: Double(number)) == number
        case (.uuid, .blob(let bytes)): bytes.count == 16
        case (.date, .integer(let number)), (.millisecondDate, .integer(let number)),
            (.referenceDate, .integer(let number)), (.julianDay, .integer(let number)):
            dateUnit?.isDate(number) ?? false
        case (.date, .real(let number)), (.millisecondDate, .real(let number)), (.referenceDate, .real(let number)),
            (.julianDay, .real(let number)):
            dateUnit?.isDate(number) ?? false
        case (.plainDecimal, .text(let text)): CanonicalText.decimal(text) != nil
        case (.plainDecimal, .integer), (.plainDecimal, .real): ValueForm.decimal.value(value) != nil
        case (.decimal, _), (.date, .text), (.dateText, .text), (.millisecondDate, .text), (.referenceDate, .text),
            (.julianDay, .text):
            self.value(value) != nil
        default: false
        }
    }

    /// A value in this form; nil for NULL.
    func value(_ value: SQLiteValue) -> LegacyValue? {
        switch (self, value) {
        case (_, .null): nil
        case (.bool, .integer(let number)): .bool(number != 0)
        case (.int, .integer(let number)), (.stored, .integer(let number)): .integer(number)
        // The same number in another way of storing it.
        case (.int, .real(let number)): Int64(exactly: number).map(LegacyValue.integer)
        case (.int, .text(let text)): CanonicalText.integer(text).map(LegacyValue.integer)
        case (.double, .text(let text)): CanonicalText.double(text).map(LegacyValue.double)
        case (.bool, .real(let number)): number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.double, .integer(let number)): .double(Double(number))
        case (.double, .real(let number)), (.stored, .real(let number)): .double(number)
        case (.data, .blob(let bytes)), (.stored, .blob(let bytes)): .data(Data(bytes))
        case (.uuid, .blob(let bytes)): Self.uuid(bytes).map(LegacyValue.uuid)
        case (.decimal, .integer(let number)), (.plainDecimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .real), (.decimal, .text), (.plainDecimal, .real), (.plainDecimal, .text):
            DecimalText.decimal(Self.text(value)).map(LegacyValue.decimal)
        case (.date, .text), (.dateText, .text), (.millisecondDate, .text), (.referenceDate, .text),
            (.julianDay, .text):
            told(value).value
        case (.date, .integer(let number)), (.millisecondDate, .integer(let number)),
            (.referenceDate, .integer(let number)), (.julianDay, .integer(let number)):
            dateUnit.map { .date($0.date(number)) }
        case (.date, .real(let number)), (.millisecondDate, .real(let number)), (.referenceDate, .real(let number)),
            (.julianDay, .real(let number)):
            dateUnit.map { .date($0.date(number)) }
        case (.data, _): .data(Data(Self.text(value).utf8))
        case (.string, _), (.stored, _): .string(Self.text(value))
        default: nil
        }
    }

    /// A value in this form, as ``value(_:)`` says, and whether it does not tell the value any more, because dates have
    /// fewer digits: that may be of numbers of seconds since 1970, and of texts. A Julian day has fewer digits than the
    /// date.
    func told(_ value: SQLiteValue) -> (value: LegacyValue?, isRounded: Bool) {
        switch (self, value) {
        case (.date, .real(let number)): return (self.value(value), DateUnit.secondsSince1970.isRounded(number))
        case (.date, .text(let text)), (.dateText, .text(let text)), (.millisecondDate, .text(let text)),
            (.referenceDate, .text(let text)), (.julianDay, .text(let text)):
            guard let instant = DateText.instant(text) else { return (nil, false) }
            return (.date(instant.date), instant.isRounded)
        default: return (self.value(value), false)
        }
    }

    /// Any value as text: numbers in decimal, blobs in hexadecimal.
    static func text(_ value: SQLiteValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text
        case .invalidText(let bytes): String(decoding: bytes, as: UTF8.self)
        case .blob(let bytes): Hexadecimal.lowercase(bytes)
        }
    }

    static func uuid(_ bytes: [UInt8]) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}

extension ColumnSurvey {
    /// Whether values are stored in ways that no one type has.
    var isMixed: Bool {
        !hasOnlyIntegers && !hasOnlyTexts && !hasOnlyBlobs && !(hasOnlyNumbers && areExactDoubles)
    }
}
