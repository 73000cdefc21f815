/// The elements of a list or a set, which are read when they are walked through.
///
/// Takes no more memory than a reference, however many elements there are, and keeps the file that they lie in. A walk
/// holds the part that it is at.
///
/// ```swift
/// guard case .list(let tracks) = try playlist.value("tracks") else { return }
/// var iterator = tracks.makeIterator()
/// while let track = try iterator.next() { print(track) }
/// ```
///
/// In the file an element has a place. A list or set of links may have places with a link to an object that never
/// arrived on the device, or that is lost where a damaged file is salvaged: walks pass over them.
public struct RealmElements: Sendable, Equatable {
    let place: CollectionPlace

    init(_ place: CollectionPlace) {
        self.place = place
    }

    /// Whether two collections have the same elements in the same order, however they lie in their files.
    ///
    /// One that cannot be read is equal to none but itself.
    ///
    /// - Complexity: O(elements).
    public static func == (left: Self, right: Self) -> Bool {
        ContentComparison.areEqual(.list(left), .list(right))
    }

    /// How many places there are, by what the file says: as many as elements, where no link leads nowhere.
    ///
    /// - Throws: ``RealmFileError`` where the first part of the collection is damaged.
    /// - Complexity: O(1).
    public func count() throws(RealmFileError) -> Int {
        guard let root = place.root, case .elements(let type) = place.form else { return 0 }
        let source = place.unnotedSource
        switch try ElementRoot(root, type, source) {
        case .splitTimestamps(let trees):
            return try trees.seconds.count(SplitTimestamps.secondsCount)
        case .tree(let tree):
            return try tree.count { node throws(RealmFileError) in
                let count = try leaf(node, type, source).count
                try ElementTree.check(count, node)
                return count
            }
        }
    }

    /// The element at a place. Null, too, where a walk passes over it.
    ///
    /// - Parameter index: from 0 to below ``count()``.
    /// - Throws: ``RealmFileError``; `.invalidRequest` for an index that there is none for.
    /// - Complexity: O(log elements).
    public func element(at index: Int) throws(RealmFileError) -> RealmValue {
        let count = try count()
        guard index >= 0, index < count, let root = place.root,
            case .elements(let type) = place.form
        else {
            throw RealmFileError(
                .invalidRequest,
                "Element \(index) was asked for of a collection of \(count)."
            )
        }
        let source = place.unnotedSource
        let value: RealmValue
        switch try ElementRoot(root, type, source) {
        case .splitTimestamps(let trees): value = try trees.value(at: index)
        case .tree(let tree):
            var found: Leaf?
            let (node, range) = try tree.leaf(with: index) { node throws(RealmFileError) in
                let leaf = try leaf(node, type, source)
                found = leaf
                return leaf.count
            }
            try ElementTree.check(range.count, node)
            guard let found else { return .null }
            value = try found.value(at: index - range.lowerBound)
        }
        return place.links?.sound(value) ?? value
    }

    private func leaf(
        _ node: ArrayNode,
        _ type: ElementType,
        _ source: NodeSource
    ) throws(RealmFileError) -> Leaf {
        try Leaf(node, type, source, place.directory, depth: place.depth)
    }

    /// Hands over the elements in order, until `body` returns false.
    ///
    /// - Parameter body: is given an element. What it throws ends the walk and comes out unchanged.
    /// - Throws: ``RealmFileError`` where an element is damaged, and what `body` throws.
    /// - Complexity: O(elements); memory for one part of the collection.
    public func forEach(_ body: (RealmValue) throws -> Bool) throws {
        var iterator = makeIterator()
        while let element = try iterator.next() {
            guard try body(element) else { return }
        }
    }

    /// All elements together. Collections among them are read later, as this one was.
    ///
    /// Takes far more memory than the file may: a list of a million zeros has 15 KB in a file and 48 MB here.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(elements), memory as well.
    public func values() throws(RealmFileError) -> [RealmValue] {
        var values: [RealmValue] = []
        var iterator = makeIterator()
        while let value = try iterator.next() { values.append(value) }
        return values
    }

    /// A walk through the elements from the first one on.
    public func makeIterator() -> Iterator { Iterator(place) }

    /// A walk through the elements of a list or a set.
    ///
    /// Opens no more of the file than the file has bytes, and no part of the collection twice. Collections that it
    /// hands over take part in that: whoever walks through them as well, once each, comes to an end, whatever the file
    /// says.
    public struct Iterator: ~Copyable {
        private var cursor: ElementCursor?
        private var place: CollectionPlace?

        init(_ place: CollectionPlace) {
            self.place = place
        }

        /// The next element; nil after the last one, and after an error.
        ///
        /// - Throws: ``RealmFileError`` where it is damaged.
        /// - Complexity: O(1) mostly.
        public mutating func next() throws(RealmFileError) -> RealmValue? {
            if let place {
                self.place = nil
                cursor = try ElementCursor(place)
            }
            return try cursor?.next()
        }
    }
}
