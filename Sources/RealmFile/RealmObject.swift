/// One object of a Realm file. Values are read when they are asked for.
public struct RealmObject: Sendable {
    /// What links name the object by. Unique within its class.
    public let key: Int64
    /// The object's class.
    public let realmClass: RealmClass
    private let row: Row

    init(_ realmClass: RealmClass, _ row: Row) throws(RealmFileError) {
        self.realmClass = realmClass
        self.row = row
        key = try row.key()
    }

    /// The value of a property. Of a collection no element is read yet.
    ///
    /// - Parameter property: one of the object's class.
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(1).
    public func value(_ property: RealmClass.Property) throws(RealmFileError) -> RealmValue {
        guard property.classIndex == realmClass.index else {
            throw RealmFileError(
                .invalidRequest,
                "The property \(property.name) is not one of \(realmClass.name)."
            )
        }
        let value = try row.value(property.index)
        guard let salvaged = realmClass.storage.rows else { return value }
        let column = realmClass.storage.tables[realmClass.index].columns[property.index]
        return LinkFilter(
            rows: salvaged,
            origin: key,
            column: LinkColumn(classIndex: realmClass.index, columnKey: column.columnKey)
        )
        .sound(value)
    }

    /// How many links of a list or set lead to objects that never arrived on the device. They are not in its value.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(elements).
    public func unresolvedLinkCount(_ property: RealmClass.Property) throws(RealmFileError) -> Int {
        guard property.type == .link, property.collection != .none,
            property.classIndex == realmClass.index
        else { return 0 }
        return try row.unresolvedLinkCount(property.index)
    }

    /// The value of the property with a name.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(properties).
    public func value(_ name: String) throws(RealmFileError) -> RealmValue {
        guard let property = realmClass.property(named: name) else {
            throw RealmFileError(
                .invalidRequest,
                "\(realmClass.name) has no property \(name)."
            )
        }
        return try value(property)
    }
}
