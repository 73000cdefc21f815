internal import RepriseLMDB
internal import RepriseLog

extension CompiledSchema {
    /// The schema in force in a state, from the log.
    static func inForce(
        in state: StoreState,
        _ reader: TableReader,
        _ tables: StoreTables
    ) throws -> CompiledSchema {
        guard state.schemaPosition > 0 else {
            return CompiledSchema(
                SchemaDescription(models: [], relations: []),
                position: 0,
                number: 0
            )
        }
        let log = LogReader(reader, table: tables.log, head: state.log.head)
        guard let event = try log.event(at: state.schemaPosition), event.type == .schemaDeclared
        else {
            throw StoreError.damage("The log has no schema at position \(state.schemaPosition).")
        }
        return CompiledSchema(
            try unsafe SchemaDescription(inLog: event.body),
            position: state.schemaPosition,
            number: state.schemaNumber
        )
    }
}

extension SchemaDescription {
    /// Reads the declaration in an event of the log.
    init(inLog body: UnsafeRawBufferPointer) throws(StoreError) {
        do {
            try unsafe self.init(decoding: [UInt8](body))
        } catch {
            throw StoreError(
                error.code == .newerForm ? .newerFormat : .corrupted,
                "The schema in the log cannot be read: \(error)",
                advice: "Open the store with a newer version of Reprise, or restore a backup."
            )
        }
    }
}
