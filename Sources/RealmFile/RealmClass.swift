/// A class of a Realm file, and its objects.
public final class RealmClass: Sendable {
    /// What its objects are.
    public enum Kind: Sendable, Hashable {
        /// Objects of their own.
        case topLevel
        /// Parts of other objects, which are reached by links only.
        case embedded
        /// Objects that a device only sends and never keeps.
        case asymmetric
    }

    /// The name as the app knows it.
    public let name: String
    /// The name in the file: `class_` and the name, or a name of Realm's own.
    public let tableName: String
    /// What its objects are.
    public let kind: Kind
    /// In the order in which they were declared, as far as the file keeps it.
    public let properties: [Property]
    /// The property that identifies objects.
    public let primaryKey: Property?
    /// How many objects there are, by what the file says; where it was salvaged, how many are whole.
    public let objectCount: Int
    /// The number by which the file names the class.
    public let tableKey: Int64
    /// Its place in ``RealmReader/classes``.
    public let index: Int
    /// Whether nothing of it can be read but its name: of a damaged file that is salvaged. Then it seems to have
    /// neither properties nor objects.
    public let isLost: Bool

    let storage: RealmStorage
    var rows: RowReader {
        RowReader(
            storage.tables[index],
            storage.source,
            storage.directory,
            salvaged: storage.rows?.classes[index]
        )
    }

    init(_ storage: RealmStorage, _ index: Int) {
        let layout = storage.tables[index]
        self.storage = storage
        self.index = index
        name = Self.name(ofTable: layout.tableName)
        tableName = layout.tableName
        kind = layout.kind
        properties = layout.properties
        primaryKey = layout.primaryKeyIndex.map { layout.properties[$0] }
        objectCount = storage.rows?.wholeCount(ofClass: index) ?? layout.rowCount
        tableKey = layout.tableKey
        isLost = layout.isLost
    }

    private static let prefix = "class_"

    static func name(ofTable name: String) -> String {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    /// Whether it is a class of the app, and not one of Realm's own.
    public var isModel: Bool { tableName.hasPrefix(Self.prefix) }

    /// The property with a name.
    public func property(named name: String) -> RealmClass.Property? {
        properties.first { $0.name.isExactly(name) }
    }

    /// Hands over the objects in the order of their keys, until `body` returns false.
    ///
    /// From version 22 on that is the order in which they were made.
    ///
    /// - Parameter body: is given an object. What it throws ends the walk and comes out unchanged.
    /// - Throws: ``RealmFileError``, and what `body` throws.
    /// - Complexity: O(objects); memory for some hundred objects.
    public func forEachObject(_ body: (RealmObject) throws -> Bool) throws {
        var failure: (any Error)?
        try rows.forEach { row throws(RealmFileError) in
            do {
                return try body(try RealmObject(self, row))
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// The object with a key; nil where there is none.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(properties + log objects).
    public func object(withKey key: Int64) throws(RealmFileError) -> RealmObject? {
        if let salvaged = storage.rows, !salvaged.isWhole(RealmLink(classIndex: index, key: key)) {
            return nil
        }
        guard let row = try rows.row(withKey: key) else { return nil }
        return try RealmObject(self, row)
    }
}
