/// Where the values of a property lie, and in which form. Columns without a name hold the origins of links.
struct ColumnLayout {
    /// What there is for each row.
    enum Content {
        case single(ElementType)
        case list(ElementType)
        case set(ElementType)
        /// The type is that of the keys.
        case dictionary(ElementType.Kind)
        case backlinks
    }

    /// The place of the column's array: in a leaf of rows from version 10 on, among the columns before.
    let position: Int
    /// What links name the column by.
    let columnKey: Int64
    let content: Content
    /// Of a link: the class that it leads to. Of origins: the class that they are of.
    var otherClass: Int?
    /// Of origins: the column that they link with.
    var originColumnKey: Int64?
    /// Two trees, of seconds and of nanoseconds, in the files of old.
    var isSplitTimestamp = false
}

/// The values of a column that lie together.
enum ColumnPart {
    case leaf(Leaf)
    /// A reference for each row.
    case collections(ArrayNode)
    /// For each row a key, a reference to several, or nothing.
    case backlinks(ArrayNode)

    var count: Int {
        switch self {
        case .leaf(let leaf): leaf.count
        case .collections(let node), .backlinks(let node): node.count
        }
    }
}

extension ColumnLayout {
    func part(
        _ node: ArrayNode,
        _ source: NodeSource,
        _ directory: ClassDirectory
    ) throws(RealmFileError) -> ColumnPart {
        switch content {
        case .single(let type): .leaf(try Leaf(node, type, source, directory))
        case .list, .set, .dictionary: .collections(try node.checked(as: .references))
        case .backlinks: .backlinks(try node.checked(as: .references))
        }
    }

    /// The value for a row.
    func value(
        _ part: ColumnPart,
        at index: Int,
        _ source: NodeSource,
        _ directory: ClassDirectory
    ) throws(RealmFileError) -> RealmValue {
        switch part {
        case .leaf(let leaf): return try leaf.value(at: index)
        case .backlinks: return .null
        case .collections(let node):
            let root = try node.reference(at: index)
            func place(_ form: CollectionPlace.Form) -> CollectionPlace {
                CollectionPlace(form, root: root, depth: 0, source, directory)
            }
            switch content {
            case .list(let type): return .list(RealmElements(place(.elements(type))))
            case .set(let type): return .set(RealmElements(place(.elements(type))))
            case .dictionary(let keys):
                return .dictionary(RealmDictionary(place(.dictionary(keys: keys))))
            case .single, .backlinks: return .null
            }
        }
    }

    /// How many links of a collection lead to what is not there, but may come from elsewhere one day.
    func unresolvedLinkCount(_ reference: Int?, _ source: NodeSource) throws(RealmFileError) -> Int
    {
        guard let reference else { return 0 }
        switch content {
        case .list(let type), .set(let type):
            guard type.kind == .keys else { return 0 }
        default: return 0
        }
        var count = 0
        try ElementTree(source, root: reference).forEachLeaf { node throws(RealmFileError) in
            let keys = try node.checked(as: .integers)
            for index in 0..<keys.count where try keys.integer(at: index) < 0 { count += 1 }
            return keys.count
        }
        return count
    }
}
