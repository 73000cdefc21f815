package import LegacyRecords

/// How durations are counted.
package enum DurationUnit {
    /// A value above this is no number of seconds, where most values are: no track takes three hours.
    package static let secondsMax = 10_000.0

    /// Whether the name of a column says that its durations are milliseconds, as `duration_ms`, `Duration (ms)` and
    /// `Milliseconds` do.
    package static func isMilliseconds(_ name: String) -> Bool {
        let name = PropertyName.normalized(name)
        return name == "milliseconds" || withoutUnit(name) != name
    }

    /// A name in letters and digits without such a unit at its end.
    static func withoutUnit(_ normalized: String) -> String {
        if normalized == "milliseconds" { return "duration" }
        let unit = ["inmilliseconds", "milliseconds", "millis", "inms", "ms"].first(
            where: normalized.hasSuffix
        )
        let name = normalized.dropLast(unit?.count ?? 0)
        return names.contains(String(name)) ? String(name) : normalized
    }

    /// What columns of durations are called.
    package static let names: Set<String> = [
        "duration", "trackduration", "length", "playtime", "totaltime",
    ]
}

extension LegacyWarning {
    /// Says that the durations of a column were taken for milliseconds.
    package static func milliseconds(_ column: String) -> LegacyWarning {
        let reason =
            DurationUnit.isMilliseconds(column)
            ? "its name says so" : "most of its values are above 10,000"
        return LegacyWarning(
            kind: .guessedUnit,
            message:
                "The column \(column) holds milliseconds, because \(reason); they became seconds."
        )
    }
}
