/// What leads from the schema of a store to a declared one (STO-81 to STO-92).
///
/// Models, attributes, relationships and indexes that stay keep their numbers and slots; new ones get numbers that were
/// never used. Nothing is guessed: what the declaration does not say is a refusal.
struct SchemaChange {
    /// The schema that the change leads to.
    let schema: SchemaDescription
    let mapping: SchemaMapping
    let steps: [SchemaStep]
    /// Why the change is not made, a sentence each; empty where it can be.
    let refusals: [String]

    /// Whether the declaration says what the store has.
    var isNothing: Bool { steps.isEmpty && refusals.isEmpty }

    /// - Parameters:
    ///   - stored: the schema in force.
    ///   - earlier: those before it, whose numbers are not given out again.
    ///   - declared: numbered in the order of declaration.
    init(
        from stored: SchemaDescription,
        earlier: [SchemaDescription],
        to declared: Schema
    ) {
        var planner = SchemaChangePlanner(stored, earlier, declared)
        planner.plan()
        schema = planner.schema
        mapping = planner.mapping
        steps = planner.steps
        refusals = planner.refusals
    }
}
