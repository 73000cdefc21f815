internal import RepriseLMDB

/// What forbids a unique index.
extension IndexBuild {
    /// The entities whose values in a unique index begin alike: only entries that were cut can differ behind that.
    struct Collisions {
        var prefix: [UInt8] = []
        var holders: [[UInt8]: String] = [:]
        var shown: [String] = []
        var count = 0
        var index: CompiledIndex?
    }

    func note(
        _ key: UnsafeRawBufferPointer,
        _ entry: IndexEntry,
        _ index: CompiledIndex,
        _ model: CompiledModel,
        in collisions: inout Collisions
    ) throws {
        let prefix = unsafe UnsafeRawBufferPointer(rebasing: key[..<entry.prefixByteCount])
        let idBytes = unsafe UnsafeRawBufferPointer(rebasing: key[entry.prefixByteCount...])
        let id = unsafe String(decoding: idBytes, as: UTF8.self)
        if unsafe !prefix.elementsEqual(collisions.prefix) {
            collisions.prefix = unsafe [UInt8](prefix)
            collisions.holders.removeAll(keepingCapacity: true)
        }
        var claim: [UInt8] = []
        if entry.wasCut {
            var rowKey = KeyBuffer()
            unsafe rowKey.setRow(model: model.number, id: idBytes)
            guard let row = try unsafe base.get(tables.rows, rowKey.bytes) else { return }
            let view = try unsafe RowView(key: rowKey.bytes, value: row)
            let payload = try unsafe RowPayload(trusting: view.payload, model.defaults)
            claim = try UniqueClaim(index, payload)?.bytes ?? []
        }
        guard let holder = collisions.holders[claim] else {
            collisions.holders[claim] = id
            return
        }
        collisions.count += 1
        collisions.index = collisions.index ?? index
        if collisions.shown.count < Self.shownCount { collisions.shown.append("\(id) like \(holder)") }
    }

    func collision(_ model: CompiledModel, _ found: Collisions) -> StoreError {
        let names = (found.index?.slots ?? []).compactMap { model.attribute(slot: $0)?.name }
        return StoreError(
            .uniqueViolation,
            "\(model.name).\(names.joined(separator: ", ")) cannot become unique: "
                + "\(Self.list(found.shown, found.count)) the same values.",
            advice: "Change them first, or leave the index as it is. Nothing was changed."
        )
    }

    /// The subject and verb of a sentence about entities, as "a, b and 3 more have".
    static func list(_ shown: [String], _ count: Int) -> String {
        let more = count - shown.count
        let names = shown.joined(separator: ", ")
        return count == 1 ? "\(names) has" : more > 0 ? "\(names) and \(more) more have" : "\(names) have"
    }
}
