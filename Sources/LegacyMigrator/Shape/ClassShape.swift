import Reprise

/// How the records of one class become rows of one model: found once, by the names of both schemas.
package final class ClassShape: Sendable {
    /// A to-one of the model. An object: hot loops pass it on.
    final class ToOne: Sendable {
        /// Its place among the attributes.
        let place: Int
        let name: String
        /// The model that it leads to.
        let target: String
        /// What the other side is called, where that is an ordered list.
        let inverse: String?
        /// What the other side is called, where that is a to-one.
        let partner: String?
        /// Which side of a one-to-one it is; nil where the other side is none.
        let pair: PairSide?
        /// Whether the other side is a to-one, too.
        var isPaired: Bool { pair != nil }
        /// Whether a record may name one that comes later.
        let mayComeLater: Bool
        /// Whether it can be set apart from the others: it may be empty, and is no part of what must be unique.
        let standsAlone: Bool

        init(
            place: Int,
            name: String,
            target: String,
            inverse: String?,
            partner: String?,
            pair: PairSide?,
            mayComeLater: Bool,
            standsAlone: Bool
        ) {
            self.place = place
            self.name = name
            self.target = target
            self.inverse = inverse
            self.partner = partner
            self.pair = pair
            self.mayComeLater = mayComeLater
            self.standsAlone = standsAlone
        }
    }

    /// A side of a one-to-one.
    struct PairSide {
        /// The relation's number in the store's schema.
        let relation: UInt16
        let isSource: Bool

        var other: PairSide { PairSide(relation: relation, isSource: !isSource) }
    }

    /// An ordered to-many of the model.
    package struct ToMany: Sendable {
        package let name: String
        /// The model of the members.
        let target: String
        /// What the other side is called, where it has a name and holds no reference itself.
        let inverse: String?
        /// The to-one of the members that this list is the other side of.
        let memberToOne: String?

        /// One such list, as the log names it.
        func named(of owner: EntityReference) -> EntityReference {
            EntityReference(model: "\(owner.model).\(name)", id: owner.id)
        }
    }

    /// A map of texts that are identifiers of one model's records.
    struct Held: Sendable {
        /// Its place among the attributes.
        let place: Int
        let target: String
    }

    /// What it is made of.
    struct Parts {
        let model: ModelDescription
        let toOnes: [ToOne]
        let lists: [ToMany]
        var held: [Held] = []
        /// The attributes of which the source says nothing.
        let absent: Set<String>
        /// Those that an earlier export gave.
        var vanished: Set<String> = []
        /// What the class has and the store not.
        let leftOut: Set<String>
    }

    /// Its place among the shapes of the source.
    let ordinal: Int
    /// Whether a to-one leads here that may come before its target: then the records that came are remembered.
    let isTracked: Bool
    /// The stored name of the model, which is the name of the class, too.
    let model: String
    /// Those of the store, in its order.
    let attributes: [AttributeDescription]
    let toOnes: [ToOne]
    let held: [Held]
    /// Whether a record may name one that comes later.
    let mayNameLater: Bool
    /// Whether a record may have to be tried again because of what one of its to-ones names.
    let mayWait: Bool
    /// Whether it has a side of a one-to-one.
    let hasPairs: Bool
    /// The places of what must be unique together, and of the to-ones whose other side is one, too.
    let uniquePlaces: [[Int]]
    /// The lists that the source gives.
    let lists: [String: ToMany]
    /// The places of the attributes that the source has; of the others a row keeps what it has.
    let givenPlaces: [Int]
    /// What a new row has in each attribute of which nothing is said: nil, or the nothing of its type.
    let nothings: [Value]
    /// Whether a new row needs values of which the source says nothing.
    let hasRequiredAbsent: Bool
    /// The places of what a row needs, earlier exports gave and this one does not.
    let vanishedPlaces: [Int]

    /// The places of what is required and must be unique.
    private let onlyPlaces: Set<Int>
    private let names: [String]
    private let places: [String: Int]
    /// What is taken for granted in a record where the class has it and the store not.
    private let leftOut: Set<String>

    init(_ parts: Parts, ordinal: Int, isTracked: Bool) {
        let attributes = parts.model.attributes
        self.ordinal = ordinal
        self.isTracked = isTracked
        model = parts.model.name
        self.attributes = attributes
        toOnes = parts.toOnes
        held = parts.held
        mayNameLater = parts.toOnes.contains(where: \.mayComeLater)
        mayWait = parts.toOnes.contains { !$0.standsAlone }
        hasPairs = parts.toOnes.contains(where: \.isPaired)
        uniquePlaces =
            parts.model.indexes.lazy.filter(\.isUnique).map { index in
                attributes.indices.filter { index.slots.contains(attributes[$0].slot) }
            } + parts.toOnes.filter(\.isPaired).map { [$0.place] }
        lists = Dictionary(
            parts.lists.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        givenPlaces = attributes.indices.filter { !parts.absent.contains(attributes[$0].name) }
        nothings = attributes.map { $0.isOptional ? .null : Value.nothing(of: $0.type) ?? .null }
        hasRequiredAbsent = attributes.contains {
            parts.absent.contains($0.name) && !$0.isOptional
        }
        vanishedPlaces = attributes.indices.filter {
            parts.vanished.contains(attributes[$0].name) && !attributes[$0].isOptional
        }
        onlyPlaces = Set(uniquePlaces.joined()).filter { !attributes[$0].isOptional }
        names = attributes.map(\.name)
        places = Dictionary(
            attributes.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        leftOut = parts.leftOut
    }

    /// Whether a record that has no value in a place gets the nothing of its type there. Where that must be unique, it
    /// would take the place of a row that has it, and none of the next ones could have it.
    func mayBeNothing(_ place: Int) -> Bool { !onlyPlaces.contains(place) }

    /// The place of an attribute. Records have their fields in the order of the attributes mostly, without those that
    /// are nil: found soon from `hint` on.
    func place(of name: String, hint: Int) -> Int? {
        for place in hint..<max(hint, min(hint + 8, names.count)) where names[place] == name {
            return place
        }
        return places[name]
    }

    /// Whether a field was said to be left out before any record came.
    func isKnownToBeLeftOut(_ name: String) -> Bool { leftOut.contains(name) }
}
