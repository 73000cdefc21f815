import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Two real stores of Core Data, one of them with a log that holds a part of its data.
@Suite(.enabled(if: Repository.hasDatabases, "the shared databases are not here"))
struct PhotosStoreTests {
    static let stores = ["10.15.7", "13.0.0"]

    private static func sandbox(_ version: String) throws -> DatabaseSandbox {
        try DatabaseSandbox(
            copyOf: Repository.sharedDatabase("coredata/osxphotos_Test-\(version)/Photos.sqlite")
        )
    }

    @Test(arguments: stores)
    func `each entity has as many records as its table has rows`(_ version: String) throws {
        let sandbox = try Self.sandbox(version)
        let before = try sandbox.content
        let source = try CoreDataSource(path: sandbox.path)
        let readout = try Readout(source)
        #expect(try sandbox.content == before)
        #expect(source.identity.name.count == 36)
        // Model by model, in the order of the schema.
        var order: [String] = []
        for record in readout.records where order.last != record.className {
            order.append(record.className)
        }
        let filled = Set(order)
        #expect(order == source.schema.models.map(\.name).filter(filled.contains))

        let database = try SQLiteScratch(at: sandbox.path)
        let roots = try database.texts(
            "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000"
        )
        #expect(roots.count > 40)
        var rowCount = 0
        for root in roots {
            let count = try #require(
                Int(try database.texts("SELECT count(*) FROM Z\(root.uppercased())")[0])
            )
            #expect(readout.reading.recordCounts[root, default: 0] == count, "\(root)")
            rowCount += count
        }
        #expect(rowCount == readout.records.count && rowCount > 500)
    }

    @Test(arguments: stores)
    func `ordered relationships have the order of the store`(_ version: String) throws {
        let sandbox = try Self.sandbox(version)
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        let database = try SQLiteScratch(at: sandbox.path)
        let tables = try database.texts(
            "SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' "
                + "AND m.sql LIKE '%Z_FOK_%'"
        )
        #expect(tables.count >= 2)
        var entryCount = 0
        for table in tables {
            let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
            let order = try #require(columns.first { $0.hasPrefix("Z_FOK_") })
            let member = "Z_" + order.dropFirst(6)
            let owner = try #require(columns.first { $0 != order && $0 != member })
            for key in try database.texts("SELECT DISTINCT \(owner) FROM \(table)") {
                let expected = try database.texts(
                    "SELECT \(member) FROM \(table) WHERE \(owner) = \(key) ORDER BY \(order)"
                )
                let candidates = readout.lists.filter {
                    $0.key == key && Array($0.members) == expected
                }
                #expect(!candidates.isEmpty, "\(table) \(key)")
                entryCount += expected.count
            }
        }
        #expect(entryCount >= 60)
    }

    @Test(arguments: stores)
    func `each relationship is the number that is in its column`(_ version: String) throws {
        let sandbox = try Self.sandbox(version)
        let source = try CoreDataSource(path: sandbox.path)
        let readout = try Readout(source)
        let database = try SQLiteScratch(at: sandbox.path)
        var referenceCount = 0
        for model in source.schema.models {
            let columns = Dictionary(
                try database.texts(
                    "SELECT name FROM pragma_table_info('Z\(model.name.uppercased())')"
                )
                .map { ($0.dropFirst().lowercased(), $0) },
                uniquingKeysWith: { first, _ in first }
            )
            for attribute in model.attributes where attribute.type == .reference {
                let column = try #require(
                    columns[attribute.name.lowercased()] ?? Self.memberColumn(attribute.name, of: columns),
                    "\(model.name).\(attribute.name)"
                )
                let expected = try database.texts(
                    "SELECT Z_PK || ' ' || \(column) FROM Z\(model.name.uppercased()) WHERE \(column) IS NOT NULL"
                )
                let found = readout.records.compactMap { record -> String? in
                    guard record.className == model.name,
                        case .reference(let key) = record[attribute.name]
                    else {
                        return nil
                    }
                    return "\(record.key) \(key)"
                }
                #expect(Set(found).isSubset(of: expected), "\(model.name).\(attribute.name)")
                referenceCount += found.count
            }
        }
        #expect(referenceCount > 100)
    }

    /// The column of a to-one whose list has no inverse: the list's name behind the number of the owner's entity. The
    /// name here is `<list>Of<owner>`.
    private static func memberColumn(_ name: String, of columns: [String: String]) -> String? {
        columns.first { column, _ in
            let digits = column.prefix { $0.isNumber }
            return !digits.isEmpty && name.lowercased().hasPrefix("\(column.dropFirst(digits.count))of")
        }?.value
    }

    @Test(arguments: stores)
    func `records have the times that the history says, and are no older than they are`(
        _ version: String
    ) throws {
        let sandbox = try Self.sandbox(version)
        let readout = try Readout(CoreDataSource(path: sandbox.path))
        let database = try SQLiteScratch(at: sandbox.path)
        let changed = try database.texts(
            "SELECT DISTINCT p.Z_NAME || ' ' || c.ZENTITYPK FROM ACHANGE c JOIN Z_PRIMARYKEY p ON p.Z_ENT = c.ZENTITY "
                + "WHERE c.ZCHANGETYPE < 2 AND p.Z_SUPER = 0"
        )
        let known = Set(changed)
        let timed = readout.records.filter { $0.times != nil }
        #expect(timed.count > 300)
        for record in readout.records
        where source(of: record) == record.className
            && known.contains("\(record.className) \(record.key)")
        {
            #expect(record.times != nil, "\(record.className) \(record.key)")
        }
        for record in timed {
            guard let created = record.times?.created, let changed = record.times?.changed else {
                continue
            }
            #expect(created <= changed)
        }
    }

    /// The entity that a record is of.
    private func source(of record: LegacyRecord) -> String {
        if case .string(let entity)? = record["entity"] { return entity }
        return record.className
    }
}
