internal import RepriseLMDB
internal import RepriseLog

/// Rows from before a change of the schema, built beside the present ones whose place they are to take.
struct BuiltRows: Sendable {
    let rules: ReturningRows
    let tables: ViewTables
    /// The tables of the present rows.
    let present: ViewTables
    /// About how much memory the sort of unique values may take.
    let memoryByteCount: Int

    /// Makes sure that they obey what the schema demands (STO-86).
    ///
    /// - Throws: as ``ReturningRows/check(_:)``.
    /// - Complexity: O(rows), and O(unique values · log) in bounded memory.
    func check(_ base: TableReader, makeFile: @escaping () throws(LMDBError) -> SpillFile) throws {
        let build = IndexBuild(schema: rules.schema, tables: tables, base: base, makeFile: makeFile)
        var claims = ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
        var scratch = RowPayloadWriter()
        for model in rules.schema.allModels {
            var converter = rules.converter(of: model)
            try unsafe build.forEachRow(of: model) { key, row in
                func isPresent() throws -> Bool {
                    try unsafe ReturningRows.isPresent(row, key, in: present.rows, base)
                }
                var payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
                do {
                    let converted = try unsafe rules.converted(row, key, model, &converter, in: &scratch)
                    if try converter.values.isEmpty || model.uniqueIndexes.isEmpty || !isPresent() {
                        payload = converted
                    }
                } catch {
                    guard try isPresent() else { throw error }
                }
                for index in model.uniqueIndexes {
                    guard let claim = try UniqueClaim(index, unsafe payload.with(model.defaults)) else { continue }
                    let values = claim.bytes.prefix(2) + DeferredChanges.short(claim.bytes)
                    try unsafe values.withUnsafeBytes { try unsafe claims.add(key: $0, value: key) }
                }
            }
        }
        try requireUnique(claims)
    }

    /// - Parameter claims: the keys of rows, by the number of an index and by what stands for their values in it.
    private func requireUnique(_ claims: consuming ExternalSort) throws {
        var records = try claims.sorted()
        var last: (values: [UInt8], holder: [UInt8]) = ([], [])
        while try records.next() {
            if unsafe records.key.elementsEqual(last.values) {
                let number = unsafe Workspace.modelNumber(of: records.key)
                let model = try unsafe rules.schema.model(Workspace.modelNumber(of: records.value))
                guard let index = model.uniqueIndexes.first(where: { $0.number == number }) else { continue }
                throw Workspace.violation(model, index, holder: [UInt8](last.holder.dropFirst(2)))
            }
            unsafe last = ([UInt8](records.key), [UInt8](records.value))
        }
    }
}
