/// A schema as data: what the log records, so that any tool reads any store without Swift types.
public struct SchemaDescription: Sendable, Hashable {
    /// Every model, by ascending number.
    public var models: [ModelDescription]
    /// Every relationship once, with both its ends, by ascending number.
    public var relations: [RelationDescription]
    /// The highest number of a change by code that the store has seen; 0 where there was none.
    public var version: UInt32
    /// The lowest ``version`` of a program that can still work with the store.
    public var floor: UInt32
    /// The models that were removed, by ascending number: the log and the past still have their rows.
    public var retiredModels: [ModelDescription]
    /// The relationships that were removed, by ascending number.
    public var retiredRelations: [RelationDescription]

    /// Creates a description; ``Schema/init(_:)`` says whether it holds together.
    public init(
        models: [ModelDescription],
        relations: [RelationDescription],
        version: UInt32 = 0,
        floor: UInt32 = 0,
        retiredModels: [ModelDescription] = [],
        retiredRelations: [RelationDescription] = []
    ) {
        self.models = models
        self.relations = relations
        self.version = version
        self.floor = floor
        self.retiredModels = retiredModels
        self.retiredRelations = retiredRelations
    }

    /// The schema of a store that is made with it: no row is older than an attribute.
    var ofNewStore: SchemaDescription {
        var copy = self
        for place in copy.models.indices {
            for attribute in copy.models[place].attributes.indices {
                copy.models[place].attributes[attribute].defaultValue = nil
                copy.models[place].attributes[attribute].forgetWidening()
            }
        }
        return copy
    }

    /// The numbers of all indexes.
    var indexNumbers: Set<UInt16> { Set(models.flatMap(\.indexNumbers)) }

    /// The same schema with no other indexes than some.
    func keepingIndexes(_ numbers: Set<UInt16>) -> SchemaDescription {
        var copy = self
        for place in copy.models.indices {
            copy.models[place].indexes.removeAll { !numbers.contains($0.number) }
            if let search = copy.models[place].search, !numbers.contains(search.number) {
                copy.models[place].search = nil
            }
        }
        return copy
    }

    /// The model of this number. O(models).
    public func model(_ number: UInt16) -> ModelDescription? {
        models.first { $0.number == number }
    }

    /// The model of this stored name. O(models).
    public func model(named name: String) -> ModelDescription? {
        models.first { $0.name == name }
    }
}

/// One model of a schema.
public struct ModelDescription: Sendable, Hashable {
    /// The number in keys and events; from 1, never used again.
    public var number: UInt16
    /// The stored name.
    public var name: String
    /// The names that it had before.
    public var earlierNames: [String]
    /// The declared version.
    public var version: UInt32
    /// Above every slot ever used, in a branch also above those of its parent, so that a slot is never used again.
    public var slotCount: Int
    /// Every attribute but the identifier, by declaration.
    public var attributes: [AttributeDescription]
    /// The attributes that were removed: the log, the past and older rows still have their values.
    public var retiredAttributes: [AttributeDescription]
    /// Every index.
    public var indexes: [IndexDescription]
    /// The index of the words of some attributes, if there is one.
    public var search: SearchDescription?

    /// Creates the description of a model.
    public init(
        number: UInt16,
        name: String,
        earlierNames: [String] = [],
        version: UInt32,
        slotCount: Int,
        attributes: [AttributeDescription],
        retiredAttributes: [AttributeDescription] = [],
        indexes: [IndexDescription],
        search: SearchDescription? = nil
    ) {
        self.number = number
        self.name = name
        self.earlierNames = earlierNames
        self.version = version
        self.slotCount = slotCount
        self.attributes = attributes
        self.retiredAttributes = retiredAttributes
        self.indexes = indexes
        self.search = search
    }

    /// The attribute of this stored name. O(attributes).
    public func attribute(named name: String) -> AttributeDescription? {
        attributes.first { $0.name == name }
    }

    /// The attribute in this slot. O(attributes).
    public func attribute(slot: Int) -> AttributeDescription? {
        attributes.first { $0.slot == slot }
    }
}

/// One attribute of a model.
public struct AttributeDescription: Sendable, Hashable {
    /// Where the value lies in the row.
    public var slot: Int
    /// The stored name.
    public var name: String
    /// The names that it had before.
    public var earlierNames: [String]
    /// The stored type.
    public var type: ValueType
    /// Whether it may be nil.
    public var isOptional: Bool
    /// The value of rows that are older than the attribute, or than its being required. Only a required attribute has
    /// one: rows do not tell nil from "older".
    public var defaultValue: Value?
    /// The slots whose values a function of the program made this value of, when the attribute came.
    public var origins: [Int]
    /// Whether the value was made of its only origin by the rule of ``Widening``, and by no function (STO-106).
    package var isWidened = false

    /// Creates the description of an attribute.
    public init(
        slot: Int,
        name: String,
        earlierNames: [String] = [],
        type: ValueType,
        isOptional: Bool,
        defaultValue: Value? = nil,
        origins: [Int] = []
    ) {
        self.slot = slot
        self.name = name
        self.earlierNames = earlierNames
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.origins = origins
    }
}

/// One index of a model.
public struct IndexDescription: Sendable, Hashable {
    /// The number in index keys; from 1 within the whole schema.
    public var number: UInt16
    /// The attributes in order of significance: one to four.
    public var slots: [Int]
    /// Whether values other than nil may occur together only once.
    public var isUnique: Bool

    /// Creates the description of an index.
    public init(number: UInt16, slots: [Int], isUnique: Bool) {
        self.number = number
        self.slots = slots
        self.isUnique = isUnique
    }
}

/// A relationship between two models (or one model and itself), seen as a whole.
public struct RelationDescription: Sendable, Hashable {
    /// How the relationship is stored.
    public enum Kind: Sendable, Hashable {
        /// A to-one in this slot of the source; the target's side is an ordered list.
        case reference(slot: Int)
        /// One to one: a slot on either side.
        case pair(sourceSlot: Int, targetSlot: Int)
        /// Many to many: the source has an ordered list in which a target may occur repeatedly.
        case list
    }

    /// One end of a relationship.
    public struct End: Sendable, Hashable {
        /// The number of the model at this end.
        public var model: UInt16
        /// The stored name of the relationship on this model; nil where it has none.
        public var name: String?
        /// The names that a to-many had before. Those of a to-one stand with its attribute.
        public var earlierNames: [String]
        /// What happens to the partners when an entity at this end is deleted.
        public var onDelete: DeleteRule

        /// Creates an end.
        public init(
            model: UInt16,
            name: String?,
            earlierNames: [String] = [],
            onDelete: DeleteRule
        ) {
            self.model = model
            self.name = name
            self.earlierNames = earlierNames
            self.onDelete = onDelete
        }
    }

    /// The number in keys; from 1.
    public var number: UInt16
    /// How it is stored.
    public var kind: Kind
    /// The side that has the to-one or the list; always named.
    public var source: End
    /// The other side.
    public var target: End

    /// Creates the description of a relation.
    public init(number: UInt16, kind: Kind, source: End, target: End) {
        self.number = number
        self.kind = kind
        self.source = source
        self.target = target
    }
}
