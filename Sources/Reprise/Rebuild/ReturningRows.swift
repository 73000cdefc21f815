internal import RepriseLMDB

/// What the schema demands of rows that a rollback brings back from before it was changed (STO-86). Rows that are as
/// they are now stay so, whatever they lack.
struct ReturningRows: Sendable {
    let schema: CompiledSchema
    /// The functions of the program that are called for the rows afterwards; nil where a tool rolls back that has
    /// none, and a program calls them later.
    let conversions: [PlannedConversion]?

    func converter(of model: CompiledModel) -> RowConverter {
        RowConverter((conversions ?? []).filter { $0.model == model.number }, of: model)
    }

    /// A row as it will be: with what functions make of it.
    ///
    /// - Parameters:
    ///   - converter: that of the model.
    ///   - scratch: where a row is written that functions change.
    /// - Throws: `invalidValue` where a function refuses the row, or it lacks a value that is required;
    ///   `valueTooLarge` where no event can tell what functions make of it.
    func converted(
        _ row: RowView,
        _ key: UnsafeRawBufferPointer,
        _ model: CompiledModel,
        _ converter: inout RowConverter,
        in scratch: inout RowPayloadWriter
    ) throws -> RowPayload {
        let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
        var refusal: (attribute: String, error: any Error)?
        try converter.convert(payload, oldRevision: row.revision) { refusal = refusal ?? ($0, $1) }
        let values = converter.values
        let missing = model.description.attributes.first { attribute in
            if unsafe attribute.isOptional || payload.slot(attribute.slot) != nil { return false }
            return values.range(of: attribute.slot) == nil && (conversions != nil || attribute.origins.isEmpty)
        }
        if let refusal, missing == nil || missing?.name == refusal.attribute {
            throw unsafe StoreError(
                .invalidValue,
                "\(reference(model, key)) had values then of which no \(refusal.attribute) can be made: "
                    + "\(refusal.error)",
                advice: "Let the function take them, or return nil for an optional attribute. Nothing was changed."
            )
        }
        if let missing {
            throw unsafe StoreError(
                .invalidValue,
                "\(reference(model, key)) had no \(missing.name) then, which is required now.",
                advice: "Make it optional before going back. Nothing was changed."
            )
        }
        if values.isEmpty { return payload }
        let old = unsafe payload.with(nil)
        return try unsafe WriteSession.rewrite(old, key, of: model, to: values, in: &scratch)?.payload ?? payload
    }

    /// Makes sure that the changed rows of a workspace obey what the schema demands.
    ///
    /// - Throws: as ``converted(_:_:_:_:in:)``, and `uniqueViolation` where two rows have the same values.
    func check(_ workspace: Workspace) throws {
        func forEachReturned(
            where isWanted: (CompiledModel) -> Bool,
            _ body: (UnsafeRawBufferPointer, RowPayload, CompiledModel) throws -> Void
        ) throws {
            for index in 0..<workspace.rows.count {
                let record = workspace.rows[index]
                guard let row = record.row else { continue }
                let key = unsafe record.keyBytes
                let model = try unsafe schema.model(Workspace.modelNumber(of: key))
                guard isWanted(model),
                    try unsafe !Self.isPresent(row, key, in: workspace.tables.rows, workspace.base)
                else { continue }
                var converter = converter(of: model)
                try unsafe body(key, converted(row, key, model, &converter, in: &workspace.scratch), model)
            }
        }
        // What each row lacks comes first, as where the rows are built.
        try unsafe forEachReturned(where: { _ in true }) { _, _, _ in }
        var claims: [[UInt8]: [UInt8]] = [:]
        try unsafe forEachReturned(where: { !$0.uniqueIndexes.isEmpty }) { key, row, model in
            try unsafe workspace.checkFoldedUnique(model, key: key, payload: row, &claims)
        }
    }

    private func reference(_ model: CompiledModel, _ key: UnsafeRawBufferPointer) -> EntityReference {
        EntityReference(model: model.name, id: unsafe String(decoding: key.dropFirst(2), as: UTF8.self))
    }

    /// Whether a row is as it is now.
    static func isPresent(
        _ row: RowView,
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        _ base: TableReader
    ) throws -> Bool {
        guard let value = try unsafe base.get(table, key) else { return false }
        return try unsafe RowView(key: key, value: value).revision == row.revision
    }
}
