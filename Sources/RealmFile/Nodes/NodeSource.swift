/// Where arrays are read from: the file, what is known of its format, and how much of it may still be read.
struct NodeSource {
    /// Kept, because arrays point into it.
    let image: FileImage
    let version: FormatVersion
    /// Notes every array that is opened and refuses one that is opened again.
    var visited: VisitedBytes?
    /// Refuses every array that is not provably whole; only where a damaged file is salvaged.
    var soundness: SoundBytes?
    /// How much may be read and kept for one value.
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

    /// The same file, for the reading of one value: all its parts together are not larger than the file, and its
    /// elements not more than ``ReadingBudget`` allows.
    ///
    /// Else parts that hold each other, or one that is named a million times, would be read for ever.
    var budgeted: NodeSource {
        // Where everything is noted, nothing is opened twice anyway.
        limited(partsToFile: visited == nil)
    }

    /// The same file, for what is kept of many parts: no more than ``ReadingBudget`` allows.
    var limited: NodeSource { limited(partsToFile: false) }

    private func limited(partsToFile limitsParts: Bool) -> NodeSource {
        guard budget == nil else { return self }
        var source = self
        source.budget = ReadingBudget(fileByteCount: bytes.count, limitsParts: limitsParts)
        return source
    }

    /// Counts an element of a collection.
    func keep(_ element: RealmValue, _ offset: Int) throws(RealmFileError) {
        try keep(byteCount: element.heldByteCount, offset)
    }

    /// Counts what is kept while others are read.
    func keep(byteCount: Int, _ offset: Int) throws(RealmFileError) {
        guard let budget, !budget.keep(byteCount) else { return }
        throw RealmFileError(
            .limitExceeded,
            "What is read together here would take more than \(ReadingBudget.heldByteCount(of: bytes.count) >> 20) MiB"
                + " of memory.",
            advice: "Have the app keep it in parts, or as data.",
            at: offset
        )
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
