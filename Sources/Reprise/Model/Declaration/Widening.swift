#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rule by which values of a narrower type become values of a wider one without a function of the program
/// (STO-106, Specs/format/schema.md). A pair of types says all, so that any later opening can do the same again.
package enum Widening {
    /// Whether there is a rule from one type to another.
    package static func exists(from narrow: ValueType, to wide: ValueType) -> Bool {
        switch (narrow, wide) {
        case (.bool, .int), (.bool, .double), (.int, .double): true
        case (.bool, .string), (.int, .string), (.double, .string), (.date, .string): true
        default: false
        }
    }

    /// The same value in a wider type; nil where that has no such value, or there is no rule.
    package static func value(_ value: Value, as type: ValueType) -> Value? {
        switch (value, type) {
        case (.null, _): .null
        case (.bool(let flag), .int): .int(flag ? 1 : 0)
        case (.bool(let flag), .double): .double(flag ? 1 : 0)
        case (.int(let number), .double): Double(exactly: number).map { .double($0) }
        case (.bool(let flag), .string): .string(flag ? "true" : "false")
        case (.int(let number), .string): .string(String(number))
        case (.double(let number), .string): .string("\(number)")
        case (.date(let date), .string): text(date).map { .string($0) }
        default: nil
        }
    }

    /// ISO 8601 in UTC, rounded to the microsecond; nil outside of the years 0 to 9999.
    private static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        // The years 0 to 9999 are within this.
        guard seconds.magnitude < 1e12 else { return nil }
        var whole = Int(seconds.rounded(.down))
        var microseconds = Int(((seconds - seconds.rounded(.down)) * 1e6).rounded())
        if microseconds == 1_000_000 { (whole, microseconds) = (whole + 1, 0) }
        let secondOfDay = ((whole % secondsOfDay) + secondsOfDay) % secondsOfDay
        let day = Day(since2001: (whole - secondOfDay) / secondsOfDay)
        guard (0...9999).contains(day.year) else { return nil }
        var text = digits(day.year, 4) + "-" + digits(day.month, 2) + "-" + digits(day.day, 2) + "T"
        text += digits(secondOfDay / 3600, 2) + ":" + digits(secondOfDay / 60 % 60, 2) + ":"
        text += digits(secondOfDay % 60, 2)
        if microseconds > 0 {
            var fraction = digits(microseconds, 6)
            while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }

    private static let secondsOfDay = 86_400

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// A day of the Gregorian calendar.
    private struct Day {
        let year: Int
        let month: Int
        let day: Int

        /// Counts eras of 400 years from 1 March of year 0, so that the leap day is the last of its year.
        init(since2001 days: Int) {
            let daysOfEra = 146_097
            let count = days + 730_791
            let era = (count >= 0 ? count : count - daysOfEra + 1) / daysOfEra
            let dayOfEra = count - era * daysOfEra
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shifted = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shifted + 2) / 5 + 1
            month = shifted < 10 ? shifted + 3 : shifted - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }
    }
}

extension AttributeDescription {
    /// In a store that is made anew no row is older than the attribute.
    mutating func forgetWidening() {
        if isWidened { origins = [] }
        isWidened = false
    }
}

extension SchemaDescription {
    /// Gives an attribute a wider type: another one takes its place, which is made of it.
    ///
    /// - Returns: false where it is not narrower.
    package mutating func widen(_ name: String, of model: String, to type: ValueType) -> Bool {
        guard let place = models.firstIndex(where: { $0.name == model }),
            let old = models[place].attribute(named: name), Widening.exists(from: old.type, to: type)
        else { return false }
        var wider = AttributeDescription(
            slot: models[place].slotCount,
            name: name,
            earlierNames: old.earlierNames,
            type: type,
            isOptional: old.isOptional,
            origins: [old.slot]
        )
        wider.isWidened = true
        models[place].slotCount += 1
        models[place].attributes = models[place].attributes.map { $0.slot == old.slot ? wider : $0 }
        models[place].retiredAttributes.append(old)
        for index in models[place].indexes.indices {
            models[place].indexes[index].slots = models[place].indexes[index].slots.map {
                $0 == old.slot ? wider.slot : $0
            }
        }
        return true
    }
}

extension Conversion {
    /// Widens the values of one attribute by the rule of the format.
    ///
    /// - Parameter types: what the value is widened through, from the type of the origin to that of the attribute.
    init(widening origin: AttributeDescription, to attribute: AttributeDescription, through types: [ValueType]) {
        unsafe self.init(
            attribute: attribute.name,
            sources: [Source(name: origin.name, type: origin.type, isOptional: origin.isOptional)],
            type: attribute.type,
            isOptional: attribute.isOptional,
            write: { values, writer in
                var value = try unsafe Value(slot: values[0], as: types[0])
                if value.isNull { return false }
                for type in types.dropFirst() {
                    guard let wider = Widening.value(value, as: type) else {
                        throw ValueError(.outOfRange, attribute: attribute.name)
                    }
                    value = wider
                }
                try value.write(to: &writer, as: attribute.type)
                return true
            }
        )
    }
}
