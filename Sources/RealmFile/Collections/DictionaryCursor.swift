/// Reads the entries of a dictionary one after the other: from a tree of keys and one of values, or, before version 23,
/// from rows of a key and a value in clusters.
///
/// Source: `dictionary.cpp` of realm-core 20.1.5 and 11.17 (Apache-2.0).
///
/// A class, because it is large to copy for every entry.
final class DictionaryCursor {
    private let place: CollectionPlace
    private let source: NodeSource
    private let keyType: ElementType
    private var trees: (keys: ElementCursor, values: ElementCursor)?
    private var clusters: ClusterWalk?
    private var rows: Rows?

    /// Rows that lie together.
    private struct Rows {
        let keys: Leaf
        let values: MixedLeaf
        let count: Int
        var index = 0
    }

    init(_ place: CollectionPlace) throws(RealmFileError) {
        self.place = place
        guard let root = place.root, case .dictionary(let keys) = place.form else {
            source = place.unnotedSource
            keyType = ElementType(kind: .strings, isNullable: false)
            return
        }
        source = place.sourceOfWalk()
        keyType = ElementType(kind: keys, isNullable: false)
        guard source.version.hasSortedDictionaries else {
            clusters = ClusterWalk(ClusterTree(source, root: root))
            return
        }
        let node = try source.references(at: root)
        let keyTree = ElementTree(source, root: try node.requiredReference(at: 0))
        let valueTree = ElementTree(source, root: try node.requiredReference(at: 1))
        let valueType = ElementType(kind: .mixed, isNullable: true)
        trees = (
            keys: ElementCursor(keyTree, keyType, place),
            values: ElementCursor(valueTree, valueType, place)
        )
    }

    /// The next entry; nil after the last one, and after an error.
    func next() throws(RealmFileError) -> RealmValue.Entry? {
        do throws(RealmFileError) {
            if let trees { return try next(in: trees.keys, trees.values) }
            return try nextInRows()
        } catch {
            trees = nil
            clusters = nil
            rows = nil
            throw error
        }
    }

    private func next(
        in keys: ElementCursor,
        _ values: ElementCursor
    ) throws(RealmFileError) -> RealmValue.Entry? {
        let key = try keys.next()
        let value = try values.next()
        guard let key, let value else {
            guard key == nil, value == nil else {
                throw RealmFileError(
                    .damaged,
                    "A dictionary has another number of keys than of values.",
                    at: place.root
                )
            }
            return nil
        }
        return RealmValue.Entry(key: key, value: value)
    }

    private func nextInRows() throws(RealmFileError) -> RealmValue.Entry? {
        while true {
            if let rows, rows.index < rows.count {
                self.rows?.index += 1
                return RealmValue.Entry(
                    key: try rows.keys.value(at: rows.index),
                    value: sound(try rows.values.value(at: rows.index))
                )
            }
            guard let cluster = try clusters?.next() else { return nil }
            rows = try read(cluster)
        }
    }

    private func sound(_ value: RealmValue) -> RealmValue { place.links?.sound(value) ?? value }

    private func read(_ cluster: Cluster) throws(RealmFileError) -> Rows {
        let keys = try Leaf(
            source.node(at: cluster.node.requiredReference(at: 1)),
            keyType,
            source,
            place.directory
        )
        let values = try MixedLeaf(
            source.node(at: cluster.node.requiredReference(at: 2)),
            source,
            place.directory,
            depth: place.depth
        )
        guard keys.count == cluster.count, values.count == cluster.count else {
            throw RealmFileError(
                .damaged,
                "A dictionary has rows of no value.",
                at: cluster.node.offset
            )
        }
        return Rows(keys: keys, values: values, count: cluster.count)
    }
}

extension DictionaryCursor {
    /// Reads the keys of a dictionary alone, and notes nothing of it.
    final class Keys {
        private let place: CollectionPlace
        private let type: ElementType
        private let source: NodeSource
        private var tree: ElementCursor?
        private var clusters: ClusterWalk?
        private var leaf: Leaf?
        private var index = 0

        init(_ place: CollectionPlace) throws(RealmFileError) {
            self.place = place
            source = place.unnotedSource.budgeted
            guard let root = place.root, case .dictionary(let keys) = place.form else {
                type = ElementType(kind: .strings, isNullable: false)
                return
            }
            type = ElementType(kind: keys, isNullable: false)
            if source.version.hasSortedDictionaries {
                let node = try source.references(at: root)
                let keyTree = ElementTree(source, root: try node.requiredReference(at: 0))
                tree = ElementCursor(keyTree, type, place)
            } else {
                clusters = ClusterWalk(ClusterTree(source, root: root))
            }
        }

        /// The next key; nil after the last one.
        func next() throws(RealmFileError) -> RealmValue? {
            if let tree { return try tree.next() }
            while true {
                if let leaf, index < leaf.count {
                    index += 1
                    return try leaf.value(at: index - 1)
                }
                guard let cluster = try clusters?.next() else { return nil }
                let node = try source.node(at: cluster.node.requiredReference(at: 1))
                leaf = try Leaf(node, type, source, place.directory)
                index = 0
            }
        }
    }
}
