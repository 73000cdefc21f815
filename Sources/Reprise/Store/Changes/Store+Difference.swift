internal import RepriseLMDB

extension Store {
    /// What has to happen to the state at one point so that it is the state at another: entity by entity, field by
    /// field, and entry by entry.
    ///
    /// The points may lie on timelines that rollbacks have left. Names are those of the schema in force, and
    /// what conversions have made is told of older states as well, where this program has the function.
    ///
    /// - Parameters:
    ///   - from: the state before.
    ///   - to: the state afterwards.
    /// - Throws: `unknownPosition`, `unknownSnapshot`, `newerFormat`, `corrupted`; `diskFull` where a large set has no
    ///   room beside the store.
    /// - Complexity: O(events between the two points), sorted by entity; the memory has a bound.
    public func difference(from: Point, to: Point = .head) throws -> ChangeSet {
        try wrapped {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            let travel = travel(transaction.reader, state)
            let (from, to) = (try travel.position(of: from), try travel.position(of: to))
            let schema = try compiledSchema(transaction.reader, state)
            let upcaster = try upcaster(of: travel, schema.description)
            var gathering = DeltaGathering(upcaster, makeFile: environment.makeSpillFile)
            try travel.forEachStep(from: from, to: to) { try gathering.add($0, isUndone: $1) }
            let set = try gathering.changeSet(
                home: try BranchSide(travel).home(from: from, to: to),
                schema: schema,
                makeFile: environment.makeSpillFile,
                endConversions: upcaster?.conversions(behind: to),
                readEnd: { body in
                    try self.read(asOf: .position(Position(to))) { transaction in
                        try body { try transaction.access.workspace.payload(of: $0, nil) }
                    }
                },
                completing: { try upcaster?.removeOrigins(from: &$0) }
            )
            try transaction.checkUndisturbed()
            return set
        }
    }
}
