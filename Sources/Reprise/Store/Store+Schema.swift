internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// The schema in force.
    public var schema: SchemaDescription {
        get throws { try read { $0.schema } }
    }

    static let schemaDeclarationIntent = "schema.declare"
    /// How often the map may grow for one change of the schema; it doubles each time.
    private static let growthCountMax = 20

    /// Brings the store to a declared schema, or finds out that it is there (STO-81 to STO-86).
    ///
    /// - Throws: `schemaMismatch` where the change is not made or the store is only read, `newerSchema` where the
    ///   declaration is too old for the store, `uniqueViolation` and `invalidValue` where rows forbid it. The store is
    ///   as it was then.
    func adopt(_ declared: Schema) throws {
        var attemptsLeft = Self.growthCountMax
        while true {
            let history = try schemaHistory()
            switch SchemaAgreement(of: declared, with: history.present, after: history.earlier) {
            case .same: return adoptedSchema.withLock { $0 = history.present }
            case .older(let then):
                configuration.logger?.notice(
                    "The store has a newer schema than this program declares.",
                    metadata: ["path": "\(path)"]
                )
                return adoptedSchema.withLock { $0 = then }
            case .tooOld(let reasons): throw StoreError.newerSchema(reasons)
            case .isRefused(let refusals): throw StoreError.schemaMismatch(refusals)
            case .changes(let change):
                guard !configuration.readOnly else {
                    throw StoreError.schemaMismatch(
                        change.steps.map { "The declaration \($0), and a store that is only read is not changed." }
                    )
                }
                do {
                    // Where another process has changed it meanwhile, all is looked at again.
                    guard try writer.perform({ try make(change, since: history.position) }) else { continue }
                } catch let error as LMDBError where error.code == .mapFull && attemptsLeft > 0 {
                    // The next attempt finds a larger map (STO-31).
                    attemptsLeft -= 1
                    continue
                }
                configuration.logger?.notice(
                    "The schema was changed.",
                    metadata: [
                        "path": "\(path)",
                        "steps": "\(change.steps.map(\.description).joined(separator: "; "))",
                    ]
                )
                return adoptedSchema.withLock { $0 = change.schema }
            }
        }
    }

    private func schemaHistory() throws -> SchemaHistory {
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let history = try SchemaHistory(of: state, transaction.reader, tables)
        try transaction.checkUndisturbed()
        return history
    }

    /// Declares a schema and brings the views to it, in one transaction (STO-82). In a write's turn.
    ///
    /// - Parameter position: that of the declaration that the change leads away from.
    /// - Returns: whether it was made; not where another schema is in force by now.
    private func make(_ change: SchemaChange, since position: UInt64) throws -> Bool {
        let present = try readState()
        let transaction = try environment.beginWrite(room: try indexRoom(change, present))
        var state = try StoreState.read(transaction.reader, tables)
        guard state.schemaPosition == position else { return false }
        if state.areViewsBehind { try foldMissing(&state, in: transaction) }
        let workspace = try workspace(on: transaction.reader, state)
        let old = workspace.schema
        let session = WriteSession(
            workspace: workspace,
            after: state.log,
            metadata: metadata(
                CommitContext(intent: Self.schemaDeclarationIntent),
                &state,
                schemaNumber: state.schemaNumber + 1
            )
        )
        let bytes = change.schema.encode()
        session.declaredSchema = try session.record(.schemaDeclared, previous: position) { writer in
            unsafe bytes.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        try finish(session, &state, in: transaction)
        let new = CompiledSchema(
            change.schema,
            position: state.schemaPosition,
            number: state.schemaNumber
        )
        try bringViews(of: state, from: old, to: new, transaction.reader)
        state.viewsPosition = state.log.head
        state.viewsDigest = state.headDigest
        let missing = max(0, new.modelCount - workspace.counts.count)
        state.counts = workspace.counts + Array(repeating: 0, count: missing)
        try state.write(in: transaction, tables)
        try transaction.commit()
        live.ring()
        return true
    }

    private func bringViews(
        of state: StoreState,
        from old: CompiledSchema,
        to new: CompiledSchema,
        _ base: TableReader
    ) throws {
        let build = IndexBuild(
            schema: new,
            tables: tables[state.viewSet],
            base: base,
            makeFile: environment.makeSpillFile
        )
        for model in new.allModels {
            guard let before = old.description.model(model.number) else { continue }
            let required = model.description.attributes.filter { attribute in
                !attribute.isOptional && before.attribute(slot: attribute.slot)?.isOptional == true
            }
            if !required.isEmpty { try build.requireValues(required.map(\.slot), of: model) }
        }
        let numbers = Set(new.description.models.flatMap(\.indexNumbers))
        let oldNumbers = Set(old.description.models.flatMap(\.indexNumbers))
        for number in oldNumbers.subtracting(numbers).sorted() { try build.drop(number) }
        try build.build(numbers.subtracting(oldNumbers))
    }

    /// About how much the new indexes will take, in bytes.
    private func indexRoom(_ change: SchemaChange, _ state: StoreState) throws -> Int {
        let entryByteCount = 256
        let models = change.steps.compactMap { step -> String? in
            switch step {
            case .addsIndex(let model, _, _), .addsSearchIndex(let model, _): model
            default: nil
            }
        }
        return models.reduce(0) { sum, name in
            let number = Int(change.schema.model(named: name)?.number ?? 0)
            let count = state.counts.indices.contains(number - 1) ? state.counts[number - 1] : 0
            // Bounded, so that no number in a file makes the sum overflow.
            return sum + min(count, 1 << 32) * entryByteCount
        }
    }

    /// Makes sure that a program can work with a schema that another process has declared meanwhile (STO-84).
    func checkDeclared(against schema: CompiledSchema) throws {
        guard let adopted = adoptedSchema.withLock({ $0 }) else { return }
        let code = OlderCode(adopted, in: schema.description)
        let reasons = code.obstacles + code.lacking
        guard reasons.isEmpty else {
            throw StoreError(
                .schemaChanged,
                "Another process has changed the schema: \(reasons.prefix(5).joined(separator: "; ")).",
                advice: "Close the store and open it again with the newer version of the program."
            )
        }
    }
}

extension StoreError {
    static func schemaMismatch(_ differences: [String]) -> StoreError {
        let more = differences.count > 5 ? " And \(differences.count - 5) more." : ""
        return StoreError(
            .schemaMismatch,
            "The declared schema does not lead on from that of the store. "
                + differences.prefix(5).joined(separator: " ") + more,
            advice: "Nothing was changed.",
            cause: .schemaMismatch(differences)
        )
    }

    static func newerSchema(_ reasons: [String]) -> StoreError {
        StoreError(
            .newerSchema,
            "A newer version of the program has changed the schema: \(reasons.prefix(5).joined(separator: "; ")).",
            advice: "Open the store with that version, or raise a version to go back to this declaration. "
                + "Nothing was changed.",
            cause: .schemaMismatch(reasons)
        )
    }
}
