internal import RepriseLMDB
internal import RepriseLog

/// What a transaction reads through, so that reading transactions of all kinds share one set of functions. Never
/// public: it can be copied, so a program that had it could use it after the transaction, from another thread (STO-75).
@usableFromInline
final class StateAccess {
    let shared: StoreShared
    let workspace: Workspace
    /// The position whose state this is.
    let position: UInt64
    /// The head of the log when the transaction began.
    private let logHead: UInt64
    /// Set in a write transaction: makes changes in memory visible to queries.
    var synchronize: (() throws -> Void)?
    /// Set in a write transaction: what comes before an event of the commit that is being made in the history of its
    /// entity.
    var earlierEvent: ((UInt64) -> EarlierEvents.Link?)?
    /// Set in a write transaction that follows in a group: keeps its operations and the end of the group apart.
    var stay: FollowerStay?
    /// Whether the calling thread holds the lock of `stay`.
    private var isInside = false
    private var isOver = false
    private var keptLog: LogReader?
    private var recentModel: CompiledModel?

    init(_ shared: StoreShared, workspace: Workspace, position: UInt64, logHead: UInt64) {
        self.logHead = logHead
        self.shared = shared
        self.workspace = workspace
        self.position = position
    }

    /// Called when the transaction is over: what it pointed to may be gone.
    func end() {
        isOver = true
        synchronize = nil
        earlierEvent = nil
    }

    /// Runs something that may meet errors of the layers below.
    ///
    /// A transaction cannot leave its closure, but those of two stores can be exchanged. Using one after its end is a
    /// programmer's error.
    func run<R>(_ body: () throws -> R) throws -> R {
        if isOver { fatalError("A transaction was used after its closure had returned.") }
        do {
            guard let stay, !isInside else { return try body() }
            try stay.enter()
            isInside = true
            defer {
                isInside = false
                stay.leave()
            }
            return try body()
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Runs code of the user's in the middle of ``run(_:)``, which may take long, or wait. Where the group went on
    /// without this transaction meanwhile, it throws, and nothing of the state may be touched any more.
    @usableFromInline
    func lettingGo<R>(_ body: () throws -> R) throws -> R {
        guard let stay, isInside else { return try body() }
        isInside = false
        stay.leave()
        let result = Result { try body() }
        // Cursors are cleared away under the lock, even by one that was left out.
        let isThere = stay.enterAgain()
        isInside = true
        if !isThere { throw StoreError.writeStalled }
        return try result.get()
    }

    /// Reads something of the workspace that is at hand.
    func look<R>(_ body: (Workspace) -> R) -> R {
        guard let stay, !isInside else { return body(workspace) }
        return stay.look { body(workspace) }
    }

    var tables: StoreTables { shared.tables }

    /// The log as far as it is written, for reading event after event.
    var log: LogReader {
        let log =
            keptLog?.reading(workspace.logBase)
            ?? LogReader(workspace.logBase, table: tables.log, head: logHead)
        keptLog = log
        return log
    }

    /// Found at once where it is the one that was asked for last.
    func model(named name: String) throws(StoreError) -> CompiledModel {
        if let recentModel, recentModel.name == name { return recentModel }
        let model = try workspace.schema.model(named: name)
        recentModel = model
        return model
    }

    /// How a Swift type meets the schema. Found at once for the type that was asked for last.
    func binding(
        for type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration
    ) throws -> ModelBinding {
        if let recent = workspace.recentBinding, recent.type == type { return recent }
        let binding = try shared.bindings.binding(
            for: type,
            declaration,
            in: workspace.schema,
            unconverted: workspace.unconverted
        )
        workspace.recentBinding = binding
        return binding
    }

    func binding<M: Model>(for type: M.Type) throws -> ModelBinding {
        try binding(for: ObjectIdentifier(type)) { M.schema.declaration }
    }

    func key(_ model: CompiledModel, _ id: String) -> EntityKey {
        EntityKey(model: model.number, id: id)
    }

    /// The row of an entity; an identifier that is too long to be stored names nothing.
    func row(_ model: CompiledModel, _ id: String) throws -> RowView? {
        guard id.utf8.count <= identifierByteCountMax else { return nil }
        var text = id
        return try text.withUTF8 { bytes in
            unsafe workspace.keyBuffer.setRow(
                model: model.number,
                id: UnsafeRawBufferPointer(bytes)
            )
            return try unsafe workspace.row(workspace.keyBuffer.bytes)
        }
    }

    /// The list behind a relationship's name.
    func list(_ relationship: String, of model: CompiledModel, id: String) throws(StoreError)
        -> ListPlace
    {
        guard let end = model.ends.first(where: { $0.own.name == relationship && $0.isToMany }) else {
            throw .unknownToMany(relationship, of: model)
        }
        return ListPlace(end: end, owner: key(model, id))
    }

    /// The entries of a list, or of the derived other side of a many-to-many list.
    func entries(_ list: ListPlace) throws -> [EntryID] {
        if list.isDerived {
            return try workspace.backlinks(of: list.key).map { EntryID($0) }
        }
        return try workspace.entries(of: list.key).map { EntryID($0) }
    }

    /// Hands over the entries of a list behind one of them, in order, until `body` returns false.
    func forEachEntry(
        _ list: ListPlace,
        behind id: EntryID?,
        _ body: (EntryID) throws -> Bool
    ) throws {
        if list.isDerived {
            var isFound = id == nil
            try workspace.forEachBacklink(of: list.key) { backlink in
                let entry = EntryID(backlink)
                if isFound { return try body(entry) }
                isFound = entry == id
                return true
            }
            if let id, !isFound { throw missing(id, list) }
            return
        }
        let start = try id.map { try place(of: $0, in: list) }
        try workspace.forEachEntry(of: list.key, behind: start) { try body(EntryID($0)) }
    }

    /// The entries of a list that lead to a target, behind one of its entries.
    func entries(
        _ list: ListPlace,
        to target: String,
        behind id: EntryID?,
        limit: Int
    ) throws -> [EntryID] {
        guard limit > 0 else { return [] }
        if list.isDerived {
            var found: [EntryID] = []
            try forEachEntry(list, behind: id) { entry in
                if entry.target.utf8.elementsEqual(target.utf8) { found.append(entry) }
                return found.count < limit
            }
            return found
        }
        let start = try id.map { try place(of: $0, in: list) }
        return try workspace.entries(
            of: list,
            to: Array(target.utf8),
            behind: start,
            limit: limit
        ).map { EntryID($0) }
    }

    private func place(of id: EntryID, in list: ListPlace) throws -> UInt64 {
        guard let entry = try workspace.entry(id, in: list) else { throw missing(id, list) }
        return entry.orderKey
    }

    private func missing(_ id: EntryID, _ list: ListPlace) -> StoreError {
        let models = workspace.schema.allModels
        let name = models.first { $0.number == list.owner.model }?.name ?? ""
        return .entryMissing(id, in: EntityReference(model: name, id: list.owner.text))
    }

    func record(_ model: CompiledModel, _ id: String, _ row: RowView, lists: Bool) throws -> Record
    {
        let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
        var values: [(name: String, value: Value)] = []
        for attribute in model.description.attributes {
            guard let bytes = unsafe payload.slot(attribute.slot) else { continue }
            do {
                values.append(
                    (attribute.name, try unsafe Value(decoding: bytes, as: attribute.type))
                )
            } catch {
                throw StoreError.damage("\(model.name) \"\(id)\" cannot be read: \(error)")
            }
        }
        var targets: [(name: String, targets: [String])] = []
        if lists {
            for end in model.ends {
                guard let name = end.own.name else { continue }
                switch (end.relation.kind, end.side) {
                case (.reference, .target), (.list, .source):
                    let list = ListPlace(end: end, owner: key(model, id))
                    targets.append((name, try entries(list).map(\.target)))
                default: break
                }
            }
        }
        return Record(
            model: model.name,
            id: id,
            created: Position(row.created),
            revision: Revision(position: Position(row.revision)),
            values: values,
            lists: targets
        )
    }
}

/// One entity by stored names, for tools that know a store only from its own schema.
public struct Record: Sendable {
    /// The model's stored name.
    public let model: String
    /// The identifier.
    public let id: String
    /// The position of the event that inserted it.
    public let created: Position
    /// The position of its last event.
    public let revision: Revision
    /// The attributes that have a value, in the order of the schema. A to-one is a `reference`.
    public let values: [(name: String, value: Value)]
    /// The ordered to-many relationships with the identifiers that they hold, repeats kept.
    public let lists: [(name: String, targets: [String])]

    /// The value of an attribute; ``Value/null`` where there is none.
    public subscript(name: String) -> Value {
        values.first { $0.name == name }?.value ?? .null
    }
}
