import Reprise

/// How the records of one class become rows of one model: found once, by the names of both schemas.
final class ClassShape {
    /// A to-one of the model. An object: hot loops pass it on.
    final class ToOne: Sendable {
        /// Its place among the attributes.
        let place: Int
        let name: String
        /// The model that it leads to.
        let target: String
        /// What the other side is called, where that is an ordered list.
        let inverse: String?
        /// Whether a record may name one that comes later.
        let mayComeLater: Bool

        init(place: Int, name: String, target: String, inverse: String?, mayComeLater: Bool) {
            self.place = place
            self.name = name
            self.target = target
            self.inverse = inverse
            self.mayComeLater = mayComeLater
        }
    }

    /// An ordered to-many of the model.
    struct ToMany {
        let name: String
        /// The model of the members.
        let target: String
        /// What the other side is called, where it has a name and holds no reference itself.
        let inverse: String?
        /// The to-one of the members that this list is the other side of.
        let memberToOne: String?
    }

    /// The stored name of the model, which is the name of the class, too.
    let model: String
    /// Those of the store, in its order.
    let attributes: [AttributeDescription]
    let toOnes: [ToOne]
    /// The lists that the source gives.
    let lists: [String: ToMany]
    /// Whether the source says nothing of an attribute, so that a row keeps what it has.
    let isAbsent: [Bool]
    /// What a new row has in each attribute of which nothing is said: nil, or the nothing of its type.
    let nothings: [Value]

    private let places: [String: Int]
    /// What is taken for granted in a record where the class has it and the store not.
    private let leftOut: Set<String>

    init(
        _ model: ModelDescription,
        toOnes: [ToOne],
        lists: [ToMany],
        absent: Set<String>,
        leftOut: Set<String>
    ) {
        self.model = model.name
        attributes = model.attributes
        self.toOnes = toOnes
        self.lists = Dictionary(
            lists.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        isAbsent = model.attributes.map { absent.contains($0.name) }
        nothings = model.attributes.map {
            $0.isOptional ? .null : Value.nothing(of: $0.type) ?? .null
        }
        places = Dictionary(
            model.attributes.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        self.leftOut = leftOut
    }

    /// The place of an attribute. Records have their fields in the order of the attributes mostly: found at once at
    /// `hint`.
    func place(of name: String, hint: Int) -> Int? {
        if hint < attributes.count, attributes[hint].name == name { return hint }
        return places[name]
    }

    /// Whether a field was said to be left out before any record came.
    func isKnownToBeLeftOut(_ name: String) -> Bool { leftOut.contains(name) }
}
