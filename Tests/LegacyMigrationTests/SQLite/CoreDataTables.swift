/// The tables that every store of Core Data has.
enum CoreDataTables {
    /// - Parameters:
    ///   - entities: rows of `Z_PRIMARYKEY`: number, name, the number of the entity above, and the last key.
    ///   - uuid: that of the store.
    static func sql(_ entities: String, uuid: String = "STORE-UUID") -> String {
        """
        CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES(1, '\(uuid)', NULL);
        CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES\(entities);

        """
    }
}
