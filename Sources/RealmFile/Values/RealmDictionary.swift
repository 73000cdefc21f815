/// The entries of a dictionary, which are read when they are walked through, in the order in which the file has them.
///
/// Takes no more memory than a reference, however many entries there are, and keeps the file that they lie in. A walk
/// holds the part that it is at.
public struct RealmDictionary: Sendable, Equatable {
    let place: CollectionPlace

    init(_ place: CollectionPlace) {
        self.place = place
    }

    /// Whether two dictionaries have the same entries in the same order, however they lie in their files.
    ///
    /// One that cannot be read is equal to none but itself.
    ///
    /// - Complexity: O(entries).
    public static func == (left: Self, right: Self) -> Bool {
        ContentComparison.areEqual(.dictionary(left), .dictionary(right))
    }

    /// How many entries there are, by what the file says.
    ///
    /// - Throws: ``RealmFileError`` where the first part of the dictionary is damaged.
    /// - Complexity: O(1).
    public func count() throws(RealmFileError) -> Int {
        guard let root = place.root, case .dictionary(let keys) = place.form else { return 0 }
        let source = place.unnotedSource
        guard source.version.hasSortedDictionaries else {
            return try ClusterTree(source, root: root).count()
        }
        let node = try source.references(at: root)
        let type = ElementType(kind: keys, isNullable: false)
        return try ElementTree(source, root: node.requiredReference(at: 0)).count {
            node throws(RealmFileError) in
            let count = try Leaf(node, type, source, place.directory).count
            try ElementTree.check(count, node)
            return count
        }
    }

    /// Hands over the entries, until `body` returns false.
    ///
    /// - Parameter body: is given an entry. What it throws ends the walk and comes out unchanged.
    /// - Throws: ``RealmFileError`` where an entry is damaged, and what `body` throws.
    /// - Complexity: O(entries); memory for one part of the dictionary.
    public func forEach(_ body: (RealmValue.Entry) throws -> Bool) throws {
        var iterator = makeIterator()
        while let entry = try iterator.next() {
            guard try body(entry) else { return }
        }
    }

    /// All entries together. Collections among them are read later, as this one was.
    ///
    /// Takes far more memory than the file may, as ``RealmElements/values()`` does.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(entries), memory as well.
    public func entries() throws(RealmFileError) -> [RealmValue.Entry] {
        var entries: [RealmValue.Entry] = []
        var iterator = makeIterator()
        while let entry = try iterator.next() { entries.append(entry) }
        return entries
    }

    /// A walk through the entries from the first one on.
    public func makeIterator() -> Iterator { Iterator(place) }

    /// A walk through the entries of a dictionary, with the limits of ``RealmElements/Iterator``.
    public struct Iterator: ~Copyable {
        private var cursor: DictionaryCursor?
        private var place: CollectionPlace?

        init(_ place: CollectionPlace) {
            self.place = place
        }

        /// The next entry; nil after the last one, and after an error.
        ///
        /// - Throws: ``RealmFileError`` where it is damaged.
        /// - Complexity: O(1) mostly.
        public mutating func next() throws(RealmFileError) -> RealmValue.Entry? {
            if let place {
                self.place = nil
                cursor = try DictionaryCursor(place)
            }
            return try cursor?.next()
        }
    }
}
