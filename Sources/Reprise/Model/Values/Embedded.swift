/// A struct stored inside the row of the model that has it, as one attribute.
///
/// ```swift
/// struct Address: Embedded {
///     var street: String
///     var city: String?
///     static let embedded = EmbeddedSchema(Self.init,
///         .attribute("street", \.street), .attribute("city", \.city))
/// }
/// ```
///
/// Embedded structs have no identity, cannot be indexed and cannot contain themselves.
public protocol Embedded: StoredValue {
    /// Stored names and types. Make it a `static let`.
    static var embedded: EmbeddedSchema<Self> { get }
}

/// What is stored of an embedded struct; fields are numbered in the order of declaration. Optional fields may be added
/// at the end later (STO-81).
public struct EmbeddedSchema<E: Embedded>: Sendable {
    @usableFromInline
    typealias Decode = @Sendable (borrowing RowPayload) throws(ValueError) -> E

    @usableFromInline let fields: [Field]
    @usableFromInline let slots: SlotMap
    @usableFromInline let decodeRow: Decode
    /// Tries out whether the attributes of a struct with this name stand in the order of the initialiser's parameters.
    @usableFromInline let orderMistake: @Sendable (String) -> SchemaError?

    /// Declares an embedded struct.
    ///
    /// - Parameters:
    ///   - make: the memberwise initialiser, `Self.init`.
    ///   - attributes: one line for each parameter of `make`, in its order.
    @inlinable
    public init<each V: StoredValue>(
        _ make: @escaping @Sendable (repeat each V) -> E,
        _ attributes: repeat Attribute<E, each V>
    ) {
        var fields: [Field] = []
        repeat fields.append((each attributes).field)
        let slots = SlotMap(identity: fields.count)
        self.fields = fields
        self.slots = slots
        let layout = FieldLayout(fields)
        orderMistake = { [fields] name in
            var trial = ParameterTrial(fields)
            repeat trial.add((each V).self)
            while trial.beginRound() {
                let instance = make(repeat trial.value((each V).self))
                unsafe withUnsafePointer(to: instance) { unsafe trial.observe($0) }
            }
            return trial.mistake(in: name)
        }
        decodeRow = { (payload) throws(ValueError) -> E in
            var reader = FieldReader()
            do throws(ValueError) {
                return make(repeat try reader.next((each V).self, payload, slots, layout))
            } catch {
                throw layout.naming(error, reader.storedIndex)
            }
        }
    }
}

extension Embedded {
    public static var valueType: ValueType {
        .embedded(
            embedded.fields.map {
                EmbeddedField(name: $0.name, type: $0.type, isOptional: $0.isOptional)
            }
        )
    }

    public func write(to writer: inout RowPayloadWriter) {
        let fields = Self.embedded.fields
        var row = writer.beginRow(slotCount: fields.count)
        unsafe withUnsafePointer(to: self) { pointer in
            for field in fields {
                if unsafe field.write(UnsafeRawPointer(pointer), &writer) {
                    writer.endSlot(&row)
                } else {
                    writer.skipSlot(&row)
                }
            }
        }
        writer.endEmbeddedRow(row)
    }

    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        unsafe try embedded.decodeRow(try RowPayload(trusting: bytes))
    }
}
