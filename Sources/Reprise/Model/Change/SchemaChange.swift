/// What leads from the schema of a store to a declared one (STO-81 to STO-93).
///
/// Models, attributes, relationships and indexes that stay keep their numbers and slots; new ones get numbers that were
/// never used. Nothing is guessed: what the declaration does not say is a refusal.
struct SchemaChange {
    /// The schema that the change leads to.
    let schema: SchemaDescription
    let mapping: SchemaMapping
    let steps: [SchemaStep]
    /// What functions of the program have to make of the rows.
    let conversions: [PlannedConversion]
    /// What code of the program has to do.
    let codeChanges: [any CodeChange]
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
        self.init(SchemaChangePlanner(stored, earlier, declared))
    }

    /// What leads from one schema of a store to a later one.
    init(from stored: SchemaDescription, to later: SchemaDescription) {
        self.init(SchemaChangePlanner(stored, later))
    }

    private init(_ planner: consuming SchemaChangePlanner) {
        planner.plan()
        schema = planner.schema
        mapping = planner.mapping
        steps = planner.steps
        conversions = planner.conversions
        codeChanges = planner.codeChanges
        refusals = planner.refusals
    }
}
