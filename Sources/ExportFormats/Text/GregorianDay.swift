/// Days of the proleptic Gregorian calendar, for the dates that formats write as text.
enum GregorianDay {
    /// How many days a month has. `month` is 1 to 12.
    static func count<Number: FixedWidthInteger>(ofMonth month: Number, _ year: Number) -> Number {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days between 1970-01-01 and a date, by Howard Hinnant's "days from civil": years begin in March, so that the
    /// leap day comes last.
    static func since1970<Number: FixedWidthInteger & SignedInteger>(
        _ year: Number,
        _ month: Number,
        _ day: Number
    ) -> Number {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }
}
