/// Reads the elements of a list or a set one after the other. Holds a leaf, and the way to it.
///
/// A class, because it is large to copy for every element.
final class ElementCursor {
    private let place: CollectionPlace
    private let source: NodeSource
    private let type: ElementType
    /// Nil at the end, and where there is none.
    private var leaves: LeafWalk?
    private var timestamps: SplitTimestamps.Cursor?
    private var leaf: Leaf?
    private var index = 0
    private var count = 0

    init(_ place: CollectionPlace) throws(RealmFileError) {
        self.place = place
        guard let root = place.root, case .elements(let type) = place.form else {
            source = place.unnotedSource
            type = ElementType(kind: .mixed, isNullable: true)
            return
        }
        self.type = type
        source = place.sourceOfWalk()
        switch try ElementRoot(root, type, source) {
        case .tree(let tree): leaves = LeafWalk(tree)
        case .splitTimestamps(let trees): timestamps = SplitTimestamps.Cursor(trees)
        }
    }

    /// - Parameter tree: one half of a dictionary.
    init(_ tree: ElementTree, _ type: ElementType, _ place: CollectionPlace) {
        self.place = place
        self.type = type
        source = tree.source
        leaves = LeafWalk(tree)
    }

    /// The next element; nil after the last one, and after an error.
    func next() throws(RealmFileError) -> RealmValue? {
        do throws(RealmFileError) {
            repeat {
                while let leaf, index < count {
                    let value = try leaf.value(at: index)
                    index += 1
                    // Of links to an object: one to what is not there, but may come from elsewhere one day.
                    if case .null = value, type.kind == .keys { continue }
                    guard let links = place.links else { return value }
                    if let value = links.element(value) { return value }
                }
            } while try openLeaf()
            return try timestamps?.next()
        } catch {
            leaf = nil
            leaves = nil
            timestamps = nil
            throw error
        }
    }

    /// Returns false where there is no further leaf.
    private func openLeaf() throws(RealmFileError) -> Bool {
        guard let node = try leaves?.next() else { return false }
        let leaf = try Leaf(node, type, source, place.directory, depth: place.depth)
        try leaves?.add(leaf.count, of: node)
        self.leaf = leaf
        index = 0
        count = leaf.count
        return true
    }
}

/// What the root of a list or a set leads to.
enum ElementRoot {
    case tree(ElementTree)
    case splitTimestamps(SplitTimestamps)

    init(_ root: Int, _ type: ElementType, _ source: NodeSource) throws(RealmFileError) {
        guard !source.version.hasClusters, type.kind != .keys else {
            self = .tree(ElementTree(source, root: root))
            return
        }
        // A table of its own with one column, which may have an index.
        let column = try source.references(at: root).requiredReference(at: 0)
        self =
            type.kind == .timestamps
            ? .splitTimestamps(try SplitTimestamps(source, root: column))
            : .tree(ElementTree(source, root: column))
    }
}
