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
    /// Whether each number can be seconds since 1970, and each text is a date.
    var areDates = true
    /// Whether each number is finite, and an integer the same as a double.
    var areFinite = true
    /// Whether each number and text is a decimal.
    var areDecimals = true
    /// Whether each blob has sixteen bytes.
    var areUUIDs = true
    /// Whether each blob has the form of those that may be kept in files of their own.
    var areExternal = true
    /// Whether a blob names such a file.
    var hasExternal = false
    /// Whether each text can be a record's key.
    var areKeys = true

    /// Numbers of seconds that are no milliseconds: up to the year 5138.
    private static let secondsMax = 1e11

    /// What has to be looked at, beyond how values are stored.
    struct Depth: OptionSet, Sendable {
        let rawValue: UInt8
        static let dates = Depth(rawValue: 1)
        static let decimals = Depth(rawValue: 2)
        static let external = Depth(rawValue: 4)
    }

    mutating func count(_ row: SQLiteStatement, at place: Int, _ depth: Depth) {
        switch row.storageClass(at: place) {
        case .null: nullCount += 1
        case .integer:
            integerCount += 1
            guard case .integer(let number) = row.value(at: place) else { return }
            if number != 0 && number != 1 { areBooleans = false }
            if Int64(exactly: Double(number)) != number {
                areExactDoubles = false
                areFinite = false
            }
            if Double(number).magnitude > Self.secondsMax { areDates = false }
        case .real:
            realCount += 1
            areBooleans = false
            guard case .real(let number) = row.value(at: place) else { return }
            if !number.isFinite { areFinite = false }
            if !(number.magnitude <= Self.secondsMax) { areDates = false }
            if depth.contains(.decimals), areDecimals, DecimalText.decimal("\(number)") == nil {
                areDecimals = false
            }
        case .text:
            textCount += 1
            let byteCount = row.byteCount(at: place)
            if byteCount == 0 || byteCount > KeyRegistry.keyByteCountMax { areKeys = false }
            guard (depth.contains(.dates) && areDates) || (depth.contains(.decimals) && areDecimals)
            else { return }
            guard byteCount <= 64, case .text(let text) = row.value(at: place) else {
                areDates = false
                areDecimals = false
                return
            }
            if areDates, DateText.date(text) == nil { areDates = false }
            if areDecimals, DecimalText.decimal(text) == nil { areDecimals = false }
        case .blob:
            blobCount += 1
            let byteCount = row.byteCount(at: place)
            if byteCount != 16 { areUUIDs = false }
            guard depth.contains(.external), areExternal else { return }
            if byteCount == ExternalData.referenceByteCount,
                case .blob(let bytes) = row.value(at: place),
                ExternalData.fileName(bytes) != nil
            {
                hasExternal = true
            } else if case .blob(let bytes) = row.value(at: place),
                bytes.first != ExternalData.inlineMark
            {
                areExternal = false
            }
        }
    }

    var count: Int { integerCount + realCount + textCount + blobCount }
    var hasOnlyIntegers: Bool { count == integerCount }
    var hasOnlyTexts: Bool { count == textCount }
    var hasOnlyBlobs: Bool { count == blobCount }
    var hasOnlyNumbers: Bool { count == integerCount + realCount }
}

/// Blobs that Core Data keeps in files of their own: a first byte 1 before the value itself, or 2 before the UUID, as
/// text that a zero ends, which is the name of the file.
enum ExternalData {
    static let inlineMark: UInt8 = 1
    static let fileMark: UInt8 = 2
    static let referenceByteCount = 38

    /// The name of the file, of nothing but hexadecimal digits and hyphens; nil for any other value.
    static func fileName(_ bytes: [UInt8]) -> String? {
        guard bytes.count == referenceByteCount, bytes[0] == fileMark, bytes[37] == 0 else {
            return nil
        }
        for (place, byte) in bytes[1..<37].enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(place)
            let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            guard isHyphen ? byte == UInt8(ascii: "-") : isDigit else { return nil }
        }
        return String(decoding: bytes[1..<37], as: UTF8.self)
    }
}
