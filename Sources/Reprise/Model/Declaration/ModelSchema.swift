/// What is stored of a model: written once, it serves as schema, encoder and decoder.
///
/// A parameter pack over the attributes meets the memberwise initialiser, so the compiler checks that the types agree.
/// That attributes of one type stand in the order of the parameters is tried out when a ``Schema`` is made: the
/// initialiser is called with made-up values then. The code specialises in the module that declares the model.
public struct ModelSchema<M: Model>: Sendable {
    @usableFromInline
    typealias Decode =
        @Sendable (Identifier<M>, borrowing RowPayload, borrowing SlotMap) throws(ValueError) -> M

    @usableFromInline var declaration: ModelDeclaration
    @usableFromInline let decodeRow: Decode

    /// Declares a model.
    ///
    /// - Parameters:
    ///   - name: the model's name in the log and on disk, which lives forever.
    ///   - version: raise it when the meaning of the attributes changes.
    ///   - make: the memberwise initialiser, `Self.init`. Where the struct has several initialisers that take these
    ///     types, name the one, `Self.init(id:title:)`, or write a closure, `{ Note(id: $0, title: $1) }`. It is also
    ///     called with made-up values (ascending numbers from 1, fractions up to 1, short texts, early dates), so it
    ///     must not stop the program because of them.
    ///   - attributes: one line for each parameter of `make`, in its order; exactly one is `.id`.
    @inlinable
    @inline(__always)
    public init<each V: StoredValue>(
        _ name: String,
        version: Int = 1,
        _ make: @escaping @Sendable (repeat each V) -> M,
        _ attributes: repeat Attribute<M, each V>
    ) {
        var fields: [Field] = []
        repeat fields.append((each attributes).field)
        let layout = FieldLayout(fields)
        declaration = ModelDeclaration(
            reference: ModelReference(M.self),
            name: name,
            version: version,
            fields: fields,
            orderMistake: { [fields] in
                var trial = ParameterTrial(fields)
                repeat trial.add((each V).self)
                while trial.beginRound() {
                    let instance = make(repeat trial.value((each V).self))
                    unsafe withUnsafePointer(to: instance) { unsafe trial.observe($0) }
                }
                return trial.mistake(in: name)
            }
        )
        decodeRow = { (id, payload, slots) throws(ValueError) -> M in
            var reader = FieldReader()
            do throws(ValueError) {
                return make(repeat try reader.next((each V).self, payload, slots, layout, id: id))
            } catch {
                throw layout.naming(error, reader.storedIndex)
            }
        }
    }

    /// The stored name of the model.
    public var name: String { declaration.name }
    /// The declared version.
    public var version: Int { declaration.version }
}

/// Relationships and indexes.
extension ModelSchema {
    /// An ordered list of entities of another model.
    ///
    /// - Parameters:
    ///   - name: the stored name, which lives forever.
    ///   - target: the model of the entities.
    ///   - inverse: the to-one of `target` that is the other side. Without it the list is
    ///     many-to-many: it may hold the same entity several times.
    ///   - earlierNames: the stored names that it had before, the latest first (STO-89).
    ///   - onDelete: what happens to the listed entities when this one is deleted.
    public func toMany<T: Model>(
        _ name: String,
        of target: T.Type,
        inverse: String? = nil,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) -> Self {
        adding {
            $0.lists.append(
                ListDeclaration(
                    name: name,
                    earlierNames: earlierNames,
                    target: ModelReference(target),
                    inverse: inverse,
                    isDerived: false,
                    onDelete: onDelete
                )
            )
        }
    }

    /// A to-many relationship whose constant says what it is; see ``Relationship``.
    public func toMany<T: Model>(_ relationship: Relationship<M, T>) -> Self {
        adding { $0.lists.append(relationship.declaration) }
    }

    /// The derived other side of a many-to-many list that another model declares with `toMany`.
    ///
    /// - Parameters:
    ///   - name: what this side is called.
    ///   - source: the model that owns the list.
    ///   - list: the name of its `toMany`.
    ///   - earlierNames: the stored names that this side had before, the latest first (STO-89).
    ///   - onDelete: what happens to the owners when this entity is deleted.
    public func inverse<T: Model>(
        _ name: String,
        of source: T.Type,
        _ list: String,
        renamedFrom earlierNames: String...,
        onDelete: DeleteRule = .nullify
    ) -> Self {
        adding {
            $0.lists.append(
                ListDeclaration(
                    name: name,
                    earlierNames: earlierNames,
                    target: ModelReference(source),
                    inverse: list,
                    isDerived: true,
                    onDelete: onDelete
                )
            )
        }
    }

    /// An index over two to four attributes, in this order of significance.
    public func index(_ attributes: String...) -> Self {
        adding { $0.indexes.append(IndexDeclaration(names: attributes, isUnique: false)) }
    }

    /// An index over two to four attributes whose values may occur together once; a row in which
    /// one of them is nil is exempt.
    public func unique(_ attributes: String...) -> Self {
        adding { $0.indexes.append(IndexDeclaration(names: attributes, isUnique: true)) }
    }

    /// Keeps an index of the words of these attributes, which hold text, for full-text search. Several calls add to one
    /// index.
    ///
    /// - Parameters:
    ///   - attributes: the stored names; at most 16 in all.
    ///   - weight: how much a word in them counts when results are ranked, from 1 to 255.
    public func searchable(_ attributes: String..., weight: Int = 1) -> Self {
        adding { declaration in
            declaration.searchable += attributes.map { (name: $0, weight: weight) }
        }
    }

    /// Says which stored names the model had in earlier versions of the app, the latest first (STO-89). Keep the line
    /// for as long as stores of those versions are about.
    ///
    /// - Parameter names: the stored names.
    public func renamedFrom(_ names: String...) -> Self {
        adding { $0.earlierNames += names }
    }

    /// Says that earlier versions of the app had these attributes or relationships, and that they go (STO-90). Their
    /// values stay in the history. Keep the line for as long as stores of those versions are about, and give new things
    /// new names: a store that skipped the versions in between still has the old attribute under its name.
    ///
    /// - Parameter names: the stored names.
    public func removed(_ names: String...) -> Self {
        adding { $0.removed += names }
    }

    func adding(_ change: (inout ModelDeclaration) -> Void) -> Self {
        var copy = self
        change(&copy.declaration)
        return copy
    }
}

/// A declaration with its model's type erased.
@usableFromInline
struct ModelDeclaration: Sendable {
    let reference: ModelReference
    let name: String
    let version: Int
    /// Every attribute with the identifier, in the order of the memberwise initialiser.
    let fields: [Field]
    /// The attributes that have a slot.
    let stored: [Field]
    /// Tries out whether the attributes stand in the order of the initialiser's parameters (STO-80).
    let orderMistake: @Sendable () -> SchemaError?
    var lists: [ListDeclaration] = []
    var indexes: [IndexDeclaration] = []
    /// The attributes of the search index.
    var searchable: [(name: String, weight: Int)] = []
    /// The names that the model had before, the latest first.
    var earlierNames: [String] = []
    /// The attributes and relationships that earlier versions had.
    var removed: [String] = []
    /// How older rows get values.
    var conversions: [Conversion] = []

    @usableFromInline
    init(
        reference: ModelReference,
        name: String,
        version: Int,
        fields: [Field],
        orderMistake: @escaping @Sendable () -> SchemaError?
    ) {
        self.reference = reference
        self.name = name
        self.version = version
        self.fields = fields
        self.orderMistake = orderMistake
        stored = fields.filter { !$0.isIdentifier }
    }
}

struct ListDeclaration: Sendable {
    let name: String
    let earlierNames: [String]
    let target: ModelReference
    var inverse: String?
    /// The inverse by its property, whose name is looked up when a schema is made: otherwise the declarations of two
    /// models would wait for each other.
    var inverseProperty: (any AnyKeyPath & Sendable)?
    let isDerived: Bool
    let onDelete: DeleteRule
}

struct IndexDeclaration: Sendable {
    let names: [String]
    let isUnique: Bool
}
