extension RealmClass {
    /// Looks objects up by their keys and remembers where the last one was: neighbours cost next to nothing.
    public struct Lookup: Sendable {
        private let realmClass: RealmClass
        private var last: RowChunk?

        init(_ realmClass: RealmClass) {
            self.realmClass = realmClass
        }

        /// The object with a key; nil where there is none.
        ///
        /// - Throws: ``RealmFileError``.
        /// - Complexity: O(log some hundred objects) beside the last one that was found, else
        ///   O(properties + log objects).
        public mutating func object(withKey key: Int64) throws(RealmFileError) -> RealmObject? {
            if let salvaged = realmClass.storage.rows,
                !salvaged.isWhole(RealmLink(classIndex: realmClass.index, key: key))
            {
                return nil
            }
            if let last, let index = try last.index(ofKey: key) {
                return try RealmObject(realmClass, Row(chunk: last, index: index))
            }
            guard let row = try realmClass.rows.row(withKey: key) else { return nil }
            last = row.chunk
            return try RealmObject(realmClass, row)
        }
    }

    /// A way to look up many objects, one after the other.
    public func lookup() -> Lookup { Lookup(self) }
}
