package import Reprise

/// A release of the program that keeps the club: what its stores are opened with, and what the auditor knows of it.
package struct ClubRelease: Sendable {
    package let schema: Schema
    package let models: [String: any AuditedModel.Type]
    package let audit: AuditSchema
    /// What older rows have, by model and attribute.
    package var defaults: [String: [String: Datum]] = [:]
    /// By model, the new name of each attribute, to-one and list, under the one that it had in the releases before.
    package var renames: [String: [String: String]] = [:]
    /// By model, the attributes and lists that the releases before had.
    package var removals: [String: [String]] = [:]
    /// By model, the attributes that a function has made of one that the releases before had.
    package var conversions: [String: [AuditConversion]] = [:]

    /// The releases. A store of one follows the schema of the next by itself.
    package static let all = [
        ClubRelease(schema: Club.schema, models: Club.models, audit: Club.audit),
        ClubRelease(
            schema: schema(ColouredVertex.self, Seat.self),
            models: Club.models.merging(["vertex": ColouredVertex.self, "seat": Seat.self]) { $1 },
            audit: Club.audit.withColour.withSeats
        ),
        ClubRelease(
            schema: schema(FriendlyVertex.self, Seat.self),
            models: Club.models.merging(["vertex": FriendlyVertex.self, "seat": Seat.self]) { $1 },
            audit: Club.audit.withColour.withSeats.withFriends,
            defaults: ["vertex": ["stars": .int(3)]]
        ),
        ClubRelease(
            schema: schema(PaintedVertex.self, Seat.self),
            models: Club.models.merging(["vertex": PaintedVertex.self, "seat": Seat.self]) { $1 },
            audit: Club.audit.withColour.withSeats.withFriends.renamed(PaintedVertex.renames),
            defaults: ["vertex": ["stars": .int(3)]],
            renames: ["vertex": PaintedVertex.renames]
        ),
        ClubRelease(
            schema: schema(PlainVertex.self, Seat.self),
            models: Club.models.merging(["vertex": PlainVertex.self, "seat": Seat.self]) { $1 },
            audit: Club.audit.withColour.withSeats.withFriends.renamed(PaintedVertex.renames)
                .without(PlainVertex.removals),
            renames: ["vertex": PaintedVertex.renames],
            removals: ["vertex": PlainVertex.removals]
        ),
        ClubRelease(
            schema: schema(HeavyVertex.self, Seat.self),
            models: Club.models.merging(["vertex": HeavyVertex.self, "seat": Seat.self]) { $1 },
            audit: Club.audit.withColour.withSeats.withFriends.renamed(PaintedVertex.renames)
                .without(PlainVertex.removals).withMass,
            renames: ["vertex": PaintedVertex.renames],
            removals: ["vertex": PlainVertex.removals],
            conversions: ["vertex": [HeavyVertex.conversion]]
        ),
    ]

    /// The models that are the same in all releases, with others.
    private static func schema<each M: Model>(_ others: repeat (each M).Type) -> Schema {
        Schema(
            Person.self,
            Team.self,
            Badge.self,
            Fixture.self,
            Locker.self,
            Passport.self,
            Folder.self,
            Note.self,
            Tag.self,
            Sample.self,
            repeat each others
        )
    }
}

/// A vertex of the second release: with an attribute more, which has an index.
package struct ColouredVertex: AuditedModel, Equatable {
    package var id: ID
    package var weight: Int?
    package var next: ColouredVertex.ID?
    package var anchor: ColouredVertex.ID?
    package var keeper: ColouredVertex.ID?
    package var colour: String?

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("weight", \.weight, indexed: true),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("anchor", \.anchor, onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept"),
        .attribute("colour", \.colour, indexed: true)
    )
    .toMany("kept", of: ColouredVertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: ColouredVertex.self, onDelete: .cascade)
    .inverse("owners", of: ColouredVertex.self, "owned", onDelete: .nullify)
    .toMany("guarded", of: ColouredVertex.self, onDelete: .nullify)
    .inverse("guards", of: ColouredVertex.self, "guarded", onDelete: .deny)
}

extension ColouredVertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            weight: row["weight"],
            next: row["next"],
            anchor: row["anchor"],
            keeper: row["keeper"],
            colour: row["colour"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "weight": weight, "next": next, "anchor": anchor, "keeper": keeper, "colour": colour,
        ])
    }
}

/// A vertex of the third release: other indexes, a list more, and an attribute that older rows have
/// the default of. A branch that skips the second release numbers otherwise what is new.
package struct FriendlyVertex: AuditedModel, Equatable {
    package var id: ID
    package var weight: Int?
    package var next: FriendlyVertex.ID?
    package var anchor: FriendlyVertex.ID?
    package var keeper: FriendlyVertex.ID?
    package var stars: Int
    package var colour: String?

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("weight", \.weight),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("anchor", \.anchor, onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept"),
        .attribute("stars", \.stars, indexed: true, default: 3),
        .attribute("colour", \.colour)
    )
    .toMany("kept", of: FriendlyVertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: FriendlyVertex.self, onDelete: .cascade)
    .inverse("owners", of: FriendlyVertex.self, "owned", onDelete: .nullify)
    .toMany("guarded", of: FriendlyVertex.self, onDelete: .nullify)
    .inverse("guards", of: FriendlyVertex.self, "guarded", onDelete: .deny)
    .toMany("friends", of: FriendlyVertex.self)
    .index("colour", "weight")
}

extension FriendlyVertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            weight: row["weight"],
            next: row["next"],
            anchor: row["anchor"],
            keeper: row["keeper"],
            stars: row["stars", default: -1],
            colour: row["colour"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "weight": weight, "next": next, "anchor": anchor, "keeper": keeper, "colour": colour,
            "stars": stars,
        ])
    }
}

/// A vertex of the fourth release: an attribute, a to-one and lists have other names.
package struct PaintedVertex: AuditedModel, Equatable {
    package var id: ID
    package var weight: Int?
    package var next: PaintedVertex.ID?
    package var mooring: PaintedVertex.ID?
    package var keeper: PaintedVertex.ID?
    package var stars: Int
    package var paint: String?

    fileprivate static let renames = [
        "anchor": "mooring", "colour": "paint", "guarded": "watched", "guards": "watchers", "friends": "companions",
    ]

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("weight", \.weight),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("mooring", \.mooring, renamedFrom: "anchor", onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept"),
        .attribute("stars", \.stars, indexed: true, default: 3),
        .attribute("paint", \.paint, renamedFrom: "colour")
    )
    .toMany("kept", of: PaintedVertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: PaintedVertex.self, onDelete: .cascade)
    .inverse("owners", of: PaintedVertex.self, "owned", onDelete: .nullify)
    .toMany("watched", of: PaintedVertex.self, renamedFrom: "guarded", onDelete: .nullify)
    .inverse("watchers", of: PaintedVertex.self, "watched", renamedFrom: "guards", onDelete: .deny)
    .toMany("companions", of: PaintedVertex.self, renamedFrom: "friends")
    .index("paint", "weight")
}

extension PaintedVertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            weight: row["weight"],
            next: row["next"],
            mooring: row["mooring"],
            keeper: row["keeper"],
            stars: row["stars", default: -1],
            paint: row["paint"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "weight": weight, "next": next, "mooring": mooring, "keeper": keeper, "paint": paint,
            "stars": stars,
        ])
    }
}

/// A vertex of the fifth release: without an attribute and a list.
package struct PlainVertex: AuditedModel, Equatable {
    package var id: ID
    package var weight: Int?
    package var next: PlainVertex.ID?
    package var mooring: PlainVertex.ID?
    package var keeper: PlainVertex.ID?
    package var paint: String?

    /// A branch that skips the fourth release still has the list under the name that it had before.
    fileprivate static let removals = ["stars", "companions", "friends"]

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("weight", \.weight),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("mooring", \.mooring, renamedFrom: "anchor", onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept"),
        .attribute("paint", \.paint, renamedFrom: "colour")
    )
    .removed("stars", "companions", "friends")
    .toMany("kept", of: PlainVertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: PlainVertex.self, onDelete: .cascade)
    .inverse("owners", of: PlainVertex.self, "owned", onDelete: .nullify)
    .toMany("watched", of: PlainVertex.self, renamedFrom: "guarded", onDelete: .nullify)
    .inverse("watchers", of: PlainVertex.self, "watched", renamedFrom: "guards", onDelete: .deny)
    .index("paint", "weight")
}

extension PlainVertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            weight: row["weight"],
            next: row["next"],
            mooring: row["mooring"],
            keeper: row["keeper"],
            paint: row["paint"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "weight": weight, "next": next, "mooring": mooring, "keeper": keeper, "paint": paint,
        ])
    }
}

/// What the later releases have more.
extension AuditSchema {
    fileprivate var withColour: AuditSchema {
        vertex { AuditModel($0.name, $0.attributes + [.init("colour", .text, optional: true)], $0.relationships) }
    }

    fileprivate var withFriends: AuditSchema {
        vertex { vertex in
            AuditModel(
                vertex.name,
                vertex.attributes + [.init("stars", .int)],
                vertex.relationships + [.init("friends", .manyToMany, "vertex")]
            )
        }
    }

    fileprivate var withSeats: AuditSchema {
        AuditSchema(
            models + [
                AuditModel(
                    "seat",
                    [.init("row", .int, optional: true)],
                    uniques: [["row"]],
                    [.init("sitter", .toOne, "person")]
                )
            ]
        )
    }

    /// With other names for what vertices have.
    fileprivate func renamed(_ names: [String: String]) -> AuditSchema {
        func new(_ name: String) -> String { names[name] ?? name }
        return vertex { vertex in
            AuditModel(
                vertex.name,
                vertex.attributes.map { .init(new($0.name), $0.kind, optional: $0.isOptional) },
                vertex.relationships.map {
                    .init(
                        new($0.name),
                        $0.shape,
                        $0.target,
                        inverse: $0.inverse.map(new),
                        required: $0.isRequired,
                        rule: $0.rule
                    )
                }
            )
        }
    }

    /// With a mass in the place of the weight.
    fileprivate var withMass: AuditSchema {
        vertex { vertex in
            let others = vertex.attributes.filter { $0.name != "weight" }
            return AuditModel(vertex.name, others + [.init("mass", .text, optional: true)], vertex.relationships)
        }
    }

    /// Without some of what vertices have.
    fileprivate func without(_ names: [String]) -> AuditSchema {
        vertex { vertex in
            AuditModel(
                vertex.name,
                vertex.attributes.filter { !names.contains($0.name) },
                vertex.relationships.filter { !names.contains($0.name) }
            )
        }
    }

    private func vertex(_ change: (AuditModel) -> AuditModel) -> AuditSchema {
        AuditSchema(models.map { $0.name == "vertex" ? change($0) : $0 })
    }
}
