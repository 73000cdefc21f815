import LegacyRecords
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The annotation that says when the rows of a batch were made and changed in the store that they come from.
struct RecordedTimes {
    static let name = "migration.times"

    private var rows: [(row: EntityReference, times: LegacyTimes)] = []

    init() {}

    var isEmpty: Bool { rows.isEmpty }

    mutating func append(_ row: EntityReference, _ times: LegacyTimes) {
        if times.created == nil, times.changed == nil { return }
        rows.append((row, times))
    }

    mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    func times(of row: EntityReference) -> LegacyTimes? {
        rows.last { $0.row.model == row.model && $0.row.id.utf8.elementsEqual(row.id.utf8) }?.times
    }

    /// What is known of each row; of one that is named twice, what was said last.
    var timesByRow: [EntityReference: LegacyTimes] {
        Dictionary(rows.map { ($0.row, $0.times) }, uniquingKeysWith: { _, last in last })
    }

    // MARK: Beside a row

    /// Times as they travel with a row until it is written.
    static func bytes(_ times: LegacyTimes) -> [UInt8] {
        let numbers = [times.created, times.changed].map { number($0) }
        if numbers.allSatisfy({ $0 == nil }) { return [] }
        return numbers.flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: (number ?? .min) >> ($0 * 8)) }
        }
    }

    /// What ``bytes(_:)`` has made.
    static func times(_ bytes: [UInt8]) -> LegacyTimes {
        let dates = [0, 8].map { start -> Date? in
            let number = (0..<8).reduce(0) { $0 | Int64(bytes[start + $1]) << ($1 * 8) }
            return number == .min ? nil : date(number)
        }
        return LegacyTimes(created: dates[0], changed: dates[1])
    }

    private static func date(_ microseconds: Int64?) -> Date? {
        microseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
    }

    // MARK: In the log

    /// The payloads, as many as it takes.
    func payloads(_ migration: String) -> [[UInt8]] {
        var entries = AnnotationEntries()
        for (row, times) in rows {
            let values = [times.created, times.changed].map {
                Self.number($0).map(String.init) ?? "null"
            }
            entries.append([row.model, row.id].map(JSONText.quoted) + values, to: "times")
        }
        return entries.payloads.map { lists in
            var json = JSONText()
            json.member("migration", migration)
            json.member("times", entries: lists["times"] ?? [])
            return json.bytes
        }
    }

    /// Microseconds since 1970; nil for what does not fit.
    private static func number(_ date: Date?) -> Int64? {
        guard let date else { return nil }
        return Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded())
    }

    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    init(_ annotation: Annotation) throws {
        let payload = try MigrationLog.decode(Payload.self, annotation)
        rows = payload.times.map { ($0.row, $0.times) }
    }

    private struct Payload: Decodable {
        var times: [Entry]
    }

    private struct Entry: Decodable {
        let row: EntityReference
        let times: LegacyTimes

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            row = EntityReference(
                model: try list.decode(String.self),
                id: try list.decode(String.self)
            )
            let numbers = (
                try list.decodeIfPresent(Int64.self), try list.decodeIfPresent(Int64.self)
            )
            times = LegacyTimes(created: RecordedTimes.date(numbers.0), changed: RecordedTimes.date(numbers.1))
        }
    }
}
