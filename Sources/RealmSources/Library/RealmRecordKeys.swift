import LegacyRecords
import RealmFile

/// The keys of the records that objects of a Realm file become: always the same for the same object
/// (Specs/format/migration.md).
struct RealmRecordKeys {
    /// A key, and what it was made of.
    struct Key {
        let text: String
        /// Whether it was made because the object's primary key cannot be used.
        var replacesPrimaryKey = false
    }

    /// - Parameter isFurther: whether a class before it has the same model: then their primary keys may be the same.
    static func key(of object: RealmObject, isFurther: Bool = false) throws(RealmFileError) -> Key {
        let name = object.realmClass.name
        guard let property = object.realmClass.primaryKey else {
            let parts: [String?] = ["reprise realm", name, String(object.key)]
            return Key(text: ContentKey(parts).text)
        }
        let text = try object.value(property).identifier
        guard let text, KeyRegistry.isUsable(text) else {
            return Key(
                text: ContentKey(["reprise realm", name, text]).text,
                replacesPrimaryKey: true
            )
        }
        guard isFurther else { return Key(text: text) }
        return Key(text: ContentKey(["reprise realm", name, text]).text)
    }
}
