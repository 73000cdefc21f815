package import ExportFormats
package import Reprise

/// Makes the schema of a store from what a source says of its own: classes become models, properties attributes,
/// links relationships.
///
/// Stored names are made of the source's (see ``StoredName``), unique within their model whatever the source calls
/// things; ask the builder what a name has become. Say the names of classes and properties beforehand: then what they
/// become does not depend on their order. Models, attributes and relationships have to be added in an order that the
/// source's own schema gives, so that the same schema gives the same description.
package struct LegacySchemaBuilder {
    /// A model that was added.
    package struct ModelID: Hashable, Sendable {
        fileprivate let index: Int
    }

    /// What may be said of an end of a relationship.
    package struct Inverse: Sendable {
        /// What the other side is to be called; nil where it has no name.
        package var name: String?
        /// What happens to the owners when a member is deleted.
        package var onDelete: DeleteRule = .nullify

        package init(name: String? = nil, onDelete: DeleteRule = .nullify) {
            self.name = name
            self.onDelete = onDelete
        }
    }

    private struct Draft {
        let name: String
        let earlierNames: [String]
        var attributes: [AttributeDescription] = []
        var indexes: [IndexDescription] = []
        var names: StoredName.Registry
    }

    private var drafts: [Draft] = []
    private var relations: [RelationDescription] = []
    private var modelNames: StoredName.Registry
    private var indexCount: UInt16 = 0
    /// A note on each name in letters that cannot be typed everywhere.
    package private(set) var notes: [LegacyWarning] = []

    /// - Parameter classes: the names of the classes that will be added.
    package init(classes: [String] = []) {
        modelNames = StoredName.Registry(.model, names: classes)
    }

    /// The stored name of a model.
    package func name(of model: ModelID) -> String { drafts[model.index].name }

    /// Adds a model for a class.
    ///
    /// - Parameters:
    ///   - className: the name of the class.
    ///   - properties: the names of the attributes and relationships that will be added to it.
    package mutating func addModel(_ className: String, properties: [String] = []) -> ModelID {
        let (name, earlier) = modelNames.claim(className)
        if earlier != nil { note("The class", className, name, of: name) }
        // A record always has an identifier; an attribute cannot have its name.
        let names = StoredName.Registry(.property, reserved: ["id"], names: properties)
        drafts.append(Draft(name: name, earlierNames: earlier.map { [$0] } ?? [], names: names))
        return ModelID(index: drafts.count - 1)
    }

    /// Keeps the name of a class that gets no model, so that all others are called as they are with it. Returns the
    /// stored name that it would have.
    package mutating func reserveModel(_ className: String) -> String { modelNames.claim(className).name }

    /// The same for a property.
    package mutating func reserve(_ property: String, of model: ModelID) -> String {
        drafts[model.index].names.claim(property).name
    }

    /// Claims a name for a property, with those that builds before had for it.
    private mutating func claim(_ property: String, of model: ModelID) -> (name: String, earlierNames: [String]) {
        let (name, earlier) = drafts[model.index].names.claim(property)
        let model = drafts[model.index].name
        if earlier != nil { note("\(model):", property, name, of: model) }
        return (name, earlier.map { [$0] } ?? [])
    }

    private mutating func note(_ place: String, _ name: String, _ stored: String, of model: String) {
        let message = "\(place) \(LibraryReport.quoted(name)) is called \(stored) here."
        notes.append(LegacyWarning(kind: .respelledName, message: message, of: model))
    }

    /// Adds an attribute. Returns its stored name.
    package mutating func addAttribute(
        _ property: String,
        _ type: ValueType,
        isOptional: Bool,
        isIndexed: Bool = false,
        isUnique: Bool = false,
        to model: ModelID
    ) -> String {
        let (name, earlierNames) = claim(property, of: model)
        let slot = addSlot(name, earlierNames, type, isOptional: isOptional, to: model)
        if isIndexed || isUnique, type.isIndexable, indexCount < .max {
            indexCount += 1
            drafts[model.index].indexes
                .append(IndexDescription(number: indexCount, slots: [slot], isUnique: isUnique))
        }
        return name
    }

    /// Adds an index over several attributes, which have been added before.
    package mutating func addIndex(over names: [String], isUnique: Bool, to model: ModelID) {
        let draft = drafts[model.index]
        // SQLite takes an index that has a column twice.
        var names = names
        for name in names where names.count(where: { $0 == name }) > 1 {
            names.remove(at: names.lastIndex(of: name) ?? 0)
        }
        let slots = names.compactMap { name in draft.attributes.first { $0.name == name } }
        guard slots.count == names.count, (1...4).contains(slots.count),
            slots.allSatisfy({ $0.type.isIndexable }),
            !draft.indexes.contains(where: { $0.slots == slots.map(\.slot) }), indexCount < .max
        else { return }
        indexCount += 1
        drafts[model.index].indexes
            .append(
                IndexDescription(number: indexCount, slots: slots.map(\.slot), isUnique: isUnique)
            )
    }

    /// Adds a to-one relationship, which may be empty: what it names may be missing in the export, or come later. Its
    /// other side is an ordered list of those that point to it.
    ///
    /// - Parameters:
    ///   - onDelete: what happens to the target when `model`'s entity is deleted: `cascade` where the owner holds it.
    ///   - inverse: the other side, and what happens to those that point to an entity that is deleted.
    /// - Returns: the stored names of both sides.
    @discardableResult
    package mutating func addReference(
        _ property: String,
        from model: ModelID,
        to target: ModelID,
        onDelete: DeleteRule = .nullify,
        inverse: Inverse = Inverse()
    ) -> (name: String, inverse: String?) {
        let (name, earlierNames) = claim(property, of: model)
        let slot = addSlot(name, earlierNames, .reference, isOptional: true, to: model)
        let other = claimInverse(inverse, of: property, in: target)
        addRelation(
            .reference(slot: slot),
            (model, name, [], onDelete),
            (target, other?.name, other?.earlierNames ?? [], inverse.onDelete)
        )
        return (name, other?.name)
    }

    /// Adds an ordered list in which a member may occur repeatedly and which may share its members with others.
    ///
    /// - Parameters:
    ///   - onDelete: what happens to the members when the owner is deleted: `cascade` where it holds them.
    ///   - inverse: the other side.
    /// - Returns: the stored names of both sides.
    @discardableResult
    package mutating func addList(
        _ property: String,
        of model: ModelID,
        to target: ModelID,
        onDelete: DeleteRule = .nullify,
        inverse: Inverse = Inverse()
    ) -> (name: String, inverse: String?) {
        let (name, earlierNames) = claim(property, of: model)
        let other = claimInverse(inverse, of: property, in: target)
        addRelation(
            .list,
            (model, name, earlierNames, onDelete),
            (target, other?.name, other?.earlierNames ?? [], inverse.onDelete)
        )
        return (name, other?.name)
    }

    /// The name of the other side of a relationship; where it is taken, with the property's after it.
    private mutating func claimInverse(
        _ inverse: Inverse,
        of property: String,
        in target: ModelID
    ) -> (name: String, earlierNames: [String])? {
        guard let name = inverse.name else { return nil }
        let isFree = drafts[target.index].names.isFree(name)
        let (stored, earlier) = drafts[target.index].names.claim(isFree ? name : "\(name)_\(property)")
        return (stored, earlier.map { [$0] } ?? [])
    }

    /// The schema.
    ///
    /// - Throws: ``LegacyError`` with the code `limitExceeded` where the source has more than a store can.
    package func build() throws(LegacyError) -> SchemaDescription {
        guard drafts.count <= Int(UInt16.max), relations.count <= Int(UInt16.max) else {
            throw Self.tooLarge("\(drafts.count) classes and \(relations.count) relationships")
        }
        let models = drafts.enumerated().map { index, draft in
            ModelDescription(
                number: UInt16(index + 1),
                name: draft.name,
                earlierNames: draft.earlierNames,
                version: 1,
                slotCount: draft.attributes.count,
                attributes: draft.attributes,
                indexes: draft.indexes
            )
        }
        let schema = SchemaDescription(models: models, relations: relations)
        do {
            try schema.validate()
        } catch {
            throw LegacyError(
                .unsupportedVersion,
                "The schema of the source does not fit a store: \(error)",
                advice: "Take over only some of it, by a mapping."
            )
        }
        return schema
    }

    private mutating func addSlot(
        _ name: String,
        _ earlierNames: [String],
        _ type: ValueType,
        isOptional: Bool,
        to model: ModelID
    ) -> Int {
        let slot = drafts[model.index].attributes.count
        drafts[model.index].attributes
            .append(
                AttributeDescription(
                    slot: slot,
                    name: name,
                    earlierNames: earlierNames,
                    type: type,
                    isOptional: isOptional
                )
            )
        return slot
    }

    private mutating func addRelation(
        _ kind: RelationDescription.Kind,
        _ source: (model: ModelID, name: String?, earlierNames: [String], onDelete: DeleteRule),
        _ target: (model: ModelID, name: String?, earlierNames: [String], onDelete: DeleteRule)
    ) {
        func end(
            _ end: (model: ModelID, name: String?, earlierNames: [String], onDelete: DeleteRule)
        ) -> RelationDescription.End {
            RelationDescription.End(
                model: UInt16(truncatingIfNeeded: end.model.index + 1),
                name: end.name,
                earlierNames: end.earlierNames,
                onDelete: end.onDelete
            )
        }
        relations.append(
            RelationDescription(
                number: UInt16(truncatingIfNeeded: relations.count + 1),
                kind: kind,
                source: end(source),
                target: end(target)
            )
        )
    }

    private static func tooLarge(_ what: String) -> LegacyError {
        LegacyError(
            .limitExceeded,
            "The source has \(what).",
            advice: "A store has at most 65535 of each; take over only some of them, by a mapping."
        )
    }
}
