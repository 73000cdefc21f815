/// What is provably whole of a damaged Realm file, and what is lost.
///
/// An object is whole when all of this holds:
/// * The arrays that it lies in are where the file's references say, begin as arrays do, share no byte with each other
///   or with what the file notes as free, and leave no byte over.
/// * The keys of its rows grow, and are those that its part of the class may have; there are as many values as rows.
/// * Every value of it can be read, its texts are UTF-8, and nothing is missing that is required.
/// * No other whole object of its class has its primary key. Of two that have the same, neither is whole.
/// * An embedded object is part of one other object at most.
///
/// A link is handed on when both its ends are whole, and both know of it as often: see ``RealmLoss/Kind-swift.enum``.
/// An object that links to a lost or doubtful one is kept, without that link: null in a property, left out of a list or
/// set of links, null in a list or dictionary of mixed values. An object with any other value that cannot be read is
/// lost as a whole: what a record would look like without it, nobody could tell from one that never had it.
///
/// Realm files have no check sums. A value that was changed within its bytes (a letter of a text, a digit of a number,
/// a key that still grows) cannot be told from what the app wrote.
public final class RealmSalvage: Sendable {
    /// Reads whole objects only, and only the links between them that are certain.
    public let realm: RealmReader
    /// What is lost, class by class; of very many the first 100,000, of a file of less than 12 MB the first
    /// 10,000 or more.
    public let losses: [RealmLoss]
    /// All losses, by what sort they are.
    public let lossCounts: [RealmLoss.Kind: Int]
    /// Why the newest version of the data cannot be read, where the one before it was taken instead.
    public let newestFault: RealmFileError?
    /// How many objects a class has by its own word, in the order of ``RealmReader/classes``; nil where that cannot be
    /// read.
    public let notedObjectCounts: [Int?]

    init(
        _ realm: RealmReader,
        _ losses: LossList,
        newestFault: RealmFileError?,
        notedObjectCounts: [Int?]
    ) {
        self.realm = realm
        self.losses = losses.kept
        lossCounts = losses.counts
        self.newestFault = newestFault
        self.notedObjectCounts = notedObjectCounts
    }

    /// Whether nothing is lost, of the newest version of the data.
    public var isComplete: Bool { lossCounts.isEmpty && newestFault == nil }

    /// How many losses there are.
    public var lossCount: Int { lossCounts.values.reduce(0, +) }

    /// How many objects are whole.
    public var objectCount: Int { realm.classes.reduce(0) { $0 + $1.objectCount } }
}

extension RealmReader {
    /// Finds out what of the file is provably whole.
    ///
    /// A file in which not even the classes can all be read is opened with ``init(salvaging:key:progress:)``.
    ///
    /// - Parameter progress: called after some hundred objects; what it throws ends the salvage and comes out.
    /// - Returns: a reader for what is whole, and what is lost.
    /// - Throws: ``RealmFileError`` where no version of the data has names of classes, and what `progress` throws.
    /// - Complexity: O(bytes); memory for a 20th of the bytes, some bytes for each object, and where links contradict
    ///   each other, those.
    public func salvage(
        progress: (RealmProgress) throws -> Void = { _ in }
    ) throws -> RealmSalvage {
        let storage = try storage.opening == nil ? .salvaging(storage.source.image) : storage
        return try withoutActuallyEscaping(progress) { progress in
            let cells = CellSalvage(storage, progress)
            try cells.run()
            var losses = cells.losses
            let total = storage.tables.reduce(0) { $0 + $1.rowCount }
            let done = RealmProgress(objectsRead: total, objectCount: total)
            let rows = try LinkSalvage(storage, cells.classes).run(&losses) { try progress(done) }
            noteUnclaimedBytes(storage.opening, &losses)
            return RealmSalvage(
                RealmReader(storage, rows, isEncrypted: isEncrypted),
                losses,
                newestFault: storage.opening?.newestFault,
                notedObjectCounts: storage.tables.map { Self.notedCount($0, storage.source) }
            )
        }
    }

    private static func notedCount(_ table: TableLayout, _ source: NodeSource) -> Int? {
        switch table.rows {
        case .clusters(let root): try? ClusterTree(source, root: root).count()
        case .columns: table.rowCount
        // Every class has a place for its objects, but one that could not be read.
        case .none: nil
        }
    }

    private func noteUnclaimedBytes(_ opening: SalvageOpening?, _ losses: inout LossList) {
        guard let opening else { return }
        let count = opening.unclaimedByteCount
        guard count != 0 else { return }
        let reason =
            count == nil
            ? "The list of free space is not whole: what seems empty may be lost."
            : "Nothing leads to them any more: what seems empty may have been there."
        losses.append(
            RealmLoss(.unclaimedBytes, nil, RealmFileError(.damaged, reason), count: count)
        )
    }
}
