/// How events of another store are said in the terms of this one.
struct ForeignTerms {
    /// Gives entries the serials that they have here.
    let entries: ArrivingEntries
    /// Says what is the same in both.
    let match: SchemaMatch
    /// Reads events that are older than a conversion; nil where nothing was converted.
    let upcaster: EventUpcaster?

    func model(_ theirs: UInt16) -> UInt16 { match.numbers?.model(theirs) ?? theirs }

    func relation(_ theirs: UInt16) -> UInt16 { match.numbers?.relation(theirs) ?? theirs }

    /// A row, with the slots and the defaults that it has here.
    ///
    /// - Parameter isNew: whether it comes with the event.
    func row(_ theirs: [UInt8], of entity: EntityKey, isNew: Bool) throws -> [UInt8] {
        let row = try match.numbers?.row(theirs, ofModel: entity.model) ?? theirs
        return try match.withDefaults(row, ofModel: entity.model, isNew: isNew)
    }

    func changes(_ theirs: [SlotDelta], of entity: EntityKey) -> [SlotDelta] {
        let changes = match.numbers?.changes(theirs, ofModel: entity.model) ?? theirs
        return match.withDefaults(changes, ofModel: entity.model)
    }
}
