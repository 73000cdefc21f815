package import Reprise

/// A vertex of the sixth release: a function has made a mass of the weight.
package struct HeavyVertex: AuditedModel, Equatable {
    package var id: ID
    package var mass: String?
    package var next: HeavyVertex.ID?
    package var mooring: HeavyVertex.ID?
    package var keeper: HeavyVertex.ID?
    package var paint: String?

    package static let schema = ModelSchema(
        "vertex",
        Self.init,
        .id("id", \.id),
        .attribute("mass", \.mass),
        .toOne("next", \.next, onDelete: .cascade),
        .toOne("mooring", \.mooring, renamedFrom: "anchor", onDelete: .deny),
        .toOne("keeper", \.keeper, inverse: "kept"),
        .attribute("paint", \.paint, renamedFrom: "colour")
    )
    .converting("mass", from: "weight") { (weight: Int) in Optional("\(weight) g") }
    .removed("stars", "companions", "friends")
    .toMany("kept", of: HeavyVertex.self, inverse: "keeper", onDelete: .cascade)
    .toMany("owned", of: HeavyVertex.self, onDelete: .cascade)
    .inverse("owners", of: HeavyVertex.self, "owned", onDelete: .nullify)
    .toMany("watched", of: HeavyVertex.self, renamedFrom: "guarded", onDelete: .nullify)
    .inverse("watchers", of: HeavyVertex.self, "watched", renamedFrom: "guards", onDelete: .deny)
    .index("paint", "mass")

    static let conversion = AuditConversion(from: "weight", to: "mass") { weight in
        guard case .int(let weight) = weight else { return .null }
        return .text(Text("\(weight) g"))
    }
}

extension HeavyVertex {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            mass: row["mass"],
            next: row["next"],
            mooring: row["mooring"],
            keeper: row["keeper"],
            paint: row["paint"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "mass": mass, "next": next, "mooring": mooring, "keeper": keeper, "paint": paint,
        ])
    }
}
