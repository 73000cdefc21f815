internal import RepriseLog

extension Store {
    /// The entities that the descriptor asks for: first now, then after each commit of any process that changed them.
    ///
    /// ```swift
    /// var shown: [Note] = []
    /// for try await update in store.observe(FetchDescriptor<Note>().sorted(by: \.title)) {
    ///     update.difference.apply(to: &shown, from: update.results)
    /// }
    /// ```
    ///
    /// Commits that touch neither the model nor what the query's paths lead to wake nobody. An entity has changed when
    /// its stored attributes have, its place in a list that a to-one puts it in among them.
    ///
    /// - Complexity: as the fetch, for each commit that may have changed something; O(n log n) for the difference.
    public func observe<M: Model>(_ descriptor: FetchDescriptor<M>) -> LiveResults<M> {
        let query = descriptor.query
        return LiveSequence(self) {
            var last: (list: ShownList, models: [M])?
            return { transaction in
                let access = transaction.access
                let binding = try access.binding(for: M.self)
                let executor = try QueryExecutor(query, in: access)
                var list = ShownList()
                var models: [M] = []
                var leftOut: Set<[UInt8]> = []
                try executor.forEach { hit in
                    let id = unsafe [UInt8](hit.id)
                    let content = unsafe XXH64.hash(hit.view.payload)
                    if let before = last?.list.places[id], let last,
                        last.list.contents[before] == content
                    {
                        models.append(last.models[before])
                    } else {
                        let name = M.ID(String(decoding: id, as: UTF8.self))
                        do throws(StoreError) {
                            models.append(try binding.decode(M.self, id: name, hit.view))
                        } catch {
                            guard error.isOfRow else { throw error }
                            access.shared.leftOut.note(error)
                            leftOut.insert(id)
                            return true
                        }
                    }
                    list.append(id, content: content)
                    return true
                }
                let region = try LiveRegion(
                    query,
                    // One that is left out may become readable.
                    members: list.members.union(leftOut),
                    in: access.workspace.schema
                )
                let difference = LiveDifference(from: last?.list ?? ShownList(), to: list)
                let isSame = last != nil && difference.isEmpty
                last = (list, models)
                let update = LiveUpdate(
                    results: models,
                    difference: difference,
                    position: transaction.position
                )
                return (isSame ? nil : update, region)
            }
        }
    }

    /// As ``observe(_:)-(FetchDescriptor<M>)`` by names. A record has changed when its revision has.
    ///
    /// - Parameters:
    ///   - query: which records.
    ///   - lists: whether the records' to-many relationships are read and observed, too.
    public func observe(_ query: RecordQuery, lists: Bool = false) -> LiveRecords {
        LiveSequence(self) {
            var last: ShownList?
            return { transaction in
                var list = ShownList()
                let records = try transaction.records(query, lists: lists)
                for record in records {
                    list.append(Array(record.id.utf8), content: Self.content(of: record))
                }
                let region = try LiveRegion(
                    query,
                    members: list.members,
                    showsEntries: true,
                    showsLists: lists,
                    in: transaction.access.workspace.schema
                )
                let difference = LiveDifference(from: last ?? ShownList(), to: list)
                let isSame = last != nil && difference.isEmpty
                last = list
                let update = LiveUpdate(
                    results: records,
                    difference: difference,
                    position: transaction.position
                )
                return (isSame ? nil : update, region)
            }
        }
    }

    /// One entity, or nil where there is none: first now, then after each commit of any process that changed it.
    public func observe<M: Model>(_ type: M.Type = M.self, id: M.ID) -> LiveSequence<M?> {
        LiveSequence(self) {
            var last: UInt64??
            return { transaction in
                let access = transaction.access
                let binding = try access.binding(for: M.self)
                let row = try access.row(binding.model, id.rawValue)
                let content = row.map { unsafe XXH64.hash($0.payload) }
                let region = LiveRegion(binding.model, id: Array(id.rawValue.utf8))
                if let last, last == content { return (nil, region) }
                last = .some(content)
                let model = try row.map { try binding.decode(M.self, id: id, $0) }
                return (.some(model), region)
            }
        }
    }

    /// How many entities the descriptor asks for: first now, then after each commit of any process that changed that.
    public func observeCount<M: Model>(_ descriptor: FetchDescriptor<M>) -> LiveSequence<Int> {
        let query = descriptor.query
        return LiveSequence(self) {
            var last: Int?
            return { transaction in
                let count = try transaction.count(query)
                let schema = transaction.access.workspace.schema
                let region = try LiveRegion(query, members: nil, in: schema)
                defer { last = count }
                return (count == last ? nil : count, region)
            }
        }
    }

    private static func content(of record: Record) -> UInt64 {
        var writer = ByteWriter()
        writer.u64(record.revision.position.rawValue)
        // Lists that others make leave the revision as it is.
        for (name, targets) in record.lists {
            writer.counted(Array(name.utf8))
            writer.varint(UInt64(targets.count))
            for target in targets { writer.counted(Array(target.utf8)) }
        }
        return unsafe XXH64.hash(writer.bytes)
    }
}
