import LegacyRecords
package import Reprise

/// How the records of a source become rows of a store.
struct SourceShape: Sendable {
    /// The classes that the store has a model for.
    let classes: [String: ClassShape]
    /// Their names, in the order of the source's schema.
    let models: [String]
    /// The attributes and lists that this export or an earlier one of the source has, by model.
    let fields: [String: Set<String>]
    /// Whether the schema is what this export happens to hold.
    let infersSchema: Bool
    /// What earlier exports of the source had, and this one has not.
    let vanished: VanishedParts
    /// Whether what a record does not say is no reason to take anything away.
    private let isPartial: Bool
    /// What of the source's schema the store has no place for, each with a sentence.
    let misfits: [(kind: LegacyWarning.Kind, message: String)]

    /// - Throws: ``MigrationError`` with the code `schemaMismatch` where the store has a place for no class at all.
    init(
        of source: some LegacySource,
        _ history: SourceHistory,
        in store: SchemaDescription
    ) throws(MigrationError) {
        let order = source.recordOrder
        let ranks = Dictionary(
            order.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        var found: [ClassShape.Parts] = []
        var tracked: Set<String> = []
        var misfits: [(kind: LegacyWarning.Kind, message: String)] = []
        if source.schema.models.isEmpty { misfits.append((.emptyExport, "The export has no class and no record.")) }
        for theirs in source.schema.models {
            guard let ours = store.model(named: theirs.name) else {
                misfits.append(
                    (
                        .unknownClass,
                        "The store has no model \(theirs.name); its records are left out."
                    )
                )
                continue
            }
            let parts = Self.parts(theirs, ours, source, history, in: store, ranks, &misfits)
            for toOne in parts.toOnes where toOne.mayComeLater { tracked.insert(toOne.target) }
            found.append(parts)
        }
        guard !found.isEmpty || source.schema.models.isEmpty || store.models.isEmpty else {
            throw Self.nothingFits(source.schema, store)
        }
        fields = Self.fields(of: source, history)
        infersSchema = source.infersSchema
        vanished = VanishedParts(of: source, history, in: store)
        if source.infersSchema {
            // Of what the export had once and lacks altogether all records are missing.
            for (name, fields) in fields.sorted(by: { $0.key < $1.key })
            where source.schema.model(named: name) == nil {
                guard let ours = store.model(named: name) else { continue }
                found.append(Self.emptied(ours, fields, in: store))
            }
        }
        models = found.map(\.model.name)
        classes = Dictionary(
            uniqueKeysWithValues: found.enumerated().map { ordinal, parts in
                let isTracked = tracked.contains(parts.model.name)
                return (
                    parts.model.name, ClassShape(parts, ordinal: ordinal, isTracked: isTracked)
                )
            }
        )
        isPartial = source.isPartial
        self.misfits = misfits
    }

    /// What brings one record after the other into the shape of its model.
    struct Shaper {
        fileprivate let shape: SourceShape
        /// The shape of the last one.
        private var recent: ClassShape?
        private var count = 0

        fileprivate init(_ shape: SourceShape) { self.shape = shape }

        /// A record in the shape of its model; nil where the store has none for its class.
        mutating func shaped(_ record: LegacyRecord) -> ShapedRecord? {
            if recent?.model != record.className { recent = shape.classes[record.className] }
            count += 1
            return recent.map {
                ShapedRecord(record, as: $0, number: count - 1, isPartial: shape.isPartial)
            }
        }
    }

    func shaper() -> Shaper { Shaper(self) }

    /// Whether a list is the other side of a to-one that the source gives.
    static func isMemberToOneGiven(
        of list: ClassShape.ToMany,
        _ source: some LegacySource
    ) -> Bool {
        guard let toOne = list.memberToOne, let members = source.schema.model(named: list.target)
        else { return false }
        return members.attribute(named: toOne) != nil
            && !(source.absentFields[list.target] ?? []).contains(toOne)
    }

    /// Whether a to-one is the other side of a list that the source gives.
    static func isOtherSideGiven(
        ofToOne name: String,
        of model: ModelDescription,
        _ source: some LegacySource,
        in store: SchemaDescription
    ) -> Bool {
        store.models.contains { owner in
            guard let theirs = source.schema.model(named: owner.name) else { return false }
            let lists = store.toManys(of: owner).filter {
                $0.target == model.name && $0.memberToOne == name
            }
            return lists.contains { list in
                !(source.absentFields[owner.name] ?? []).contains(list.name)
                    && source.schema.toManys(of: theirs).contains {
                        $0.name == list.name && $0.target == model.name
                            && !isMemberToOneGiven(of: $0, source)
                    }
            }
        }
    }

    private static func parts(
        _ theirs: ModelDescription,
        _ ours: ModelDescription,
        _ source: some LegacySource,
        _ history: SourceHistory,
        in store: SchemaDescription,
        _ ranks: [String: Int],
        _ misfits: inout [(kind: LegacyWarning.Kind, message: String)]
    ) -> ClassShape.Parts {
        let schema = source.schema
        var absent = source.absentFields[theirs.name] ?? []
        var leftOut: Set<String> = []
        func leaveOut(_ name: String) {
            leftOut.insert(name)
            misfits.append(
                (
                    .unmappedProperty,
                    "The store has no place for \(theirs.name).\(name) as it is; it is left out."
                )
            )
        }
        // Looked up by name: classes may have thousands of properties.
        let places = Dictionary(
            ours.attributes.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let ourToOnes = store.toOnes(of: ours)
        let targets = SchemaDescription.targets(ourToOnes)
        let theirTargets = SchemaDescription.targets(schema.toOnes(of: theirs))
        for attribute in theirs.attributes {
            guard let there = places[attribute.name],
                there.type == attribute.type
                    || attribute.type != .reference && there.type != .reference
                        && attribute.type.isIndexable && there.type.isIndexable
            else {
                leaveOut(attribute.name)
                continue
            }
            if there.isWidened, source.widenedFields[theirs.name]?.contains(attribute.name) == true,
                let origin = ours.retiredAttributes.first(where: { [$0.slot] == there.origins })
            {
                misfits.append((.widenedType, Widenings.told(there, of: ours, origin)))
            }
            if attribute.type == .reference,
                theirTargets[attribute.name] != targets[attribute.name]
            {
                leaveOut(attribute.name)
            }
        }
        // What the source's schema does not have at all it says nothing of.
        let names = Set(theirs.attributes.map(\.name))
        for attribute in ours.attributes
        where leftOut.contains(attribute.name) || !names.contains(attribute.name) {
            absent.insert(attribute.name)
        }
        // What an earlier export had, and this one lacks because nothing is in it any more, is empty.
        let emptied = source.infersSchema ? history.fields[theirs.name] ?? [] : []
        for name in emptied where !leftOut.contains(name) {
            let isToOne = places[name]?.type == .reference
            if isToOne, isOtherSideGiven(ofToOne: name, of: ours, source, in: store) { continue }
            absent.remove(name)
        }
        let rank = ranks[theirs.name] ?? .max
        let toOnes = ourToOnes.filter { !absent.contains($0.name) }
            .map { $0.shape(mayComeLater: (ranks[$0.target] ?? .max) >= rank) }
        let ourLists = store.toManys(of: ours)
        let listsByName = Dictionary(
            ourLists.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var lists: [ClassShape.ToMany] = []
        for theirs in schema.toManys(of: theirs) where !absent.contains(theirs.name) {
            // A list that follows from the members' to-ones, which the source gives, is not given by itself.
            if isMemberToOneGiven(of: theirs, source) { continue }
            if let list = listsByName[theirs.name], list.target == theirs.target {
                lists.append(list)
            } else {
                leaveOut(theirs.name)
            }
        }
        let given = Set(lists.map(\.name))
        for list in ourLists where emptied.contains(list.name) && !given.contains(list.name) {
            if !isMemberToOneGiven(of: list, source) { lists.append(list) }
        }
        return ClassShape.Parts(
            model: ours,
            toOnes: toOnes,
            lists: lists,
            held: held(by: ours, source, absent),
            absent: absent,
            vanished: source.isPartial ? [] : absent.intersection(history.fields[theirs.name] ?? []),
            leftOut: leftOut
        )
    }

    private static func held(
        by model: ModelDescription,
        _ source: some LegacySource,
        _ absent: Set<String>
    ) -> [ClassShape.Held] {
        let held = source.heldIdentifiers[model.name] ?? [:]
        return model.attributes.enumerated().compactMap { place, attribute in
            guard case .map(let target)? = held[attribute.name], !absent.contains(attribute.name)
            else { return nil }
            return ClassShape.Held(place: place, target: target)
        }
    }

    /// A class of which the export has no record any more.
    private static func emptied(
        _ ours: ModelDescription,
        _ fields: Set<String>,
        in store: SchemaDescription
    ) -> ClassShape.Parts {
        ClassShape.Parts(
            model: ours,
            toOnes: store.toOnes(of: ours).filter { fields.contains($0.name) }
                .map { $0.shape(mayComeLater: false) },
            lists: store.toManys(of: ours).filter { fields.contains($0.name) },
            absent: Set(ours.attributes.map(\.name)).subtracting(fields),
            leftOut: []
        )
    }

    /// What the source has had so far.
    private static func fields(
        of source: some LegacySource,
        _ history: SourceHistory
    ) -> [String: Set<String>] {
        var fields = history.fields
        for model in source.schema.models {
            fields[model.name, default: []].formUnion(Self.fields(of: source, model.name))
        }
        return fields
    }

    /// The attributes and lists of one model that the export says something of.
    static func fields(of source: some LegacySource, _ name: String) -> Set<String> {
        guard let model = source.schema.model(named: name) else { return [] }
        return Set(model.attributes.map(\.name))
            .union(source.schema.toManys(of: model).map(\.name))
            .subtracting(source.absentFields[name] ?? [])
    }

    private static func nothingFits(
        _ source: SchemaDescription,
        _ store: SchemaDescription
    ) -> MigrationError {
        func names(_ schema: SchemaDescription) -> String {
            schema.models.prefix(12).map(\.name).joined(separator: ", ")
        }
        return MigrationError(
            .schemaMismatch,
            "The export has \(names(source)); the store has \(names(store)), and none of them.",
            advice: "Migrate into a new store, or give a mapping."
        )
    }
}

extension SchemaDescription {
    /// A to-one of a model.
    struct ToOne {
        let place: Int
        let name: String
        let target: String
        let inverse: String?
        let partner: String?
        let pair: ClassShape.PairSide?
        let standsAlone: Bool

        func shape(mayComeLater: Bool) -> ClassShape.ToOne {
            ClassShape.ToOne(
                place: place,
                name: name,
                target: target,
                inverse: inverse,
                partner: partner,
                pair: pair,
                mayComeLater: mayComeLater,
                standsAlone: standsAlone
            )
        }
    }

    private func name(_ number: UInt16) -> String { model(number)?.name ?? "" }

    func toOnes(of model: ModelDescription) -> [ToOne] {
        var found: [ToOne] = []
        let places = Dictionary(
            model.attributes.enumerated().map { ($0.element.slot, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        let uniqueSlots = Set(model.indexes.filter(\.isUnique).flatMap(\.slots))
        func add(_ slot: Int, _ other: RelationDescription.End, _ pair: ClassShape.PairSide?) {
            guard let place = places[slot] else { return }
            found.append(
                ToOne(
                    place: place,
                    name: model.attributes[place].name,
                    target: name(other.model),
                    inverse: pair == nil ? other.name : nil,
                    partner: pair == nil ? nil : other.name,
                    pair: pair,
                    standsAlone: model.attributes[place].isOptional && !uniqueSlots.contains(slot)
                )
            )
        }
        for relation in relations {
            switch relation.kind {
            case .reference(let slot) where relation.source.model == model.number:
                add(slot, relation.target, nil)
            case .pair(let sourceSlot, let targetSlot):
                let side = ClassShape.PairSide(relation: relation.number, isSource: true)
                if relation.source.model == model.number {
                    add(sourceSlot, relation.target, side)
                }
                if relation.target.model == model.number {
                    add(targetSlot, relation.source, side.other)
                }
            default: break
            }
        }
        return found.sorted { $0.place < $1.place }
    }

    /// The models that to-ones lead to, by their names.
    fileprivate static func targets(_ toOnes: [ToOne]) -> [String: String] {
        Dictionary(toOnes.map { ($0.name, $0.target) }, uniquingKeysWith: { first, _ in first })
    }

    /// The lists that can be written: those of their own, and those that are the other side of a to-one.
    package func toManys(of model: ModelDescription) -> [ClassShape.ToMany] {
        relations.compactMap { relation in
            switch relation.kind {
            case .list where relation.source.model == model.number:
                guard let name = relation.source.name else { return nil }
                return ClassShape.ToMany(
                    name: name,
                    target: self.name(relation.target.model),
                    inverse: relation.target.name,
                    memberToOne: nil
                )
            case .reference where relation.target.model == model.number:
                guard let name = relation.target.name else { return nil }
                return ClassShape.ToMany(
                    name: name,
                    target: self.name(relation.source.model),
                    inverse: nil,
                    memberToOne: relation.source.name
                )
            default: return nil
            }
        }
    }
}
