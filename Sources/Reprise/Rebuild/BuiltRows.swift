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
    /// - Throws: `invalidValue` where one lacks what is required; `uniqueViolation` where two have the same.
    /// - Complexity: O(rows), and O(unique values · log) in bounded memory.
    func check(_ base: TableReader, makeFile: @escaping () throws(LMDBError) -> SpillFile) throws {
        let build = IndexBuild(schema: rules.schema, tables: tables, base: base, makeFile: makeFile)
        var claims = ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
        var scratch = RowPayloadWriter()
        for model in rules.schema.allModels {
            try unsafe build.forEachRow(of: model) { key, row in
                let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
                do {
                    try unsafe rules.requireValues(of: payload, model, key)
                } catch {
                    // A present row that lacks a value stays as it is.
                    guard try unsafe isPresent(key, row, base) else { throw error }
                }
                if model.uniqueIndexes.isEmpty { return }
                let converted = try unsafe rules.converted(payload, model, key, in: &scratch).with(model.defaults)
                for index in model.uniqueIndexes {
                    guard let claim = try UniqueClaim(index, converted) else { continue }
                    let values = claim.bytes.prefix(2) + DeferredChanges.short(claim.bytes)
                    try unsafe values.withUnsafeBytes { try unsafe claims.add(key: $0, value: key) }
                }
            }
        }
        try requireUnique(claims)
    }

    /// Whether the present row is the same.
    private func isPresent(_ key: UnsafeRawBufferPointer, _ row: RowView, _ base: TableReader) throws -> Bool {
        guard let value = try unsafe base.get(present.rows, key) else { return false }
        return try unsafe RowView(key: key, value: value).revision == row.revision
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
