/// What a file says of one class, as it lies there.
struct TableLayout {
    /// Where the rows of a class lie.
    enum Rows {
        case clusters(root: Int)
        /// Where the array of the columns lies; before version 10.
        case columns(at: Int)
        case none
    }

    let tableName: String
    /// The number by which links name the class.
    let tableKey: Int64
    let kind: RealmClass.Kind
    let rows: Rows
    let rowCount: Int
    /// Those with a name first, in their order.
    let columns: [ColumnLayout]
    let properties: [RealmClass.Property]
    let primaryKeyIndex: Int?
    /// Whether it stands for a class of a damaged file that cannot be read.
    var isLost = false

    /// Counts what is kept of a property: a file can say two bytes of each of very many.
    static func keep(_ source: NodeSource, _ offset: Int) throws(RealmFileError) {
        let byteCount =
            MemoryLayout<ColumnLayout>.stride + MemoryLayout<RealmClass.Property>.stride
        try source.keep(byteCount: byteCount, offset)
    }
}

/// The classes that the root of a file names.
struct GroupLayout {
    /// One class.
    struct Entry {
        let name: String
        let position: Int
        let reference: Int
    }

    /// Numbers of classes have 16 bits for their place.
    private static let classCountMax = 1 << 16

    let entries: [Entry]

    /// - Parameters:
    ///   - mayBeCut: whether the end of the file may be missing.
    ///   - keepsLost: whether a class with a name that lies nowhere is an entry, and not one that was removed.
    init(
        _ source: NodeSource,
        root: Int,
        mayBeCut: Bool = false,
        keepsLost: Bool = false
    ) throws(RealmFileError) {
        let top = try source.references(at: root)
        guard top.count >= 2, top.count <= 12 else {
            throw RealmFileError(.damaged, "The root has \(top.count) elements.", at: root)
        }
        if !mayBeCut, top.count > 2, let size = try top.number(at: 2),
            size > Int64(source.bytes.count)
        {
            throw RealmFileError(
                .truncated,
                "The file has \(source.bytes.count) bytes where \(size) are noted.",
                at: source.bytes.count
            )
        }
        let names = try SchemaNames(source, at: top.requiredReference(at: 0))
        let tables = try source.references(at: top.requiredReference(at: 1))
        guard tables.count <= Self.classCountMax, names.count >= tables.count else {
            throw RealmFileError(
                .damaged,
                "There are \(tables.count) classes and \(names.count) names.",
                at: root
            )
        }
        var entries: [Entry] = []
        for position in 0..<tables.count {
            // A number, or nothing, is the place of a class that was removed.
            let reference: Int
            switch try tables.element(at: position) {
            case .reference(let found): reference = found
            case .null, .number:
                guard keepsLost else { continue }
                reference = 0
            }
            let name = try names.name(at: position)
            if reference == 0, name.isEmpty { continue }
            entries.append(Entry(name: name, position: position, reference: reference))
        }
        self.entries = entries
    }
}

/// Names of classes or properties.
struct SchemaNames {
    private let leaf: BytesLeaf
    private let offset: Int

    init(_ source: NodeSource, at reference: Int) throws(RealmFileError) {
        let node = try source.node(at: reference)
        leaf = try BytesLeaf(node, source, isText: true, isNullable: false, strings: nil)
        offset = reference
    }

    var count: Int { leaf.count }

    func name(at index: Int) throws(RealmFileError) -> String {
        guard let name = try leaf.string(at: index) else {
            throw RealmFileError(.damaged, "A name is missing.", at: offset)
        }
        return name
    }
}
