import LegacyRecords
import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The persistent history of a Core Data store: which rows were changed when, without any values.
///
/// `ACHANGE` has a row for each change, with the number of the entity (`ZENTITY`, the row's own one where others
/// inherit), that of the row (`ZENTITYPK`), the sort of change (`ZCHANGETYPE`: 0 inserted, 1 updated, 2 deleted) and
/// the transaction, whose time (`ATRANSACTION.ZTIMESTAMP`) is in seconds since 2001. Told from stores of Photos, where
/// every change names the row's own entity. An app may cut its history short: then less is known.
struct CoreDataHistory {
    /// What the columns of a ``query(of:)`` are called.
    static let rowColumn = "reprise_row"
    static let createdColumn = "reprise_created"
    static let changedColumn = "reprise_changed"

    /// Nil where the store keeps no history of that form.
    init?(_ tables: [SQLiteTable]) {
        func has(_ name: String, _ columns: [String]) -> Bool {
            guard let table = tables.first(where: { $0.kind == .table && $0.name == name }) else {
                return false
            }
            let names = Set(table.readableColumns.map(\.name))
            return columns.allSatisfy(names.contains)
        }
        guard has("ACHANGE", ["ZENTITY", "ZENTITYPK", "ZCHANGETYPE", "ZTRANSACTIONID"]),
            has("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"])
        else { return nil }
    }

    /// A query for the times of all rows of some entities: for each row when it was inserted, as far as that is known,
    /// and when it was last inserted or updated.
    func query(of entities: some Collection<Int64>) -> String {
        let numbers = entities.sorted().map(String.init).joined(separator: ", ")
        return """
            SELECT c."ZENTITYPK" AS \(Self.rowColumn), \
            min(CASE c."ZCHANGETYPE" WHEN 0 THEN t."ZTIMESTAMP" END) AS \(Self.createdColumn), \
            max(t."ZTIMESTAMP") AS \(Self.changedColumn) \
            FROM "ACHANGE" c JOIN "ATRANSACTION" t ON t."Z_PK" = c."ZTRANSACTIONID" \
            WHERE c."ZENTITY" IN (\(numbers)) AND c."ZCHANGETYPE" IN (0, 1) GROUP BY 1
            """
    }
}

extension LegacyTimes {
    /// - Parameters:
    ///   - created: what a ``CoreDataHistory/query(of:)`` has of it.
    ///   - changed: the same.
    /// - Returns: nil where nothing is known.
    init?(created: SQLiteValue, changed: SQLiteValue) {
        let (created, changed) = (Self.date(created), Self.date(changed))
        if created == nil, changed == nil { return nil }
        self.init(created: created, changed: changed)
    }

    private static func date(_ value: SQLiteValue) -> Date? {
        switch value {
        case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
        case .real(let seconds) where seconds.isFinite:
            Date(timeIntervalSinceReferenceDate: seconds)
        default: nil
        }
    }
}
