internal import Synchronization

/// How a Swift type meets the stored schema: the model it is, and where its attributes lie.
struct ModelBinding: Sendable {
    let model: CompiledModel
    let slots: SlotMap

    /// Matches the type's declaration with what the store has. Names and types must agree; the order may differ.
    init<M: Model>(_ type: M.Type, in schema: CompiledSchema) throws(StoreError) {
        let declared = M.schema
        model = try schema.model(named: declared.name)
        var slots: [Int] = []
        for field in declared.declaration.stored {
            guard let attribute = model.attribute(named: field.name) else {
                throw Self.mismatch(declared.name, "the store has no attribute \"\(field.name)\"")
            }
            guard attribute.type == field.type, attribute.isOptional == field.isOptional else {
                throw Self.mismatch(
                    declared.name,
                    "\"\(field.name)\" has another type in the store"
                )
            }
            slots.append(attribute.slot)
        }
        guard slots.count == model.description.attributes.count else {
            throw Self.mismatch(declared.name, "the store has attributes that the Swift type lacks")
        }
        self.slots = SlotMap(slots: slots, slotCount: model.description.slotCount)
    }

    func decode<M: Model>(_ type: M.Type, id: M.ID, _ row: RowView) throws(StoreError) -> M {
        do throws(ValueError) {
            return try unsafe M.schema.decode(
                id: id,
                payload: RowPayload(trusting: row.payload),
                slots: slots
            )
        } catch {
            throw StoreError(
                .invalidValue,
                "\(model.name) \"\(id)\" cannot be read: \(error)",
                advice: "Make the Swift type agree with what is stored."
            )
        }
    }

    private static func mismatch(_ model: String, _ what: String) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The Swift type of \(model) does not fit the store: \(what).",
            advice: "Use the declaration that the store was made with.",
            cause: .schemaMismatch([what])
        )
    }
}

/// The bindings of a store's models, made when they are first used.
final class ModelBindings: Sendable {
    private struct Entry {
        let schemaNumber: UInt32
        let binding: ModelBinding
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func binding<M: Model>(for type: M.Type, in schema: CompiledSchema) throws -> ModelBinding {
        let identifier = ObjectIdentifier(type)
        if let entry = entries.withLock({ $0[identifier] }), entry.schemaNumber == schema.number {
            return entry.binding
        }
        let binding = try ModelBinding(type, in: schema)
        entries.withLock { $0[identifier] = Entry(schemaNumber: schema.number, binding: binding) }
        return binding
    }
}
