/// Dates as GRDB, SQLite's own functions and ISO 8601 write them: `yyyy-MM-dd`, perhaps ` HH:mm`, `:ss` and a
/// fraction of up to nine digits, perhaps `Z` or an offset. Without an offset they are UTC, as GRDB writes them.
package enum DateText {
    /// Seconds between the beginning of 1970 and that of 2001.
    package static let referenceSeconds = 978_307_200

    /// The instant, or nil where the text is no date.
    package static func instant(_ text: String) -> ScalarText.Instant? {
        var reader = Reader(text)
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2),
            reader.take("-"),
            let day = reader.digits(2), (1...12).contains(month),
            (1...GregorianDay.count(ofMonth: month, year)).contains(day)
        else { return nil }
        var seconds = GregorianDay.since1970(year, month, day) * 86_400
        var nanoseconds: Int64 = 0
        if !reader.isAtEnd {
            guard reader.take(" ") || reader.take("T"), let hour = reader.digits(2),
                reader.take(":"),
                let minute = reader.digits(2), hour < 24, minute < 60
            else { return nil }
            seconds += hour * 3600 + minute * 60
            if reader.take(":") {
                guard let second = reader.digits(2), second < 60 else { return nil }
                seconds += second
                if reader.take(".") {
                    guard let value = reader.fraction() else { return nil }
                    nanoseconds = value
                }
            }
            guard let offset = reader.offset() else { return nil }
            seconds -= offset
        }
        guard reader.isAtEnd else { return nil }
        return ScalarText.Instant(seconds: Int64(seconds), nanoseconds: nanoseconds)
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var place = 0

        init(_ text: String) {
            // The longest form has 35 bytes.
            bytes = Array(text.utf8.prefix(64))
        }

        var isAtEnd: Bool { place == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard place < bytes.count, UInt32(bytes[place]) == character.value else { return false }
            place += 1
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            guard place + count <= bytes.count else { return nil }
            var number = 0
            for byte in bytes[place..<place + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            place += count
            return number
        }

        /// One to nine digits after the point, as nanoseconds.
        mutating func fraction() -> Int64? {
            var nanoseconds: Int64 = 0
            var scale: Int64 = 1_000_000_000
            while scale > 1, let digit = digits(1) {
                scale /= 10
                nanoseconds += Int64(digit) * scale
            }
            return scale == 1_000_000_000 ? nil : nanoseconds
        }

        /// Nothing, `Z` or `±HH[:]mm`, in seconds.
        mutating func offset() -> Int? {
            if isAtEnd || take("Z") { return 0 }
            let sign = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0, let hours = digits(2) else { return nil }
            _ = take(":")
            guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
