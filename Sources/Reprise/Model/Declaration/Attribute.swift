/// One line of a schema: a stored name, a property and its options.
///
/// `V` is the property's type. The code that writes it is resolved once, here, in the module that
/// declares the model: through the property's offset in memory, or its key path where there is none
/// (a computed property).
public struct Attribute<M, V: StoredValue>: Sendable {
    /// All there is, so that the layout does not depend on `V`: otherwise copies of an attribute
    /// would look for type metadata at run time.
    @usableFromInline let field: Field

    @inlinable
    init(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable,
        role: Field.Role,
        earlierNames: [String] = [],
        fallback: V? = nil,
        unknown: UnknownRawValue? = nil
    ) {
        let write: Field.Write
        let offset = MemoryLayout<M>.offset(of: keyPath)
        if let offset {
            unsafe write = { instance, writer in
                let property = unsafe (instance + offset).assumingMemoryBound(to: V.self)
                if unsafe property.pointee.isNil { return false }
                unsafe property.pointee.write(to: &writer)
                return true
            }
        } else {
            unsafe write = { instance, writer in
                let value = unsafe instance.assumingMemoryBound(to: M.self).pointee[
                    keyPath: keyPath
                ]
                if value.isNil { return false }
                value.write(to: &writer)
                return true
            }
        }
        var fill: Field.Fill?
        if let fallback {
            unsafe fill = { unsafe $0.initializeMemory(as: V.self, to: fallback) }
        }
        field = unsafe Field(
            name: name,
            earlierNames: earlierNames,
            type: V.valueType,
            isOptional: V.isOptional,
            role: role,
            keyPath: keyPath,
            offset: offset,
            write: write,
            fill: fill,
            defaultValue: fallback.map { Value($0) },
            unknown: unknown,
            codable: CodableTraits.of(V.self)
        )
    }

    /// A stored property.
    ///
    /// - Parameters:
    ///   - name: the name in the log and on disk, which lives forever: `[A-Za-z_][A-Za-z0-9_]*`,
    ///     at most 64 bytes.
    ///   - keyPath: the property.
    ///   - indexed: keep an index, for filters, ranges and sorting.
    ///   - unique: keep an index in which a value other than nil may occur once.
    ///   - earlierNames: the stored names that the attribute had before, the latest first (STO-89).
    ///   - fallback: the value of rows that are older than the attribute, or than its being required (STO-88). Only a
    ///     required attribute of a model can have one. The store keeps the one that it was given first.
    @inlinable
    public static func attribute(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable,
        indexed: Bool = false,
        unique: Bool = false,
        renamedFrom earlierNames: String...,
        default fallback: V? = nil
    ) -> Attribute {
        Attribute(
            name,
            keyPath,
            role: .value(indexed: indexed, unique: unique),
            earlierNames: earlierNames,
            fallback: fallback
        )
    }
}

extension Attribute {
    /// A stored property of an enum, with the case that stands for raw values that the enum does not have.
    ///
    /// ```swift
    /// enum Kind: String, StoredValue { case task, event, other }
    /// // .attribute("kind", \.kind, unknown: .other)
    /// ```
    ///
    /// Such values come from a newer version of the app. Without `unknown`, lists leave their rows out (VAL-30). With
    /// it the rows are read, and an update that leaves the property as it was read leaves the stored value as it is.
    /// Queries compare what is stored: `$0.kind == .other` does not find these rows.
    ///
    /// - Parameters:
    ///   - name: the stored name, as in the form without `unknown`.
    ///   - keyPath: the property.
    ///   - indexed: keep an index.
    ///   - unique: keep an index in which a value other than nil may occur once.
    ///   - earlierNames: the stored names that the attribute had before, the latest first (STO-89).
    ///   - fallback: the value of rows that are older than the attribute (STO-88).
    ///   - unknown: what the property is where the stored raw value is not known. Not for embedded structs, nor for
    ///     lists, sets and maps of enums.
    @inlinable
    public static func attribute(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable,
        indexed: Bool = false,
        unique: Bool = false,
        renamedFrom earlierNames: String...,
        default fallback: V? = nil,
        unknown: V
    ) -> Attribute {
        Attribute(
            name,
            keyPath,
            role: .value(indexed: indexed, unique: unique),
            earlierNames: earlierNames,
            fallback: fallback,
            unknown: UnknownRawValue(unknown)
        )
    }
}

extension Attribute where V == Identifier<M> {
    /// The model's identifier: the key of its row, stored nowhere else.
    @inlinable
    public static func id(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable
    ) -> Attribute {
        Attribute(name, keyPath, role: .identifier)
    }
}

extension Attribute {
    /// A reference to at most one entity of another model.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - keyPath: the property.
    ///   - inverse: the relationship on the target's side, where that does not name this one.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to the target when this entity is deleted.
    @inlinable
    public static func toOne<T: Model>(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable,
        inverse: String? = nil,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) -> Attribute where V == Identifier<T>? {
        Attribute(
            name,
            keyPath,
            role: .toOne(ModelReference(T.self), inverse: inverse, onDelete: onDelete),
            earlierNames: earlierNames
        )
    }

    /// A reference to exactly one entity of another model.
    @inlinable
    public static func toOne<T: Model>(
        _ name: String,
        _ keyPath: any KeyPath<M, V> & Sendable,
        inverse: String? = nil,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) -> Attribute where V == Identifier<T> {
        Attribute(
            name,
            keyPath,
            role: .toOne(ModelReference(T.self), inverse: inverse, onDelete: onDelete),
            earlierNames: earlierNames
        )
    }
}

/// An attribute with its types erased: what the engine keeps of it.
@safe
@usableFromInline
final class Field: Sendable {
    /// Appends the property of the instance at the pointer; false when it is nil.
    @usableFromInline
    typealias Write = @Sendable (UnsafeRawPointer, inout RowPayloadWriter) -> Bool
    /// Puts the attribute's default value into uninitialised memory.
    @usableFromInline
    typealias Fill = @Sendable (UnsafeMutableRawPointer) -> Void

    @usableFromInline
    enum Role: Sendable {
        case identifier
        case value(indexed: Bool, unique: Bool)
        case toOne(ModelReference, inverse: String?, onDelete: DeleteRule)
    }

    @usableFromInline let name: String
    let earlierNames: [String]
    let type: ValueType
    let isOptional: Bool
    let role: Role
    let keyPath: any AnyKeyPath & Sendable
    /// Where the property lies in an instance; nil for a computed one.
    let offset: Int?
    let write: Write
    /// The value for rows written before the attribute was declared, if there is one.
    let fill: Fill?
    /// The same for the stored schema.
    let defaultValue: Value?
    /// What stands for raw values that an enum does not have, if there is something.
    let unknown: UnknownRawValue?
    /// What has to be known of a ``CodableValue``; nil of other types.
    let codable: CodableTraits?

    @usableFromInline
    init(
        name: String,
        earlierNames: [String],
        type: ValueType,
        isOptional: Bool,
        role: Role,
        keyPath: any AnyKeyPath & Sendable,
        offset: Int?,
        write: @escaping Write,
        fill: Fill?,
        defaultValue: Value?,
        unknown: UnknownRawValue?,
        codable: CodableTraits?
    ) {
        self.name = name
        self.earlierNames = earlierNames
        self.type = type
        self.isOptional = isOptional
        self.role = role
        self.keyPath = keyPath
        self.offset = offset
        unsafe self.write = write
        unsafe self.fill = fill
        self.defaultValue = defaultValue
        self.unknown = unknown
        self.codable = codable
    }

    /// Appends the property of the instance; false when it is nil.
    @inline(__always)
    func appendProperty(of instance: UnsafeRawPointer, to writer: inout RowPayloadWriter) -> Bool {
        unsafe write(instance, &writer)
    }

    var isCodable: Bool { codable != nil }

    /// The default, where there is one.
    func fallback<V: StoredValue>(as type: V.Type) -> V? {
        guard let fill = unsafe fill else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: V.self, capacity: 1) { place in
            let start = unsafe place.baseAddress.unsafelyUnwrapped
            unsafe fill(UnsafeMutableRawPointer(start))
            return unsafe start.move()
        }
    }

    var isIdentifier: Bool {
        if case .identifier = role { true } else { false }
    }
}

/// Names a model's Swift type without reading its schema: schemas of models that refer to each
/// other would otherwise wait for each other's initialisation.
@usableFromInline
struct ModelReference: Sendable, Hashable {
    let type: ObjectIdentifier
    private let swiftType: any Any.Type

    @usableFromInline
    init<T>(_ type: T.Type) {
        self.type = ObjectIdentifier(type)
        swiftType = type
    }

    /// For messages. Only they ask for the name: asking took a sixth of the time in which a process opens a store.
    var typeName: String { String(describing: swiftType) }

    @usableFromInline
    static func == (left: ModelReference, right: ModelReference) -> Bool { left.type == right.type }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(type) }
}
