extension RealmClass {
    /// A property of a class.
    public struct Property: Sendable, Hashable {
        /// Whether there is one value or several.
        public enum Collection: Sendable, Hashable {
            /// One value.
            case none
            /// Values in order, repeats kept.
            case list
            /// Distinct values without an order.
            case set
            /// Values by a text.
            case dictionary
        }

        /// The name in the file.
        public let name: String
        /// What it holds, one of it or a collection.
        public let type: RealmValueType
        /// Whether there is one value or several.
        public let collection: Collection
        /// Whether a value, or an element of the collection, may be null. Links always may, but not within lists.
        public let isOptional: Bool
        /// Whether the app had an index for it, for values or for words.
        public let isIndexed: Bool
        /// The place in ``RealmReader/classes`` of the class that links lead to.
        public let targetIndex: Int?
        /// Its place in ``RealmClass/properties``.
        public let index: Int
        /// The place of its class.
        let classIndex: Int

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
}
