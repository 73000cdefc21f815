import Testing

@testable import Reprise

private struct Owner: Model {
    var id: ID
    var name: String
    static let schema = ModelSchema("owner", Self.init, .id("id", \.id), .attribute("name", \.name))
}

private struct Pet: Model {
    var id: ID
    var a: Owner.ID?
    var b: Pet.ID?
    static let schema = ModelSchema(
        "pet",
        Self.init,
        .id("id", \.id),
        .toOne("a", \.a),
        .toOne("b", \.b)
    )
}

/// A model whose schema each test makes up: the Swift type is the same, the declaration is not.
private func build(_ models: ModelDeclaration...) throws(SchemaError) -> SchemaDescription {
    var numbers: [ObjectIdentifier: UInt16] = [:]
    for (index, model) in models.enumerated() { numbers[model.reference.type] = UInt16(index + 1) }
    var builder = SchemaBuilder(declarations: models, numbers: numbers)
    return try builder.build()
}

private typealias OwnerSchema = ModelSchema<Owner>
private func owner(_ change: (OwnerSchema) -> OwnerSchema = { $0 }) -> ModelDeclaration {
    change(Owner.schema).declaration
}

private func pet(
    _ a: Attribute<Pet, Owner.ID?> = .toOne("a", \.a),
    _ b: Attribute<Pet, Pet.ID?> = .toOne("b", \.b),
    _ change: (ModelSchema<Pet>) -> ModelSchema<Pet> = { $0 }
) -> ModelDeclaration {
    change(ModelSchema("pet", { Pet(id: $0, a: $1, b: $2) }, .id("id", \.id), a, b)).declaration
}

private struct Required: Model {
    var id: ID
    var owner: Owner.ID
    static let schema = ModelSchema(
        "required",
        Self.init,
        .id("id", \.id),
        .toOne("owner", \.owner)
    )
}

struct SchemaTests {
    private func expect(
        _ code: SchemaError.Code,
        _ model: String,
        _ attribute: String,
        _ models: ModelDeclaration...,
        location: SourceLocation = #_sourceLocation
    ) {
        var numbers: [ObjectIdentifier: UInt16] = [:]
        for (index, model) in models.enumerated() {
            numbers[model.reference.type] = UInt16(index + 1)
        }
        var builder = SchemaBuilder(declarations: models, numbers: numbers)
        let error = #expect(throws: SchemaError.self, sourceLocation: location) {
            _ = try builder.build()
        }
        #expect(error?.code == code, sourceLocation: location)
        #expect(error?.model == model, sourceLocation: location)
        #expect(error?.attribute == attribute, sourceLocation: location)
        #expect(error?.message.contains(";") == true, sourceLocation: location)
    }

    @Test func `an undeclared side is anonymous and nullifies, or denies where it is required`()
        throws
    {
        let description = try build(owner(), Required.schema.declaration)
        #expect(
            description.relations == [
                .init(
                    number: 1,
                    kind: .reference(slot: 0),
                    source: .init(model: 2, name: "owner", onDelete: .nullify),
                    target: .init(model: 1, name: nil, onDelete: .deny)
                )
            ]
        )
        #expect(try build(owner(), pet()).relations.map(\.target.onDelete) == [.nullify, .nullify])
    }

    @Test func `a to-one may name the list, the list the to-one, or both`() throws {
        let plain = owner { $0.toMany("pets", of: Pet.self, onDelete: .deny) }
        let naming = owner { $0.toMany("pets", of: Pet.self, inverse: "a", onDelete: .deny) }
        let both = try build(naming, pet(.toOne("a", \.a, inverse: "pets")))
        #expect(both.relations.count == 2)
        #expect(both.relations[0].target == .init(model: 1, name: "pets", onDelete: .deny))
        #expect(try build(naming, pet()) == both)
        #expect(try build(plain, pet(.toOne("a", \.a, inverse: "pets"))) == both)
    }

    @Test func `a tree is a to-one with its list on the same model`() throws {
        let tree = pet { $0.toMany("children", of: Pet.self, inverse: "b") }
        let relation = try #require(try build(owner(), tree).relations.last)
        #expect(relation.kind == .reference(slot: 1))
        #expect(relation.target == .init(model: 2, name: "children", onDelete: .nullify))
    }

    @Test func `a list without inverse is many to many, and its other side may be named`() throws {
        let list = owner { $0.toMany("pets", of: Pet.self, onDelete: .cascade) }
        let named = pet { $0.inverse("owners", of: Owner.self, "pets", onDelete: .deny) }
        #expect(
            try build(list, named).relations[0]
                == .init(
                    number: 1,
                    kind: .list,
                    source: .init(model: 1, name: "pets", onDelete: .cascade),
                    target: .init(model: 2, name: "owners", onDelete: .deny)
                )
        )
        #expect(
            try build(list, pet()).relations[0].target
                == .init(model: 2, name: nil, onDelete: .nullify)
        )
    }

    @Test func `two to-ones that name each other are one to one`() throws {
        struct Pair: Model {
            var id: ID
            var next: Pair.ID?
            var previous: Pair.ID?
            static let schema = ModelSchema(
                "pair",
                Self.init,
                .id("id", \.id),
                .toOne("next", \.next, inverse: "previous"),
                .toOne("previous", \.previous, onDelete: .cascade)
            )
        }
        #expect(
            Schema(Pair.self).description.relations == [
                .init(
                    number: 1,
                    kind: .pair(sourceSlot: 0, targetSlot: 1),
                    source: .init(model: 1, name: "next", onDelete: .nullify),
                    target: .init(model: 1, name: "previous", onDelete: .cascade)
                )
            ]
        )
    }

    @Test func `mistakes are named`() {
        expect(.missingModel, "pet", "a", pet())
        expect(
            .unknownInverse,
            "owner",
            "pets",
            owner { $0.toMany("pets", of: Pet.self, inverse: "x") },
            pet()
        )
        expect(.unknownInverse, "pet", "a", owner(), pet(.toOne("a", \.a, inverse: "x")))
        expect(.inverseOfWrongType, "pet", "a", owner(), pet(.toOne("a", \.a, inverse: "name")))
        expect(
            .inverseOfWrongType,
            "owner",
            "pets",
            owner { $0.toMany("pets", of: Pet.self, inverse: "b") },
            pet()
        )
        expect(
            .inverseClaimedTwice,
            "pet",
            "a",
            owner {
                $0.toMany("x", of: Pet.self, inverse: "a").toMany("y", of: Pet.self, inverse: "a")
            },
            pet()
        )
        expect(
            .inverseClaimedTwice,
            "owner",
            "x",
            owner { $0.toMany("x", of: Pet.self) },
            pet { $0.inverse("p", of: Owner.self, "x").inverse("q", of: Owner.self, "x") }
        )
        expect(.unknownInverse, "pet", "p", owner(), pet { $0.inverse("p", of: Owner.self, "x") })
        expect(
            .symmetricRelation,
            "pet",
            "b",
            owner(),
            pet(.toOne("a", \.a), .toOne("b", \.b, inverse: "b"))
        )
        expect(
            .requiredCannotBeNullified,
            "required",
            "owner",
            owner { $0.toMany("all", of: Required.self, inverse: "owner") },
            Required.schema.declaration
        )
        expect(.duplicateName, "pet", "a", owner(), pet { $0.toMany("a", of: Pet.self) })
        expect(.invalidName, "pet", "1", owner(), pet(.toOne("1", \.a)))
        expect(.invalidName, "owner", "é", owner { $0.toMany("é", of: Owner.self) })
        let long = String(repeating: "n", count: 65)
        expect(.invalidName, "pet", long, owner(), pet(.toOne(long, \.a)))
        expect(.referenceWithoutRelation, "pet", "a", owner(), pet(.attribute("a", \.a)))
        expect(.invalidIndex, "owner", "nope", owner { $0.index("name", "nope") })
        expect(.invalidIndex, "owner", "name, name", owner { $0.index("name", "name") })
        expect(.invalidIndex, "owner", "name", owner { $0.unique("name") })
    }

    @Test func `containers cannot be indexed, and a model has one identifier`() {
        struct Odd: Model {
            var id: ID
            var tags: [String]
            static let schema = ModelSchema(
                "odd",
                Self.init,
                .id("id", \.id),
                .attribute("tags", \.tags, indexed: true)
            )
        }
        expect(.invalidIndex, "odd", "tags", Odd.schema.declaration)
        struct None: Model {
            var id: ID { "x" }
            var n: Int
            static let schema = ModelSchema("none", Self.init, .attribute("n", \.n))
        }
        expect(.missingIdentifier, "none", "", None.schema.declaration)
        #expect(throws: SchemaError.self) { try Schema(validating: Owner.self, Owner.self) }
    }

    @Test func `descriptions round-trip, and mutated bytes are refused without a trap`() throws {
        let schema = try build(
            owner {
                $0.toMany("pets", of: Pet.self, inverse: "a", onDelete: .cascade).toMany(
                    "all",
                    of: Pet.self
                )
            },
            pet { $0.index("a", "b") }
        )
        var rich = schema
        for type in allTypes where type != .reference {
            let slot = rich.models[0].slotCount
            rich.models[0].slotCount += 1
            rich.models[0].attributes.append(
                .init(slot: slot, name: "t\(slot)", type: type, isOptional: true)
            )
        }
        try rich.validate()
        let bytes = rich.encode()
        #expect(try SchemaDescription(decoding: bytes) == rich)
        var random = Seeded(state: 9)
        for _ in 0..<10_000 {
            var broken = bytes
            random.mutate(&broken)
            guard let other = try? SchemaDescription(decoding: broken) else { continue }
            #expect(other.encode() == broken)
        }
    }

    @Test func `a schema with a mistake stops the program with a sentence`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            _ = Schema(Pet.self)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("pet.a: It refers to Owner, which is not in the schema; add it."))
    }
}
