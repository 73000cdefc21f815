/// Dictionaries: a tree of keys and one of values, or, before version 23, rows of a key and a value in clusters.
///
/// Source: `dictionary.cpp` of realm-core 20.1.5 and 11.17 (Apache-2.0).
enum DictionaryTrees {
    static func entries(
        at reference: Int,
        keyType: ElementType.Kind,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        depth: Int = 0
    ) throws(RealmFileError) -> [RealmValue.Entry] {
        guard source.version.hasSortedDictionaries else {
            return try rows(at: reference, keyType, source, directory, depth)
        }
        let node = try source.references(at: reference)
        var keys: [RealmValue] = []
        try ElementTree(source, root: node.requiredReference(at: 0)).forEachLeaf {
            node throws(RealmFileError) in
            let leaf = try Leaf(
                node,
                ElementType(kind: keyType, isNullable: false),
                source,
                directory
            )
            try ElementTree.check(leaf.count, node)
            for index in 0..<leaf.count {
                let key = try leaf.value(at: index)
                try source.keep(key, node.offset)
                keys.append(key)
            }
            return leaf.count
        }
        let values = try MixedLeaf.elements(
            at: node.requiredReference(at: 1),
            source,
            directory,
            depth: depth
        )
        guard keys.count == values.count else {
            throw RealmFileError(
                .damaged,
                "A dictionary has \(keys.count) keys and \(values.count) values.",
                at: node.offset
            )
        }
        return zip(keys, values).map { RealmValue.Entry(key: $0, value: $1) }
    }

    private static func rows(
        at reference: Int,
        _ keyType: ElementType.Kind,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        _ depth: Int
    ) throws(RealmFileError) -> [RealmValue.Entry] {
        var entries: [RealmValue.Entry] = []
        try ClusterTree(source, root: reference).forEachLeaf { cluster throws(RealmFileError) in
            let keys = try Leaf(
                source.node(at: cluster.node.requiredReference(at: 1)),
                ElementType(kind: keyType, isNullable: false),
                source,
                directory
            )
            let values = try MixedLeaf(
                source.node(at: cluster.node.requiredReference(at: 2)),
                source,
                directory,
                depth: depth
            )
            guard keys.count == cluster.count, values.count == cluster.count else {
                throw RealmFileError(
                    .damaged,
                    "A dictionary has rows of no value.",
                    at: cluster.node.offset
                )
            }
            for index in 0..<cluster.count {
                let entry = RealmValue.Entry(
                    key: try keys.value(at: index),
                    value: try values.value(at: index)
                )
                try source.keep(entry.key, cluster.node.offset)
                try source.keep(entry.value, cluster.node.offset)
                entries.append(entry)
            }
            return true
        }
        return entries
    }
}
