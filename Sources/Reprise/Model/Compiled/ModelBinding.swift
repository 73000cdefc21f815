internal import RepriseLMDB

/// How a Swift type meets the stored schema: the model it is, and where its attributes lie.
@safe
final class ModelBinding: Sendable {
    /// The Swift type.
    let type: ObjectIdentifier
    let model: CompiledModel
    let slots: SlotMap
    /// Whether an update keeps something of the old row: the store has attributes that the Swift type lacks, removed
    /// ones among them (STO-85, STO-92), something stands for raw values that an enum does not have (VAL-32), or
    /// an equal value may have another text (VAL-23).
    let isPartial: Bool
    /// The declared attribute of each slot; nil where the type has none.
    private let fields: [Field?]
    /// The same, not counted: this object keeps them.
    let fieldReferences: [Unmanaged<Field>?]

    /// Matches a type's declaration with what the store has. Names and types must agree; the order may differ.
    ///
    /// - Parameter unconverted: attributes of a state of the past that functions have made later.
    init(
        _ type: ObjectIdentifier,
        _ declared: ModelDeclaration,
        in schema: CompiledSchema,
        unconverted: UnconvertedAttributes = UnconvertedAttributes()
    ) throws(StoreError) {
        if let mistake = declared.orderMistake() {
            throw StoreError(
                .invalidSchema,
                "\(mistake)",
                advice: "Correct the declaration of \(declared.name)."
            )
        }
        self.type = type
        model = try schema.model(named: declared.name)
        var slots: [Int] = []
        for field in declared.stored {
            guard let attribute = model.attribute(named: field.name) else {
                throw Self.mismatch(declared.name, "the store has no attribute \"\(field.name)\"")
            }
            guard attribute.type == field.type, attribute.isOptional == field.isOptional else {
                let stored = attribute.type.detail + (attribute.isOptional ? "?" : "")
                let given = field.type.detail + (field.isOptional ? "?" : "")
                throw Self.mismatch(
                    declared.name,
                    "\"\(field.name)\" is \(stored) in the store and \(given) in the Swift type"
                )
            }
            slots.append(attribute.slot)
        }
        let known = Set(slots)
        for attribute in model.description.attributes
        where !attribute.isOptional && attribute.defaultValue == nil && !known.contains(attribute.slot) {
            throw Self.mismatch(
                declared.name,
                "the Swift type lacks \"\(attribute.name)\", which is required"
            )
        }
        let description = model.description
        isPartial = slots.count < description.attributes.count + description.retiredAttributes.count
            || declared.stored.contains { $0.unknown != nil || $0.codable?.canCompare == true }
        var map = SlotMap(slots: slots, slotCount: model.description.slotCount)
        map.conversions = Self.conversions(declared, model.description, unconverted)
        self.slots = map
        fields = self.slots.fields(of: declared)
        unsafe fieldReferences = fields.map { field in
            unsafe field.map { unsafe Unmanaged.passUnretained($0) }
        }
    }

    /// By the place of their attribute in the declaration; nil where there is none.
    ///
    /// In the present, nil is what an optional attribute was set to since, whatever older value the row still has.
    private static func conversions(
        _ declared: ModelDeclaration,
        _ model: ModelDescription,
        _ unconverted: UnconvertedAttributes
    ) -> [Int: PlannedConversion]? {
        let made = model.conversions(among: declared.conversions) + model.widenings()
        let planned = made.filter { $0.isRequired || unconverted.contains($0.place) }
            .map { $0.reading(before: unconverted) }
        if planned.isEmpty { return nil }
        return Dictionary(
            uniqueKeysWithValues: planned.compactMap { planned in
                declared.stored.firstIndex { $0.name == planned.attribute }.map { ($0, planned) }
            }
        )
    }

    func decode<M: Model>(_ type: M.Type, id: M.ID, _ row: RowView) throws(StoreError) -> M {
        do throws(ValueError) {
            return try unsafe M.schema.decode(
                id: id,
                payload: RowPayload(trusting: row.payload, model.defaults),
                slots: slots
            )
        } catch {
            throw unsafe unreadable(id.rawValue, error, try? RowPayload(trusting: row.payload))
        }
    }

    /// Lends a row to code that knows the Swift type.
    ///
    /// - Parameter leftOut: takes note of a row that has a value which its Swift type does not have; nil throws that.
    func decode(
        _ row: RowView,
        id: UnsafeRawBufferPointer,
        leavingOut leftOut: UnreadableRows? = nil,
        _ decode: RowDecoder
    ) throws(StoreError) {
        do throws(ValueError) {
            try unsafe decode(id, RowPayload(trusting: row.payload, model.defaults), slots)
        } catch {
            let id = unsafe String(decoding: id, as: UTF8.self)
            let payload = try? unsafe RowPayload(trusting: row.payload)
            try leave(error, leftOut, unreadable(id, error, payload))
        }
    }

    /// Leaves a row out that cannot be read, or throws why it cannot.
    func leave(
        _ error: ValueError,
        _ leftOut: UnreadableRows?,
        _ failure: @autoclosure () -> StoreError
    ) throws(StoreError) {
        let failure = failure()
        guard failure.isOfRow, let leftOut else { throw failure }
        leftOut.note(failure)
    }

    /// The error for a row that cannot be read. The payload, where it is at hand, has the value for the sentence.
    func unreadable(_ id: String, _ error: ValueError, _ payload: RowPayload?) -> StoreError {
        let row = EntityReference(model: model.name, id: id)
        guard let attribute = error.attribute, error.code == .unknownRawValue || error.code == .outOfRange else {
            return StoreError(
                .invalidValue,
                "\(row) cannot be read: \(error)",
                advice: "Make the Swift type agree with what is stored."
            )
        }
        let value = payload.flatMap { storedValue(at: attribute, in: $0) }
        if error.code == .outOfRange {
            let reason = error.reason.map { " (\($0))" } ?? ""
            return StoreError(
                .invalidValue,
                "\(row) cannot be read: its \(attribute) is \(value?.rawText ?? "a value"), which its Swift type does"
                    + " not have\(reason).",
                advice: "Declare a type that has it, or save the row anew.",
                cause: .unreadableValue(attribute: attribute, value: value, of: row)
            )
        }
        let type = model.attribute(named: attribute)?.type
        let advice =
            switch type {
            case .list, .set, .map: "Add the case."
            default: "Add the case, or declare with unknown: which case stands for it."
            }
        return StoreError(
            .invalidValue,
            "\(row) cannot be read: its \(attribute) is \(value?.rawText ?? "a raw value"), which the enum does not"
                + " have.",
            advice: advice,
            cause: .unknownRawValue(attribute: attribute, value: value, of: row)
        )
    }

    /// What is stored at the end of a path of attribute and fields.
    private func storedValue(at path: String, in payload: RowPayload) -> Value? {
        let names = path.split(separator: ".")
        guard let name = names.first, let attribute = model.attribute(named: String(name)),
            let stored = try? unsafe Value(slot: payload.slot(attribute.slot), as: attribute.type)
        else { return nil }
        var value = stored
        for name in names.dropFirst() {
            guard case .embedded(let fields) = value,
                let field = fields.first(where: { $0.name == String(name) })
            else { return nil }
            value = field.value
        }
        return value.rawText == nil ? nil : value
    }

    private static func mismatch(_ model: String, _ what: String) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The Swift type of \(model) does not fit the store: \(what).",
            advice: "Declare it as the store has it.",
            cause: .schemaMismatch([what])
        )
    }
}

extension Value {
    /// A raw value in a sentence; nil for what no enum has.
    fileprivate var rawText: String? {
        switch self {
        case .string(let text): "\"\(text.prefix(40))\""
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        default: nil
        }
    }
}

/// Makes a value of a Swift type from the bytes of its identifier and of its row. The code that declares the type
/// specialises it.
@usableFromInline
typealias RowDecoder =
    (UnsafeRawBufferPointer, borrowing RowPayload, borrowing SlotMap) throws(ValueError) -> Void

/// As ``RowDecoder``, for code that may have enough, and that has errors of its own.
@usableFromInline
typealias RowVisitor =
    (UnsafeRawBufferPointer, borrowing RowPayload, borrowing SlotMap) throws -> Bool

/// The bindings of a store's models, made when they are first used.
final class ModelBindings: Sendable {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let unconverted: UnconvertedAttributes
    }

    private struct Entry {
        let schemaNumber: UInt32
        let binding: ModelBinding
    }

    private let entries = Guarded<[Key: Entry]>([:])

    func binding(
        for type: ObjectIdentifier,
        _ declaration: () -> ModelDeclaration,
        in schema: CompiledSchema,
        unconverted: UnconvertedAttributes
    ) throws -> ModelBinding {
        let key = Key(type: type, unconverted: unconverted)
        if let entry = entries.withLock({ $0[key] }), entry.schemaNumber == schema.number {
            return entry.binding
        }
        let binding = try ModelBinding(type, declaration(), in: schema, unconverted: unconverted)
        entries.withLock { $0[key] = Entry(schemaNumber: schema.number, binding: binding) }
        return binding
    }
}
