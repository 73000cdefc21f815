import ExportFormats
import LegacyRecords
import SQLiteFile

/// What a column's values are like, all of them: SQLite lets any column hold anything.
struct ColumnSurvey: Sendable, Equatable {
    var nullCount = 0
    var integerCount = 0
    var realCount = 0
    var textCount = 0
    var blobCount = 0

    /// Whether each number is 0 or 1.
    var areBooleans = true
    /// Whether each integer is the same as a double.
    var areExactDoubles = true
    /// The least and the greatest number.
    var numbers: ClosedRange<Double>?
    /// Whether a number is not a whole one.
    var hasFraction = false
    /// Whether each text is a date.
    var areDateTexts = true
    /// Whether a date loses nothing of such a text: it is in UTC, and has no more digits than a date.
    var areExactDateTexts = true
    /// The first and the last date that a text is, in seconds since 1970.
    var dateTexts: ClosedRange<Int64>?
    /// Whether each number is finite, and an integer the same as a double.
    var areFinite = true
    /// Whether each number and text is a decimal.
    var areDecimals = true
    /// Whether each blob has sixteen bytes.
    var areUUIDs = true
    /// Whether each blob that is not empty begins as those do that may be kept in files of their own.
    var areExternal = true
    /// Whether a blob begins as one does that is in the row.
    var hasInline = false
    /// Whether a blob names such a file.
    var hasExternal = false
    /// Whether each text can be a record's key.
    var areKeys = true
    /// Whether a text is no UTF-8.
    var hasInvalidText = false
    /// Whether a text is one that a number becomes as text.
    var hasNumberTexts = false
    /// Whether a text is none.
    var hasWords = false
    /// What has to be looked at, beyond how values are stored.
    struct Depth: OptionSet, Sendable {
        let rawValue: UInt8
        static let dates = Depth(rawValue: 1)
        static let decimals = Depth(rawValue: 2)
        static let external = Depth(rawValue: 4)
        static let validText = Depth(rawValue: 8)
        static let numberTexts = Depth(rawValue: 16)
    }

    /// Looks at one value more.
    ///
    /// - Returns: the size of a text or a blob in bytes; 0 for anything else.
    mutating func count(_ row: SQLiteStatement, at place: Int, _ depth: Depth) -> Int {
        switch row.storageClass(at: place) {
        case .null: nullCount += 1
        case .integer:
            integerCount += 1
            guard case .integer(let number) = row.value(at: place) else { break }
            if number != 0 && number != 1 { areBooleans = false }
            if Int64(exactly: Double(number)) != number {
                areExactDoubles = false
                areFinite = false
            }
            countNumber(Double(number))
        case .real:
            realCount += 1
            areBooleans = false
            guard case .real(let number) = row.value(at: place) else { break }
            if !number.isFinite { areFinite = false }
            countNumber(number)
            if depth.contains(.decimals), areDecimals, DecimalText.decimal("\(number)") == nil {
                areDecimals = false
            }
        case .text:
            textCount += 1
            let byteCount = row.byteCount(at: place)
            countText(row, at: place, byteCount, depth)
            return byteCount
        case .blob:
            blobCount += 1
            let byteCount = row.byteCount(at: place)
            countBlob(row, at: place, byteCount, depth)
            return byteCount
        }
        return 0
    }

    private mutating func countNumber(_ number: Double) {
        numbers = min(numbers?.lowerBound ?? number, number)...max(numbers?.upperBound ?? number, number)
        if number.rounded() != number { hasFraction = true }
    }

    private mutating func countText(
        _ row: SQLiteStatement,
        at place: Int,
        _ byteCount: Int,
        _ depth: Depth
    ) {
        if byteCount == 0 || byteCount > KeyRegistry.keyByteCountMax { areKeys = false }
        if depth.contains(.validText), !hasInvalidText, case .invalidText = row.value(at: place) {
            hasInvalidText = true
            areKeys = false
        }
        if depth.contains(.numberTexts), !hasNumberTexts || !hasWords {
            if byteCount <= Self.numberByteCountMax, case .text(let text) = row.value(at: place), Self.isNumber(text) {
                hasNumberTexts = true
            } else {
                hasWords = true
            }
        }
        guard (depth.contains(.dates) && areDateTexts) || (depth.contains(.decimals) && areDecimals)
        else { return }
        guard byteCount <= 64, case .text(let text) = row.value(at: place) else {
            areDateTexts = false
            areDecimals = false
            return
        }
        if areDateTexts { countDate(text) }
        if areDecimals, DecimalText.decimal(text) == nil { areDecimals = false }
    }

    private mutating func countDate(_ text: String) {
        guard let instant = DateText.instant(text) else {
            areDateTexts = false
            return
        }
        let seconds = instant.seconds
        dateTexts = min(dateTexts?.lowerBound ?? seconds, seconds)...max(dateTexts?.upperBound ?? seconds, seconds)
        // An offset stands behind the day.
        let isUTC = !text.utf8.dropFirst("yyyy-MM-dd".utf8.count).contains { [0x2B, 0x2D].contains($0) }
        if instant.isRounded || !isUTC { areExactDateTexts = false }
    }

    private mutating func countBlob(
        _ row: SQLiteStatement,
        at place: Int,
        _ byteCount: Int,
        _ depth: Depth
    ) {
        if byteCount != 16 { areUUIDs = false }
        guard depth.contains(.external), byteCount > 0 else { return }
        let mayBeReference = byteCount == ExternalData.referenceByteCount && !hasExternal
        guard areExternal || mayBeReference, case .blob(let bytes) = row.value(at: place) else {
            return
        }
        if bytes.first == ExternalData.inlineMark {
            hasInline = true
        } else if ExternalData.fileName(bytes) != nil {
            hasExternal = true
        } else {
            areExternal = false
        }
    }

    /// A number as ``ValueForm/text(_:)`` tells it is no longer.
    private static let numberByteCountMax = 32

    /// Whether a text is what a number becomes where it is kept as text.
    private static func isNumber(_ text: String) -> Bool {
        if let number = Int64(text) { return String(number) == text }
        return Double(text).map { "\($0)" == text } ?? false
    }

    var count: Int { integerCount + realCount + textCount + blobCount }
    var hasOnlyIntegers: Bool { count == integerCount }
    var hasOnlyTexts: Bool { count == textCount }
    var hasOnlyBlobs: Bool { count == blobCount }
    var hasOnlyNumbers: Bool { count == integerCount + realCount }

    /// How all values are stored; nil where there are none, or several ways. Whole numbers among others are such as
    /// these.
    var sort: RowKey.Sort? {
        if count == 0 { return nil }
        if hasOnlyIntegers { return .integer }
        if hasOnlyTexts { return .text }
        if hasOnlyBlobs { return .blob }
        return hasOnlyNumbers ? .real : nil
    }

    /// In which ways values are stored.
    var sorts: Set<RowKey.Sort> {
        var sorts: Set<RowKey.Sort> = []
        if integerCount > 0 { sorts.insert(.integer) }
        if realCount > 0 { sorts.insert(.real) }
        if textCount > 0 { sorts.insert(.text) }
        if blobCount > 0 { sorts.insert(.blob) }
        return sorts
    }

    /// Whether values that are stored in different ways become the same in a form, or may: numbers and texts that spell
    /// numbers, and bytes and anything else.
    func losesDifference(in form: ValueForm) -> Bool {
        switch form {
        case .string: integerCount + realCount > 0 && hasNumberTexts || blobCount > 0
        case .data, .referringData, .externalData: blobCount > 0 && !hasOnlyBlobs
        default: false
        }
    }

    /// Whether two values that SQLite tells apart are also told apart in a form: not where one is stored as a number
    /// and one as text, and not where what is no UTF-8 is replaced.
    func keepsDifference(in form: ValueForm) -> Bool {
        guard !hasInvalidText else { return false }
        return switch form {
        case .int: hasOnlyIntegers
        case .string: hasOnlyTexts
        case .data, .uuid: hasOnlyBlobs
        default: false
        }
    }
}
