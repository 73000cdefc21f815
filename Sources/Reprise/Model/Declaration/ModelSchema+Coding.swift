/// Where each attribute of a Swift type lies in the stored row: the stored schema gives slots by
/// name, so properties may be declared in another order than when the store was made.
@usableFromInline
struct SlotMap: Sendable {
    /// The slot of each stored attribute, in declaration order.
    @usableFromInline let slots: [Int]
    /// The declared attribute of each slot, -1 where the type has none.
    let attributes: [Int]
    var slotCount: Int { attributes.count }
    /// Functions for attributes that rows of the past lack, by attribute; nil where there is none.
    var conversions: [Int: PlannedConversion]? {
        didSet { hasConversions = conversions != nil }
    }
    @usableFromInline var hasConversions = false

    /// - Parameters:
    ///   - slots: the slot of each stored attribute in declaration order; distinct.
    ///   - slotCount: how many slots the stored schema has.
    init(slots: [Int], slotCount: Int) {
        self.slots = slots
        var attributes = Array(repeating: -1, count: slotCount)
        for (attribute, slot) in slots.enumerated() { attributes[slot] = attribute }
        self.attributes = attributes
    }

    /// The map of a Swift type onto what a store has. An attribute the store does not know, or
    /// has with another type, is an error.
    init(_ declaration: ModelDeclaration, stored: ModelDescription) throws(SchemaError) {
        var slots: [Int] = []
        for field in declaration.stored {
            guard let attribute = stored.attribute(named: field.name), attribute.type == field.type
            else {
                throw SchemaError(
                    .incompatible,
                    model: declaration.name,
                    attribute: field.name,
                    message:
                        "The stored schema does not have it in this type; declare the new schema first."
                )
            }
            slots.append(attribute.slot)
        }
        self.init(slots: slots, slotCount: stored.slotCount)
    }

    /// The map for a schema that has never been stored: slot = declaration order.
    @usableFromInline
    init(identity count: Int) {
        self.init(slots: Array(0..<count), slotCount: count)
    }
}

extension ModelSchema {
    /// Builds a model from its row. Throws a ``ValueError`` that names the attribute.
    func decode(
        id: Identifier<M>,
        payload: borrowing RowPayload,
        slots: borrowing SlotMap
    ) throws(ValueError) -> M {
        try decodeRow(id, payload, slots)
    }

    /// The stored name of a property, or nil when the schema does not declare it.
    package func attributeName(of keyPath: PartialKeyPath<M>) -> String? {
        declaration.fields.first { ($0.keyPath as AnyKeyPath) == keyPath }?.name
    }
}

extension RowPayloadWriter {
    /// Writes the row payload of an instance: afterwards it is ``bytes``. To-one slots get order key zero. No
    /// allocation once the writer has grown.
    ///
    /// - Parameters:
    ///   - instance: of the type that declared the fields.
    ///   - fields: the declared attribute of each slot; nil where the type has none. Not counted, or each of them would
    ///     be, for each row.
    ///   - old: what the row holds, of which the slots are kept that the type does not know, and raw values that its
    ///     enums do not have.
    /// - Throws: `tooLarge`, and `unencodable` with the name of the attribute.
    mutating func writeRow(
        _ instance: UnsafeRawPointer,
        _ fields: borrowing [Unmanaged<Field>?],
        keeping old: RowPayload? = nil
    ) throws(ValueError) {
        removeAll()
        var row = unsafe beginRow(slotCount: fields.count)
        for slot in unsafe fields.indices {
            let begin = end
            let isThere = unsafe fields[slot]?._withUnsafeGuaranteedRef {
                unsafe $0.appendProperty(of: instance, to: &self)
            }
            if let isThere, let stored = unsafe old?.slot(slot),
                let unknown = unsafe fields[slot]?._withUnsafeGuaranteedRef({ $0.unknown }),
                unsafe unknown.leaves(stored, for: isThere ? UnsafeRawBufferPointer(rebasing: all[begin...]) : nil)
            {
                end = begin
                unsafe append(bytes: stored)
                endSlot(&row)
            } else if isThere == true {
                if let stored = unsafe old?.slot(slot),
                    let codable = unsafe fields[slot]?._withUnsafeGuaranteedRef({ $0.codable }),
                    unsafe codable.leaves(stored, for: UnsafeRawBufferPointer(rebasing: all[begin...]))
                {
                    end = begin
                    unsafe append(bytes: stored)
                }
                endSlot(&row)
            } else if isThere == nil, let kept = unsafe old?.slot(slot) {
                unsafe append(bytes: kept)
                endSlot(&row)
            } else {
                skipSlot(&row)
            }
        }
        if hasFailed { throw unsafe unencodable(instance, fields) }
        try endRow(row)
    }

    /// Everything that was written since the last `removeAll`.
    private var all: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: end) }

    /// The error that names the first attribute that could not be written, which is looked for again.
    private mutating func unencodable(
        _ instance: UnsafeRawPointer,
        _ fields: borrowing [Unmanaged<Field>?]
    ) -> ValueError {
        for slot in unsafe fields.indices {
            removeAll()
            let name = unsafe fields[slot]?._withUnsafeGuaranteedRef { field in
                _ = unsafe field.appendProperty(of: instance, to: &self)
                return field.name
            }
            if hasFailed { return ValueError(.unencodable, attribute: name) }
        }
        return ValueError(.unencodable)
    }
}

extension SlotMap {
    /// The declared attribute of each slot; nil where the type has none.
    func fields(of declaration: ModelDeclaration) -> [Field?] {
        attributes.map { $0 < 0 ? nil : declaration.stored[$0] }
    }
}
