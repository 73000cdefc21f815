/// A property of a class.
public struct RealmProperty: Sendable, Hashable {
    /// Whether there is one value or several.
    public enum Collection: Sendable, Hashable {
        case none, list, set, dictionary
    }

    public let name: String
    /// What it holds, one of it or a collection.
    public let type: RealmValueType
    public let collection: Collection
    /// Whether a value, or an element of the collection, may be null. Links always may, but not within lists.
    public let isOptional: Bool
    public let isIndexed: Bool
    /// The place in ``RealmReader/classes`` of the class that links lead to.
    public let targetIndex: Int?
    /// Its place among the properties of its class.
    let index: Int

    /// The attributes as the file numbers them (`ColumnAttr` in `column_type.hpp` of realm-core), without those of
    /// indexes.
    public var attributeBits: Int {
        var bits: ColumnAttributes = isOptional ? .nullable : []
        switch collection {
        case .none: break
        case .list: bits.insert(.list)
        case .set: bits.insert(.set)
        case .dictionary: bits.insert(.dictionary)
        }
        return bits.rawValue
    }
}
