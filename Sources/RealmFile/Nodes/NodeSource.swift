/// Where arrays are read from: the file, what is known of its format, and how much of it may still be read or kept.
struct NodeSource {
    /// Kept, because arrays point into it.
    let image: FileImage
    let version: FormatVersion
    /// Notes every array that is opened and refuses one that is opened again.
    var visited: VisitedBytes?
    /// Refuses every array that is not provably whole; only where a damaged file is salvaged.
    var soundness: SoundBytes?
    /// How much may still be read for one value.
    private(set) var budget: ReadingBudget?
    /// How much may still be kept of the classes.
    private var memory: SchemaMemory?

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
    var budgeted: NodeSource {
        budget == nil ? spending(ReadingBudget(fileByteCount: bytes.count)) : self
    }

    /// The same file, with what is left of a budget; with none for nil.
    func spending(_ budget: ReadingBudget?) -> NodeSource {
        var source = self
        // Where everything is noted, nothing is opened twice anyway.
        source.budget = visited == nil ? budget : nil
        return source
    }

    /// The same file, for what is kept of its classes: no more than ``SchemaMemory`` allows.
    var limited: NodeSource {
        var source = self
        source.memory = SchemaMemory(fileByteCount: bytes.count)
        return source
    }

    /// Counts what is kept of the classes.
    func keep(byteCount: Int, _ offset: Int) throws(RealmFileError) {
        guard let memory, !memory.keep(byteCount) else { return }
        throw RealmFileError(
            .limitExceeded,
            "What the file says of its classes would take more than"
                + " \(SchemaMemory.byteCount(of: bytes.count) >> 20) MiB of memory, one and a half times the file.",
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
