/// Where arrays are read from: the file, what is known of its format, and how much of it may still be read.
struct NodeSource {
    /// Kept, because arrays point into it.
    let image: FileImage
    let version: FormatVersion
    /// Notes every array that is opened and refuses one that is opened again.
    var visited: VisitedBytes?
    /// Refuses every array that is not provably whole; only where a damaged file is salvaged.
    var soundness: SoundBytes?
    /// How much may be read for one value.
    private var budget: ReadingBudget?

    init(_ image: FileImage, _ version: FormatVersion) {
        self.image = image
        self.version = version
    }

    var bytes: FileBytes { image.bytes }

    /// The same file, read without noting it.
    var unnoted: NodeSource {
        var source = NodeSource(image, version)
        source.soundness = soundness
        return source
    }

    /// The same file, for the reading of one value: all its parts together are not larger than the file.
    ///
    /// Else parts that hold each other, or one that is named a million times, would be read for ever.
    var budgeted: NodeSource {
        guard visited == nil, budget == nil else { return self }
        var source = self
        source.budget = ReadingBudget(byteCount: bytes.count)
        return source
    }

    func node(at reference: Int) throws(RealmFileError) -> ArrayNode {
        let node = try ArrayNode(at: reference, in: bytes)
        if let visited, !visited.claim(from: node.offset, to: node.end) {
            throw RealmFileError(
                .damaged,
                "An array is part of two things, or of one of them twice.",
                at: node.offset
            )
        }
        if let budget, !budget.spend(node.end - node.offset) {
            throw RealmFileError(
                .damaged,
                "A value has more parts than the file could hold.",
                at: node.offset
            )
        }
        if !image.unreadable.isEmpty, image.isUnreadable(from: node.offset, to: node.end) {
            throw RealmFileError(
                .damaged,
                "Encrypted bytes that are needed were changed, or never completely written.",
                at: node.offset
            )
        }
        if let soundness { try soundness.check(node, in: bytes) }
        return node
    }

    /// An array of integers.
    func integers(at reference: Int) throws(RealmFileError) -> ArrayNode {
        try node(at: reference).checked(as: .integers)
    }

    /// The same, where there may be none.
    func integers(ifAt reference: Int?) throws(RealmFileError) -> ArrayNode? {
        guard let reference else { return nil }
        return try integers(at: reference)
    }

    /// An array of references.
    func references(at reference: Int) throws(RealmFileError) -> ArrayNode {
        try node(at: reference).checked(as: .references)
    }

    /// The same, where there may be none.
    func references(ifAt reference: Int?) throws(RealmFileError) -> ArrayNode? {
        guard let reference else { return nil }
        return try references(at: reference)
    }
}

/// How much may still be read for one value.
final class ReadingBudget {
    private var byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// Returns whether there was as much left.
    func spend(_ count: Int) -> Bool {
        byteCount -= count
        return byteCount >= 0
    }
}
