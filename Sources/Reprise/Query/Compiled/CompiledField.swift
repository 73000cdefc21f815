/// A field with its names resolved. An object, because hot loops pass it on.
final class CompiledField {
    /// One to-one reference to follow.
    struct Hop {
        let slot: Int
        /// The model that it leads to.
        let model: CompiledModel
    }

    enum Source: Equatable {
        case identifier
        case slot(Int)
        /// The element itself, in a condition on elements.
        case element
    }

    let hops: [Hop]
    let source: Source
    let type: ValueType
    private let isLocal: Bool
    /// The slot of a field in the row itself; -1 for every other.
    private let localSlot: Int
    private let isReference: Bool

    init(hops: [Hop], source: Source, type: ValueType) {
        self.hops = hops
        self.source = source
        self.type = type
        isReference = type == .reference
        isLocal = hops.isEmpty
        if case .slot(let slot) = source, hops.isEmpty { localSlot = slot } else { localSlot = -1 }
    }

    /// The slot, for a field in the row itself.
    var slot: Int? { localSlot < 0 ? nil : localSlot }

    /// The bytes of the field, a reference without its order key; nil where there is no value. One lookup for each
    /// reference followed.
    @inline(__always)
    func bytes(
        of subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> UnsafeRawBufferPointer? {
        if localSlot >= 0, !isReference { return unsafe subject.payload.slot(localSlot) }
        return try unsafe distantBytes(of: subject, in: workspace)
    }

    @inline(never)
    private func distantBytes(
        of subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> UnsafeRawBufferPointer? {
        var payload = subject.payload
        var id = unsafe subject.id
        for hop in hops {
            guard let slot = unsafe payload.slot(hop.slot) else { return nil }
            unsafe id = try ReferenceBytes(slot).target
            unsafe workspace.hopKey.setRow(model: hop.model.number, id: id)
            guard let row = try unsafe workspace.row(workspace.hopKey.bytes) else {
                throw unsafe StoreError.damage(
                    "A row refers to \"\(String(decoding: id, as: UTF8.self))\", which does not exist."
                )
            }
            unsafe payload = try RowPayload(trusting: row.payload, hop.model.defaults)
        }
        switch source {
        case .identifier: return unsafe id
        case .element: return unsafe subject.element
        case .slot(let slot):
            guard let bytes = unsafe payload.slot(slot) else { return nil }
            return unsafe isReference ? try ReferenceBytes(bytes).target : bytes
        }
    }
}

/// A to-many relationship with its names resolved: references to follow, then the entries of a list.
final class CompiledRelation {
    let hops: [CompiledField.Hop]
    let relation: UInt16
    /// Whether the entries are found by their targets: the derived side of a many-to-many list.
    let isDerived: Bool
    let target: CompiledModel
    /// The slot of the reference that the relationship follows from, where it does.
    let slots: Set<Int>
    private let owner: CompiledField

    init(hops: [CompiledField.Hop], end: RelationEnd, target: CompiledModel) {
        self.hops = hops
        relation = end.relation.number
        if case .list = end.relation.kind, end.side == .target {
            isDerived = true
        } else {
            isDerived = false
        }
        if case .reference(let slot) = end.relation.kind { slots = [slot] } else { slots = [] }
        self.target = target
        owner = CompiledField(hops: hops, source: .identifier, type: .string)
    }

    /// The identifier of the entity whose entries are meant; nil where a reference on the way to it is.
    func owner(
        of subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> UnsafeRawBufferPointer? {
        try unsafe owner.bytes(of: subject, in: workspace)
    }

    /// The identifiers that the relationship of a row leads to, in order, repeats kept. `body` returns false to stop.
    func forEachTarget(
        of subject: borrowing FilterSubject,
        in workspace: Workspace,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let id = try unsafe owner(of: subject, in: workspace) else { return }
        if isDerived {
            let list = unsafe ListKey(relation: relation, id: [UInt8](id))
            for backlink in try workspace.backlinks(of: list) {
                guard try unsafe backlink.owner.withUnsafeBytes({ try unsafe body($0) }) else {
                    return
                }
            }
        } else {
            try unsafe workspace.forEachTarget(relation: relation, owner: id, body)
        }
    }
}
