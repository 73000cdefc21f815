/// Where arrays are read from: the bytes, what is known of their format, and, during an examination, what was met so far.
struct NodeSource {
    let bytes: FileBytes
    let version: FormatVersion
    /// Notes every array that is opened and refuses one that is opened again.
    var visited: VisitedBytes?

    init(_ bytes: FileBytes, _ version: FormatVersion) {
        self.bytes = bytes
        self.version = version
    }

    /// The same bytes, read without noting it.
    var unnoted: NodeSource { NodeSource(bytes, version) }

    func node(at reference: Int) throws(RealmFileError) -> ArrayNode {
        let node = try ArrayNode(at: reference, in: bytes)
        if let visited, !visited.claim(from: node.offset, to: node.end) {
            throw RealmFileError(
                .damaged,
                "An array is part of two things, or of one of them twice.",
                at: node.offset
            )
        }
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

    /// An array of references, where there may be none.
    func references(ifAt reference: Int?) throws(RealmFileError) -> ArrayNode? {
        guard let reference else { return nil }
        return try references(at: reference)
    }

    /// An array of references.
    func references(at reference: Int) throws(RealmFileError) -> ArrayNode {
        try node(at: reference).checked(as: .references)
    }
}
