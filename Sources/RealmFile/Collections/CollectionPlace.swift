import Synchronization

/// Where the elements of a collection lie, and how they are read.
///
/// An object, so that a value of a collection is no larger than one of a number.
final class CollectionPlace: @unchecked Sendable {
    // Unchecked: everything is set before `init` returns. A source that notes what it opens is used by an examination
    // only, which hands no value over.

    /// How the elements lie.
    enum Form {
        case elements(ElementType)
        /// The type is that of the keys.
        case dictionary(keys: ElementType.Kind)
    }

    let form: Form
    /// Where the tree lies; nil for none, which is an empty collection.
    let root: Int?
    /// How many collections it lies in.
    let depth: Int
    let directory: ClassDirectory
    /// Which links are not handed on; where a damaged file is salvaged.
    let links: LinkFilter?
    private let source: NodeSource
    /// What is left of the walk that the collection was met in.
    private let inherited: ReadingBudget?
    private let isWalked = Atomic(false)

    /// - Parameter source: its budget, where it has one, is that of the walk that the collection is met in.
    init(
        _ form: Form,
        root: Int?,
        depth: Int,
        _ source: NodeSource,
        _ directory: ClassDirectory,
        links: LinkFilter? = nil
    ) {
        self.form = form
        self.root = root
        self.depth = depth
        self.directory = directory
        self.links = links
        self.source = source.spending(nil)
        inherited = source.budget
    }

    private init(_ place: CollectionPlace, _ links: LinkFilter) {
        form = place.form
        root = place.root
        depth = place.depth
        directory = place.directory
        source = place.source
        inherited = place.inherited
        self.links = links
    }

    /// The same without the links that are not handed on.
    func restricted(_ links: LinkFilter) -> CollectionPlace { CollectionPlace(self, links) }

    /// What a walk reads from.
    ///
    /// Who walks through all that lies in a collection, once, opens no more bytes than the file has, however its parts
    /// hold each other: so the first walk through a collection that another walk has handed over spends what is left
    /// of that one. Each further walk has a budget of its own.
    func sourceOfWalk() -> NodeSource {
        guard let inherited, !isWalked.exchange(true, ordering: .relaxed) else {
            return source.budgeted
        }
        return source.spending(inherited)
    }

    /// What single elements are read from: they are few arrays, and noted nowhere.
    var unnotedSource: NodeSource { source.unnoted }

    /// Whether there may be collections among the elements.
    var mayHoldCollections: Bool {
        guard case .elements(let type) = form else { return true }
        return type.kind == .mixed
    }

    /// Whether two values are the same place of the same file, read in the same way.
    func isSame(as other: CollectionPlace) -> Bool {
        guard self !== other else { return true }
        return root == other.root && root != nil && source.image === other.source.image
            && (source.soundness == nil) == (other.source.soundness == nil) && links == other.links
            && form.isSame(as: other.form)
    }
}

extension CollectionPlace.Form {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.elements(let left), .elements(let right)):
            left.kind == right.kind && left.targetIndex == right.targetIndex
                && left.isNullable == right.isNullable
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }
}
