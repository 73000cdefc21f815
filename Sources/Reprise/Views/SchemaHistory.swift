internal import RepriseLMDB
internal import RepriseLog

/// The schemas that a store has had, read from its log: each declaration names the one before it (events.md).
struct SchemaHistory {
    /// The schema in force, empty where none was declared.
    let present: SchemaDescription
    /// Those before it, the newest first.
    let earlier: [SchemaDescription]
    /// The positions of all declarations, the newest first.
    let positions: [UInt64]
    /// The position of the declaration in force; 0 where there is none.
    let position: UInt64

    /// - Complexity: O(declarations · log n).
    init(of state: StoreState, _ reader: TableReader, _ tables: StoreTables) throws {
        let log = LogReader(reader, table: tables.log, head: state.log.head)
        var found: [SchemaDescription] = []
        var positions: [UInt64] = []
        var position = state.schemaPosition
        while position > 0 {
            guard let event = try log.event(at: position), event.type == .schemaDeclared else {
                throw StoreError.damage("The log has no schema at position \(position).")
            }
            positions.append(position)
            found.append(try unsafe SchemaDescription(inLog: event.body))
            guard event.previous < position else {
                throw StoreError.damage("The schema at position \(position) comes before itself.")
            }
            position = event.previous
        }
        self.init(found, at: positions)
    }

    private init(_ schemas: [SchemaDescription], at positions: [UInt64]) {
        present = schemas.first ?? SchemaDescription(models: [], relations: [])
        earlier = Array(schemas.dropFirst())
        self.positions = positions
        position = positions.first ?? 0
    }

    /// The same with other descriptions.
    func map(_ transform: (SchemaDescription) -> SchemaDescription) -> SchemaHistory {
        SchemaHistory(positions.isEmpty ? [] : ([present] + earlier).map(transform), at: positions)
    }
}

extension SchemaHistory {
    /// The last schema that was declared up to a position; nil before the first one.
    func declared(upTo position: UInt64) -> SchemaDescription? {
        guard let place = positions.firstIndex(where: { $0 <= position }) else { return nil }
        return place == 0 ? present : earlier[place - 1]
    }

    /// The schema that was in force at a position, for looking at the state of then, or the first one before there was
    /// any; nil where it is the present one.
    ///
    /// Indexes that are gone since have no entries any more, so that it has none of them.
    func schema(at position: UInt64) -> CompiledSchema? {
        let place = positions.firstIndex { $0 <= position } ?? positions.count - 1
        if place <= 0 { return nil }
        return CompiledSchema(
            earlier[place - 1].keepingIndexes(present.indexNumbers),
            position: positions[place],
            number: UInt32(clamping: positions.count - place)
        )
    }
}
