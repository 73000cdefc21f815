/// A value of a property list that holds no others, still as text.
package struct PropertyListScalar {
    package enum Kind {
        case string, integer, real, date, data, `true`, `false`
    }

    package let kind: Kind
    let text: String

    /// Whether it is a text or data of no length: there is nothing in it.
    package var isEmpty: Bool { (kind == .string || kind == .data) && text.isEmpty }

    /// The text of a string or a number, as written. Nil for other kinds.
    package var string: String? {
        switch kind {
        case .string, .integer, .real: text
        case .date, .data, .true, .false: nil
        }
    }

    package var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The whole number the text spells in decimal, with spaces around it and a sign allowed; nil
    /// when it is none or does not fit.
    package var integer: Int64? {
        if let number = Int64(text) { return number }
        return Int64(trimmed)
    }

    /// The finite number the text spells, or nil.
    package var double: Double? {
        guard let number = Double(trimmed), number.isFinite else { return nil }
        return number
    }

    /// Seconds since 2001-01-01T00:00:00Z of a text such as `2014-04-24T09:28:38Z`, years 0001 to
    /// 9999; nil when it is no such text or no such day.
    package var secondsSinceReferenceDate: Double? {
        let digits = Array(trimmed.utf8)
        guard digits.count == 20, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
            digits[10] == UInt8(ascii: "T"), digits[13] == UInt8(ascii: ":"),
            digits[16] == UInt8(ascii: ":"), digits[19] == UInt8(ascii: "Z"),
            let year = Self.number(digits[0..<4]), let month = Self.number(digits[5..<7]),
            let day = Self.number(digits[8..<10]), let hour = Self.number(digits[11..<13]),
            let minute = Self.number(digits[14..<16]), let second = Self.number(digits[17..<19]),
            year > 0, (1...12).contains(month),
            (1...GregorianDay.count(ofMonth: month, year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = GregorianDay.since1970(year, month, day) - 11_323
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    private var trimmed: Substring {
        var rest = text[...]
        while let first = rest.unicodeScalars.first, first.properties.isWhitespace {
            rest.unicodeScalars.removeFirst()
        }
        while let last = rest.unicodeScalars.last, last.properties.isWhitespace {
            rest.unicodeScalars.removeLast()
        }
        return rest
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = 10 * number + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
