internal import RepriseLMDB

/// Runs one query over a workspace.
struct QueryExecutor {
    let workspace: Workspace
    let model: CompiledModel
    private let query: RecordQuery
    private let filter: CompiledFilter?
    private let sort: [(field: CompiledField, isDescending: Bool)]
    private let path: AccessPath

    init(_ query: RecordQuery, in workspace: Workspace) throws(StoreError) {
        self.workspace = workspace
        self.query = query
        model = try workspace.schema.model(named: query.model)
        let compiler = FilterCompiler(schema: workspace.schema, model: model)
        var compiled: CompiledFilter?
        if let expression = query.filter { compiled = try compiler.compile(expression) }
        filter = compiled
        var keys: [(CompiledField, Bool)] = []
        for key in query.sort {
            let field = try compiler.field(key.path)
            guard field.type.isIndexable else {
                throw StoreError(
                    .invalidQuery,
                    "\(key.path) is a \(field.type.displayName), which has no order.",
                    advice: "Sort by another attribute."
                )
            }
            keys.append((field, key.isDescending))
        }
        sort = keys
        path = try AccessPlanner(model: model).path(for: query.filter, compiler)
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw StoreError(
                .invalidQuery,
                "A limit or an offset is negative.",
                advice: "Use zero or more."
            )
        }
    }

    /// Hands over the results in their order; `body` returns false to stop.
    func forEach(_ body: (RowHit) throws -> Bool) throws {
        if query.limit == 0 { return }
        if sort.isEmpty, isInIdentifierOrder {
            var skip = query.offset
            var left = query.limit ?? .max
            try forEachMatch { hit in
                if skip > 0 {
                    skip -= 1
                    return true
                }
                left -= 1
                return try body(hit) && left > 0
            }
            return
        }
        if try forEachInIndexOrder(body) { return }
        // The keys of the hits lie in it.
        let keys = Arena()
        try withExtendedLifetime(keys) {
            for hit in try sortedMatches(keys) {
                guard try body(hit) else { return }
            }
        }
    }

    /// How many rows match, limit and offset applied.
    func count() throws -> Int {
        var count = 0
        if filter == nil, workspace.counts.indices.contains(Int(model.number) - 1) {
            count = workspace.counts[Int(model.number) - 1]
        } else {
            try forEachMatch { _ in
                count += 1
                return true
            }
        }
        return min(max(0, count - query.offset), query.limit ?? .max)
    }

    private var isInIdentifierOrder: Bool {
        switch path {
        case .identifier, .scan: true
        case .index: false
        }
    }
}

// MARK: - Matches

extension QueryExecutor {
    /// All rows that pass the filter, in the order of the access path.
    private func forEachMatch(_ body: (RowHit) throws -> Bool) throws {
        func pass(_ key: UnsafeRawBufferPointer, _ row: RowView) throws -> Bool {
            let hit = unsafe RowHit(
                key: key,
                payload: try RowPayload(trusting: row.payload),
                view: row
            )
            if let filter, try !filter.matches(hit, in: workspace) { return true }
            return try body(hit)
        }
        switch path {
        case .identifier(let id):
            var key = KeyBuffer()
            unsafe id.withUnsafeBytes { unsafe key.setRow(model: model.number, id: $0) }
            if key.count <= Table.keyByteCountMax, let row = try unsafe workspace.row(key.bytes) {
                _ = try unsafe pass(key.bytes, row)
            }
        case .scan: unsafe try workspace.forEachRow(of: model, pass)
        case .index(let range):
            var goesOn = true
            unsafe try workspace.forEachEntry(in: range) { id, _, _ in
                goesOn = try unsafe passEntry(id, pass)
                return goesOn
            }
            if goesOn { unsafe try workspace.forEachPendingRow(of: model, pass) }
        }
    }

    /// Looks up the row of an index entry. A row that the overlay changed is handed over with the overlay.
    private func passEntry(
        _ id: UnsafeRawBufferPointer,
        _ pass: (UnsafeRawBufferPointer, RowView) throws -> Bool
    ) throws -> Bool {
        unsafe workspace.entryKey.setRow(model: model.number, id: id)
        let key = unsafe workspace.entryKey.bytes
        let found = try unsafe workspace.find(key)
        if found.pending != nil { return true }
        guard let row = found.row else {
            throw unsafe StoreError.damage(
                "The index names \(model.name) \"\(String(decoding: id, as: UTF8.self))\", which does not exist."
            )
        }
        // The key that the row stays under: the one in the index ends with the same bytes, but lacks the model number.
        return try unsafe pass(key, row)
    }
}

// MARK: - Order

extension QueryExecutor {
    /// A match that is kept until all are known. Key and values lie in the mapped file or in the overlay.
    @safe
    private struct Kept {
        let hit: RowHit
        let first: UnsafeRawBufferPointer?
    }

    /// All matches in the wanted order. Their keys are copied into `keys`, which must outlive them.
    private func sortedMatches(_ keys: Arena) throws -> ArraySlice<RowHit> {
        var kept: [Kept] = []
        try forEachMatch { hit in
            // The key may lie in a buffer that the next entry overwrites.
            let copy = unsafe RowHit(
                key: UnsafeRawBufferPointer(start: keys.copy(hit.key), count: hit.key.count),
                payload: hit.payload,
                view: hit.view
            )
            let first = try unsafe sort.first.flatMap {
                try unsafe $0.field.bytes(of: copy, in: workspace)
            }
            unsafe kept.append(Kept(hit: copy, first: first))
            return true
        }
        try kept.sort { try precedes($0, $1) }
        let from = min(query.offset, kept.count)
        let to = query.limit.map { min(kept.count, from + min($0, kept.count)) } ?? kept.count
        return kept[from..<to].map { $0.hit }[...]
    }

    private func precedes(_ left: Kept, _ right: Kept) throws -> Bool {
        for (index, key) in sort.enumerated() {
            let a =
                unsafe index == 0 ? left.first : try key.field.bytes(of: left.hit, in: workspace)
            let b =
                unsafe index == 0 ? right.first : try key.field.bytes(of: right.hit, in: workspace)
            let order = unsafe Self.order(a, b, key.field.type)
            if order != 0 { return key.isDescending ? order > 0 : order < 0 }
        }
        return unsafe left.hit.id.precedes(right.hit.id)
    }

    /// nil before everything, then the order of values (QRY-02 to QRY-06).
    private static func order(
        _ left: UnsafeRawBufferPointer?,
        _ right: UnsafeRawBufferPointer?,
        _ type: ValueType
    ) -> Int {
        guard let left = unsafe left else { return unsafe right == nil ? 0 : -1 }
        guard let right = unsafe right else { return 1 }
        switch type {
        case .int:
            guard left.count == 8, right.count == 8 else {
                return unsafe left.order(against: right)
            }
            let a = unsafe Int64(littleEndian: left.loadUnaligned(as: Int64.self))
            let b = unsafe Int64(littleEndian: right.loadUnaligned(as: Int64.self))
            return a == b ? 0 : a < b ? -1 : 1
        case .double, .date:
            guard left.count == 8, right.count == 8 else {
                return unsafe left.order(against: right)
            }
            let a = unsafe UInt64(littleEndian: left.loadUnaligned(as: UInt64.self))
            let b = unsafe UInt64(littleEndian: right.loadUnaligned(as: UInt64.self))
            return Operand.order(Double(bitPattern: a), Double(bitPattern: b))
        case .float, .decimal:
            guard let a = try? unsafe Value(decoding: left, as: type),
                let b = try? unsafe Value(decoding: right, as: type)
            else { return unsafe left.order(against: right) }
            return Value.compare(a, b)
        default: return unsafe left.order(against: right)
        }
    }

    /// Walks an index that has the wanted order, if there is one and stopping early pays. Returns whether it was done.
    ///
    /// Entries that were cut are not in exact order (QRY-25); a walk that meets one before it is through gives up
    /// before it has handed over anything.
    private func forEachInIndexOrder(_ body: (RowHit) throws -> Bool) throws -> Bool {
        guard sort.count == 1, let limit = query.limit, workspace.rows.count == 0,
            sort[0].field.isLocal,
            let slot = sort[0].field.slot, case .scan = path,
            let index = model.indexes.first(where: { $0.slots == [slot] })
        else { return false }
        let wanted = query.offset + min(limit, Int.max - query.offset)
        var ids: [[UInt8]] = []
        var group: [[UInt8]] = []
        var groupPrefix: [UInt8] = []
        var wasCut = false
        let isDescending = sort[0].isDescending
        unsafe try workspace.forEachEntry(of: index, reversed: isDescending) { id, entry, prefix in
            if entry.wasCut {
                wasCut = true
                return false
            }
            if unsafe !prefix.elementsEqual(groupPrefix) {
                ids += isDescending ? group.reversed() : group
                group.removeAll(keepingCapacity: true)
                groupPrefix = unsafe [UInt8](prefix)
                if ids.count >= wanted { return false }
            }
            if let filter {
                var matches = false
                _ = try unsafe passEntry(id) { key, row in
                    let hit = unsafe RowHit(
                        key: key,
                        payload: try RowPayload(trusting: row.payload),
                        view: row
                    )
                    matches = try filter.matches(hit, in: workspace)
                    return true
                }
                if !matches { return true }
            }
            unsafe group.append([UInt8](id))
            // In ascending order ties come as they shall stand; a descending walk needs the whole group.
            return isDescending || ids.count + group.count < wanted
        }
        if wasCut { return false }
        ids += isDescending ? group.reversed() : group
        for id in ids.dropFirst(query.offset).prefix(limit) {
            var goesOn = true
            try unsafe id.withUnsafeBytes { id in
                _ = try unsafe passEntry(id) { key, row in
                    goesOn = try unsafe body(
                        RowHit(key: key, payload: try RowPayload(trusting: row.payload), view: row)
                    )
                    return true
                }
            }
            if !goesOn { break }
        }
        return true
    }
}
