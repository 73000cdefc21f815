internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// The schema in force.
    public var schema: SchemaDescription {
        get throws { try read { $0.schema } }
    }

    /// Whether the program has declared models: otherwise the store was opened by stored names alone.
    package var declaresModels: Bool { adoptedSchema.withLock { $0 != nil } }

    static let schemaDeclarationIntent = "schema.declare"
    /// The intent of a commit that converts rows again, and the name of the annotation in it.
    package static var conversionName: String { RowConversions.name }
    /// How often the map may grow for one change of the schema; it doubles each time.
    private static let growthCountMax = 20

    /// Brings the store to a declared schema, or finds out that it is there (STO-81 to STO-86).
    ///
    /// - Throws: `schemaMismatch` where the change is not made or the store is only read, `newerSchema` where the
    ///   declaration is too old for the store, `uniqueViolation` and `invalidValue` where rows forbid it. The store is
    ///   as it was then.
    func adopt(_ declared: Schema) throws {
        let (schema, history) = try settle(declared)
        adoptedSchema.withLock { $0 = schema }
        declaration.withLock {
            $0 = declared
            $0?.relative = nil
        }
        conversions.withLock { $0 = declared.conversions(in: schema) }
        // Rows that a tool has rolled back may lack what an earlier version had made.
        if history == nil, !hasConversions(in: schema) { return }
        try convertAgain(try history ?? schemaHistory())
    }

    /// Changes the schema of a store that is open, for a tool that adds to it. What the program declares stays what it
    /// was.
    ///
    /// - Throws: as ``open(at:schema:configuration:)``.
    package func change(to declared: Schema) throws {
        try wrapped { _ = try settle(declared) }
    }

    /// - Returns: the schema that the program works with, and the history where the declaration changes nothing.
    private func settle(
        _ declared: Schema
    ) throws -> (schema: SchemaDescription, unchanged: SchemaHistory?) {
        try declared.checkCodeChanges()
        var attemptsLeft = Self.growthCountMax
        while true {
            let history = try schemaHistory()
            switch SchemaAgreement(of: declared, with: history.present, after: history.earlier) {
            case .same: return (history.present, history)
            case .older(let then):
                configuration.logger?.notice(
                    "The store has a newer schema than this program declares.",
                    metadata: ["path": "\(path)"]
                )
                return (then, nil)
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
                } catch where attemptsLeft > 0 && Self.isMapFull(error) {
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
                return (change.schema, nil)
            }
        }
    }

    /// Within a transaction of the program's code the error is one of the store already.
    static func isMapFull(_ error: any Error) -> Bool {
        (StoreError.wrapping(error) as? StoreError)?.code == .mapFull
    }

    func schemaHistory() throws -> SchemaHistory {
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let history = try SchemaHistory(of: state, transaction.reader, tables)
        try transaction.checkUndisturbed()
        return history
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
            advice: "Open the store with that version. To return to this declaration on purpose, say each difference "
                + "in it (renamedFrom:, removed), keep every change(to:), and give a model a higher version:. "
                + "Nothing was changed.",
            cause: .schemaMismatch(reasons)
        )
    }
}
