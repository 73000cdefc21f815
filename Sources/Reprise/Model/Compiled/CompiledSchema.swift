/// The schema in force, arranged for the engine: everything is found by number in O(1).
final class CompiledSchema: Sendable {
    let description: SchemaDescription
    /// The position of the event that declared it, and its number in the order of declarations.
    let position: UInt64
    let number: UInt32
    /// By number - 1, those that were removed too: events of theirs are folded as before (STO-92).
    private let models: [CompiledModel?]
    /// Those that are declared.
    let allModels: [CompiledModel]
    private let numbersByName: [String: UInt16]

    init(_ description: SchemaDescription, position: UInt64, number: UInt32) {
        self.description = description
        self.position = position
        self.number = number
        var byNumber: [CompiledModel?] = []
        for model in description.models + description.retiredModels {
            while byNumber.count < Int(model.number) { byNumber.append(nil) }
            byNumber[Int(model.number) - 1] = CompiledModel(model, in: description)
        }
        models = byNumber
        allModels = description.models.compactMap { byNumber[Int($0.number) - 1] }
        numbersByName = Dictionary(
            uniqueKeysWithValues: description.models.map { ($0.name, $0.number) }
        )
    }

    var modelCount: Int { models.count }

    /// The model with a number that came from this schema or, checked, from the log.
    func model(_ number: UInt16) throws(StoreError) -> CompiledModel {
        let index = Int(number) - 1
        guard models.indices.contains(index), let model = models[index] else {
            throw .damage("The log names model \(number), which the schema does not have.")
        }
        return model
    }

    func model(named name: String) throws(StoreError) -> CompiledModel {
        guard let number = numbersByName[name] else {
            throw StoreError(
                .unknownModel,
                "There is no model named \"\(name)\" in this store.",
                advice: "Its models are \(description.models.map(\.name).joined(separator: ", "))."
            )
        }
        return try model(number)
    }

    func relation(_ number: UInt16) throws(StoreError) -> RelationDescription {
        let relations = [description.relations, description.retiredRelations].joined()
        guard let relation = relations.first(where: { $0.number == number }) else {
            throw .damage("The log names relation \(number), which the schema does not have.")
        }
        return relation
    }
}

/// One model with what the engine asks of it.
final class CompiledModel: Sendable {
    let description: ModelDescription
    /// The relations in which this model stands at an end; one that leads to itself is here twice.
    let ends: [RelationEnd]
    /// The ends that own the entries of a list, those of removed relations too: the entries go with their owner.
    let ownedLists: [RelationEnd]
    /// The to-one slots whose other side is an ordered list, those of removed relations too.
    let references: [ReferenceSlot]
    /// The to-one slots whose other side is one, too, those of removed relations too.
    let pairSlots: [ReferenceSlot]
    /// Every slot that holds a to-one reference.
    let referenceSlots: [ReferenceSlot]
    let indexes: [CompiledIndex]
    let uniqueIndexes: [CompiledIndex]
    /// The index of words, if there is one.
    let search: SearchDescription?
    /// What rows that are older than an attribute are read with; nil where no attribute has a default.
    let defaults: RowDefaults?
    /// What stands in each slot; nil where no attribute has it any more.
    let slots: [CompiledSlot?]
    /// The attributes in the order of the description.
    let attributesInOrder: [CompiledAttribute]

    var number: UInt16 { description.number }
    var name: String { description.name }

    init(_ description: ModelDescription, in schema: SchemaDescription) {
        self.description = description
        var ends: [RelationEnd] = []
        var retiredEnds: [RelationEnd] = []
        var references: [ReferenceSlot] = []
        var pairs: [ReferenceSlot] = []
        func add(_ end: RelationEnd, isRetired: Bool) {
            if isRetired { retiredEnds.append(end) } else { ends.append(end) }
        }
        for (place, relation) in (schema.relations + schema.retiredRelations).enumerated() {
            let isRetired = place >= schema.relations.count
            if relation.source.model == description.number {
                add(RelationEnd(relation: relation, side: .source), isRetired: isRetired)
                switch relation.kind {
                case .reference(let slot):
                    references.append(ReferenceSlot(slot: slot, relation: relation, side: .source))
                case .pair(let slot, _):
                    pairs.append(ReferenceSlot(slot: slot, relation: relation, side: .source))
                case .list: break
                }
            }
            if relation.target.model == description.number {
                add(RelationEnd(relation: relation, side: .target), isRetired: isRetired)
                if case .pair(_, let slot) = relation.kind {
                    pairs.append(ReferenceSlot(slot: slot, relation: relation, side: .target))
                }
            }
        }
        self.ends = ends
        ownedLists = (ends + retiredEnds).filter { $0.side == .source && $0.relation.kind == .list }
        defaults = RowDefaults(description.attributes)
        self.references = references
        pairSlots = pairs
        referenceSlots = references + pairs
        indexes = description.indexes.map { index in
            CompiledIndex(
                description: index,
                types: index.slots.map { description.attribute(slot: $0)?.type ?? .bool }
            )
        }
        uniqueIndexes = indexes.filter(\.description.isUnique)
        search = description.search
        var slots = [CompiledSlot?](repeating: nil, count: description.slotCount)
        for (place, attribute) in description.attributes.enumerated() {
            slots[attribute.slot] = CompiledSlot(attribute, place: place)
        }
        self.slots = slots
        attributesInOrder = description.attributes.map(CompiledAttribute.init)
    }

    func attribute(named name: String) -> AttributeDescription? {
        description.attribute(named: name)
    }

    /// What is thrown where a name is asked for that no attribute has.
    func unknownAttribute(_ name: String) -> StoreError {
        StoreError(
            .unknownAttribute,
            "\(self.name) has no attribute \"\(name)\".",
            advice: "It has " + description.attributes.map(\.name).joined(separator: ", ") + "."
        )
    }

    func attribute(slot: Int) -> AttributeDescription? {
        description.attribute(slot: slot)
    }
}

/// An attribute that hot loops pass on.
final class CompiledAttribute: Sendable {
    let slot: Int
    let name: String
    let type: ValueType
    let isOptional: Bool

    init(_ description: AttributeDescription) {
        slot = description.slot
        name = description.name
        type = description.type
        isOptional = description.isOptional
    }
}

/// What is to be known of an attribute for each value that is written: nothing here is counted.
struct CompiledSlot: Sendable {
    /// The types that most attributes have.
    enum CommonType: Sendable {
        case bool, int, double, string, date
    }

    /// The place of the attribute in the description.
    let place: Int
    /// Its type, where it is one of those.
    let scalar: CommonType?
    let isOptional: Bool

    init(_ attribute: AttributeDescription, place: Int) {
        self.place = place
        scalar =
            switch attribute.type {
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .string: .string
            case .date: .date
            default: nil
            }
        isOptional = attribute.isOptional
    }
}

/// An index with the types of its slots. An object, as are the two below: hot loops pass them on, which copies of their
/// many parts would slow down.
final class CompiledIndex: Sendable {
    let description: IndexDescription
    let types: [ValueType]

    init(description: IndexDescription, types: [ValueType]) {
        self.description = description
        self.types = types
    }

    var slots: [Int] { description.slots }
    var number: UInt16 { description.number }
}

/// One side of a relation, seen from the model that stands there.
final class RelationEnd: Sendable {
    enum Side: Sendable {
        case source, target

        var other: Side { self == .source ? .target : .source }
    }

    let relation: RelationDescription
    let side: Side

    init(relation: RelationDescription, side: Side) {
        self.relation = relation
        self.side = side
    }

    var own: RelationDescription.End { side == .source ? relation.source : relation.target }
    var other: RelationDescription.End { side == .source ? relation.target : relation.source }

    /// The relationship's name as seen from here, or from the other side when it has none here.
    func displayName(in schema: SchemaDescription) -> String {
        if let name = own.name { return name }
        let model = schema.models.first { $0.number == other.model }?.name ?? ""
        return "\(model).\(other.name ?? "")"
    }
}

/// A to-one attribute.
final class ReferenceSlot: Sendable {
    let slot: Int
    let relation: RelationDescription
    /// The side of the relation on which the slot stands.
    let side: RelationEnd.Side

    init(slot: Int, relation: RelationDescription, side: RelationEnd.Side) {
        self.slot = slot
        self.relation = relation
        self.side = side
    }

    /// The number of the model that it points to.
    var targetModel: UInt16 { side == .source ? relation.target.model : relation.source.model }
    /// The slot on the other side of a one-to-one relation.
    var partnerSlot: Int? {
        guard case .pair(sourceSlot: let source, targetSlot: let target) = relation.kind else {
            return nil
        }
        return side == .source ? target : source
    }
}
