/// The models of a store and how they are related, checked as a whole.
public struct Schema: Sendable {
    /// The schema as data, numbered in the order of declaration.
    public internal(set) var description: SchemaDescription
    /// The description's model for each Swift type.
    let numbers: [ObjectIdentifier: UInt16]
    /// What earlier versions of the app had, and this one says that it goes.
    let removals: SchemaRemovals
    /// How older rows get values, by the number of their model.
    let conversions: [UInt16: [Conversion]]
    /// What code does to stores of earlier versions, in ascending order.
    var codeChanges: [any CodeChange] = []
    /// The schema of a store with the same past: what is new in both gets the same numbers. Nil for none.
    var relative: SchemaDescription?

    /// Takes the models of a program. A mistake in them is a programmer's error: it stops the program with
    /// a sentence that names the model and the attribute.
    ///
    /// - Parameters:
    ///   - models: the types, in any order.
    ///   - removed: the stored names of models that earlier versions of the app had, and that go (STO-90). Their rows
    ///     stay in the history. Keep them here for as long as stores of those versions are about.
    public init<each M: Model>(_ models: repeat (each M).Type, removed: [String] = []) {
        do throws(SchemaError) {
            self = try Self(validating: repeat each models, removed: removed)
        } catch {
            fatalError("The schema cannot be used. \(error)")
        }
    }

    /// Takes models and throws what is wrong with them.
    ///
    /// - Parameters:
    ///   - models: the types, in any order.
    ///   - removed: the stored names of models that earlier versions of the app had.
    /// - Throws: ``SchemaError``, the first mistake that is found.
    public init<each M: Model>(
        validating models: repeat (each M).Type,
        removed: [String] = []
    ) throws(SchemaError) {
        var declarations: [ModelDeclaration] = []
        repeat declarations.append((each models).schema.declaration)
        var numbers: [ObjectIdentifier: UInt16] = [:]
        for (index, declaration) in declarations.enumerated() {
            guard let number = UInt16(exactly: index + 1) else {
                throw SchemaError(
                    .tooManyAttributes,
                    model: declaration.name,
                    message: "A schema has at most 65535 models; divide it."
                )
            }
            let previous = numbers.updateValue(number, forKey: declaration.reference.type)
            guard previous == nil else {
                throw SchemaError(
                    .duplicateModel,
                    model: declaration.name,
                    message: "The model is listed twice; list it once."
                )
            }
        }
        self.numbers = numbers
        var builder = SchemaBuilder(declarations: declarations, numbers: numbers)
        description = try builder.build()
        for declaration in declarations where removed.contains(declaration.name) {
            throw SchemaError(
                .incompatible,
                model: declaration.name,
                message: "It is declared and removed at once; leave one of them out."
            )
        }
        removals = SchemaRemovals(models: Set(removed), declarations)
        conversions = Dictionary(
            uniqueKeysWithValues: declarations.indices.map { (UInt16($0 + 1), declarations[$0].conversions) }
        )
    }

    /// Takes a schema that no Swift types stand for: what a tool made, or found in another store. Such a store is
    /// read and written by stored names.
    ///
    /// - Throws: ``SchemaError``, the first thing that is wrong with it.
    public init(_ description: SchemaDescription) throws(SchemaError) {
        try description.validate()
        self.description = description
        numbers = [:]
        removals = SchemaRemovals(description)
        conversions = [:]
    }

    /// Takes a schema that no Swift types stand for, with what earlier versions of it had and this one gives up.
    ///
    /// - Parameters:
    ///   - models: the stored names of models that go.
    ///   - members: the stored names of attributes and relationships that go, by the name of their model.
    package init(
        _ description: SchemaDescription,
        removedModels models: Set<String>,
        members: [String: Set<String>]
    ) throws(SchemaError) {
        try description.validate()
        self.description = description
        numbers = [:]
        removals = SchemaRemovals(models: models, members: members)
        conversions = [:]
    }

    /// The description of a Swift model, or nil when the schema does not have it.
    public func model<M: Model>(_ type: M.Type) -> ModelDescription? {
        numbers[ObjectIdentifier(type)].flatMap(description.model)
    }
}
