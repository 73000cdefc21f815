/// A model, an attribute or a relationship, to which a schema has given a number.
struct NumberedThing {
    /// What must be the same beside the name.
    enum Kind: Hashable {
        case model
        case attribute(ValueType)
        case relation(RelationDescription.Kind, source: UInt16, target: UInt16, inverse: String?)
    }

    let number: Int
    let name: String
    let earlierNames: [String]
    let kind: Kind
    let isRemoved: Bool

    init(_ model: ModelDescription, isRemoved: Bool) {
        (number, name, earlierNames) = (Int(model.number), model.name, model.earlierNames)
        (kind, self.isRemoved) = (.model, isRemoved)
    }

    init(_ attribute: AttributeDescription, isRemoved: Bool) {
        (number, name, earlierNames) = (attribute.slot, attribute.name, attribute.earlierNames)
        (kind, self.isRemoved) = (.attribute(attribute.type), isRemoved)
    }

    /// Which side of a one-to-one is the source follows from the order of the models, so that the lower slot is here.
    init(_ relation: RelationDescription, isRemoved: Bool) {
        var relation = relation
        if case .pair(let source, let target) = relation.kind,
            (relation.target.model, target) < (relation.source.model, source)
        {
            relation = relation.otherWayRound ?? relation
        }
        number = Int(relation.number)
        (name, earlierNames) = (relation.source.name ?? "", relation.source.earlierNames)
        kind = .relation(
            relation.kind,
            source: relation.source.model,
            target: relation.target.model,
            inverse: relation.target.name
        )
        self.isRemoved = isRemoved
    }

    private var names: [String] { [name] + earlierNames }

    fileprivate func isNamed(_ name: String, _ kind: Kind) -> Bool { self.kind == kind && names.contains(name) }

    /// Whether two stores have the same under one number, which one of them has removed. The other may have renamed it.
    fileprivate func isRemoved(from other: NumberedThing) -> Bool {
        kind == other.kind && isRemoved && other.names.contains(name)
    }

    /// Whether two stores have the same.
    fileprivate func isTwin(of other: NumberedThing) -> Bool {
        kind == other.kind && isRemoved == other.isRemoved && name == other.name
    }
}

/// Finds in a schema what another store has numbered by itself.
struct NumberMatching {
    /// The number in ours of what has another one in theirs. What ours does not have, and whose number means something
    /// else there, gets one that ours does not use.
    private(set) var numbers: [Int: Int] = [:]

    /// - Parameter past: whether both have had what has a number when they parted.
    init(of theirs: [NumberedThing], in ours: [NumberedThing], past: (Int) -> Bool) {
        let ourNew = ours.filter { !past($0.number) }
        let theirNew = theirs.filter { !past($0.number) }
        // A name that one thing has taken over from another does not tell which of them it is.
        func isClear(_ thing: NumberedThing) -> Bool {
            [ourNew, theirNew].allSatisfy { things in things.count { $0.isNamed(thing.name, thing.kind) } <= 1 }
        }
        let left = theirNew.filter { thing in
            guard let own = ourNew.first(where: { $0.number == thing.number }) else { return true }
            if own.isTwin(of: thing) { return false }
            let isOne = thing.isRemoved(from: own) || own.isRemoved(from: thing)
            return !isOne || !isClear(thing) || !isClear(own)
        }
        var taken = Set(theirNew.map(\.number)).subtracting(left.map(\.number))
        var unused = ((theirs + ours).map(\.number).max() ?? 0) + 1
        for thing in left {
            let twin = isClear(thing) ? ourNew.first { $0.isTwin(of: thing) } : nil
            if let twin, taken.insert(twin.number).inserted {
                numbers[thing.number] = twin.number
            } else if ours.contains(where: { $0.number == thing.number }) {
                numbers[thing.number] = unused
                unused += 1
            }
        }
    }
}
