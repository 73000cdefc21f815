/// What code that was made for an earlier schema of a store meets in the present one (STO-84, STO-85).
struct OlderCode {
    /// Why it cannot work: what it knows must still be there, as it was; what it does not know must not be required.
    private(set) var obstacles: [String] = []
    /// The same, of names alone.
    private(set) var renamed: [String] = []
    /// Which indexes and rules that it relies on are not in force. An index that only makes queries faster is none.
    private(set) var lacking: [String] = []

    /// - Parameters:
    ///   - then: the schema that the code was made for, with the numbers of the store.
    ///   - present: the schema in force.
    init(_ then: SchemaDescription, in present: SchemaDescription) {
        for model in then.models {
            guard let now = present.model(model.number) else {
                obstacles.append("\(model.name) is removed")
                continue
            }
            rename(model.name, now.name)
            compareAttributes(model, now)
            compareIndexes(model, now)
        }
        for relation in then.relations { compare(relation, then, present) }
        if then.version < present.floor { obstacles.append(Self.tooLow(present)) }
    }

    /// What code is told that a change by code has left behind.
    static func tooLow(_ present: SchemaDescription) -> String {
        "version \(present.floor) of the schema is needed"
    }

    private mutating func rename(_ old: String, _ new: String, of model: String = "") {
        if old == new { return }
        renamed.append("\(model)\(old) is called \(new) now")
        obstacles.append("\(model)\(old) is called \(new) now")
    }

    private mutating func compareAttributes(_ then: ModelDescription, _ now: ModelDescription) {
        let there = Dictionary(now.attributes.map { ($0.slot, $0) }, uniquingKeysWith: { first, _ in first })
        for attribute in then.attributes {
            let name = "\(then.name).\(attribute.name)"
            guard let found = there[attribute.slot] else {
                obstacles.append("\(name) is removed")
                continue
            }
            rename(attribute.name, found.name, of: "\(then.name).")
            if found.type != attribute.type {
                obstacles.append("\(name) was \(attribute.type.detail) and is \(found.type.detail) now")
            }
            if found.isOptional != attribute.isOptional {
                obstacles.append("\(name) is \(found.isOptional ? "optional" : "required") now")
            }
        }
        let known = Set(then.attributes.map(\.slot))
        for attribute in now.attributes
        where !attribute.isOptional && attribute.defaultValue == nil && !known.contains(attribute.slot) {
            obstacles.append("\(then.name).\(attribute.name) is new and required")
        }
    }

    private mutating func compareIndexes(_ then: ModelDescription, _ now: ModelDescription) {
        for index in then.indexes where index.isUnique {
            if now.indexes.contains(where: { $0.isUnique && $0.slots == index.slots }) { continue }
            let names = index.slots.compactMap { then.attribute(slot: $0)?.name }
            lacking.append("\(then.name).\(names.joined(separator: ", ")) is not unique any more")
        }
        let searched = Set(now.search?.fields.map(\.slot) ?? [])
        let lost = (then.search?.fields ?? []).filter { !searched.contains($0.slot) }
            .compactMap { then.attribute(slot: $0.slot)?.name }
        if !lost.isEmpty {
            lacking.append("the search index of \(then.name) has no \(lost.joined(separator: ", ")) any more")
        }
    }

    private mutating func compare(
        _ relation: RelationDescription,
        _ then: SchemaDescription,
        _ present: SchemaDescription
    ) {
        let now = present.relations.first { $0.number == relation.number }
        for (old, new) in [(relation.source, now?.source), (relation.target, now?.target)] {
            // A side without a name is called by the other one.
            let end = old.name == nil ? relation.source : old
            let place = "\(then.model(end.model)?.name ?? "").\(end.name ?? "")"
            guard let new, old.name == nil || new.name != nil else {
                lacking.append("\(place) is removed")
                continue
            }
            if let name = old.name, let other = new.name {
                rename(name, other, of: "\(then.model(end.model)?.name ?? "").")
            }
            if old.onDelete != new.onDelete {
                lacking.append("the delete rule of \(place) was \(old.onDelete) and is \(new.onDelete) now")
            }
        }
    }
}
