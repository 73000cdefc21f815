/// Hands records and warnings to the consumer and counts them.
package final class LibraryReport {
    package let consume: (LegacyEvent) throws -> Void
    private var counted = LegacyReading()
    private var warnings = WarningTally()
    /// The class of the last record, and how many of it came one after the other.
    private var run = (className: "", count: 0)

    package init(_ consume: @escaping (LegacyEvent) throws -> Void) {
        self.consume = consume
    }

    /// The counts so far.
    package var reading: LegacyReading {
        var reading = counted
        if run.count > 0 { reading.recordCounts[run.className, default: 0] += run.count }
        reading.warningCounts = warnings.counts
        return reading
    }

    package func emit(_ record: LegacyRecord) throws {
        if record.className != run.className {
            if run.count > 0 { counted.recordCounts[run.className, default: 0] += run.count }
            run = (record.className, 0)
        }
        run.count += 1
        try consume(.record(record))
    }

    package func skip(_ className: String) {
        counted.skippedCounts[className, default: 0] += 1
    }

    /// Counts a warning, and hands it on while there are few of its kind; only then is the message
    /// made.
    package func warn(_ kind: LegacyWarning.Kind, _ message: () -> String) throws {
        guard warnings.count(kind) else { return }
        try consume(.warning(LegacyWarning(kind: kind, message: message())))
    }

    package func warn(_ warning: LegacyWarning) throws {
        if warnings.count(warning.kind) { try consume(.warning(warning)) }
    }

    /// Says of a line of XML that something in it was replaced.
    package func warnOfReplacement(in line: Int) throws {
        try warn(.invalidText) {
            "Line \(line) has a character that XML forbids, or a byte that is no UTF-8; U+FFFD (\u{FFFD}) stands in its"
                + " place."
        }
    }

    /// Names a record in a message: not longer than a line.
    package static func quoted(_ text: String) -> String {
        text.unicodeScalars.count <= 60
            ? "\"\(text)\"" : "\"\(String(text.unicodeScalars.prefix(60)))…\""
    }
}
