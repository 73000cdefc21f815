import Testing

@testable import Reprise

private struct Plot: Model {
    var id: ID
    var name: String

    static let beds = Relationship<Plot, Bed>("beds", inverse: \.plot, onDelete: .cascade)
    static let signs = Relationship<Plot, Sign>("signs", inverse: \.plot, onDelete: .deny)
    static let schema = ModelSchema("plot", Self.init, .id("id", \.id), .attribute("name", \.name))
        .toMany(beds)
        .toMany(signs)
}

private struct Bed: Model {
    var id: ID
    var plot: Plot.ID?

    static let plants = Relationship<Bed, Plant>("plants", renamedFrom: "herbs")
    static let schema = ModelSchema("bed", Self.init, .id("id", \.id), .toOne("stored_plot", \.plot)).toMany(plants)
}

private struct Plant: Model {
    var id: ID

    static let beds = Relationship<Plant, Bed>("beds", inverseOf: Bed.plants)
    static let schema = ModelSchema("plant", Self.init, .id("id", \.id)).toMany(beds)
}

private struct Sign: Model {
    var id: ID
    var plot: Plot.ID

    static let schema = ModelSchema("sign", Self.init, .id("id", \.id), .toOne("plot", \.plot))
}

/// The same by names, as it was written before.
private struct NamedPlot: Model {
    var id: ID
    var name: String

    static let schema = ModelSchema("plot", Self.init, .id("id", \.id), .attribute("name", \.name))
        .toMany("beds", of: NamedBed.self, inverse: "stored_plot", onDelete: .cascade)
        .toMany("signs", of: NamedSign.self, inverse: "plot", onDelete: .deny)
}

private struct NamedBed: Model {
    var id: ID
    var plot: NamedPlot.ID?

    static let schema = ModelSchema("bed", Self.init, .id("id", \.id), .toOne("stored_plot", \.plot))
        .toMany("plants", of: NamedPlant.self, renamedFrom: "herbs")
}

private struct NamedPlant: Model {
    var id: ID

    static let schema = ModelSchema("plant", Self.init, .id("id", \.id)).inverse("beds", of: NamedBed.self, "plants")
}

private struct NamedSign: Model {
    var id: ID
    var plot: NamedPlot.ID

    static let schema = ModelSchema("sign", Self.init, .id("id", \.id), .toOne("plot", \.plot))
}

private struct Shed: Model {
    var id: ID

    static let tools = Relationship<Shed, Tool>("tools", inverse: \.spare)
    static let schema = ModelSchema("shed", Self.init, .id("id", \.id)).toMany(tools)
}

private struct Tool: Model {
    var id: ID
    var shed: Shed.ID?

    var spare: Shed.ID? { shed }

    static let schema = ModelSchema("tool", Self.init, .id("id", \.id), .toOne("shed", \.shed))
}

/// Relationships whose names are said once.
struct RelationshipDeclarationTests {
    /// VAL-10
    @Test func `a constant declares what the names declared`() {
        let schema = Schema(Plot.self, Bed.self, Plant.self, Sign.self)
        let named = Schema(NamedPlot.self, NamedBed.self, NamedPlant.self, NamedSign.self)
        #expect(schema.description == named.description)
        let reversed = Schema(Sign.self, Plant.self, Bed.self, Plot.self)
        #expect(reversed.description.relations.count == 3)
    }

    /// VAL-10
    @Test func `both sides of what a constant declares are kept`() throws {
        let place = try ScratchPlace()
        let schema = Schema(Plot.self, Bed.self, Plant.self, Sign.self)
        let store = try Store.open(at: place("store"), schema: schema)
        try store.write { tx in
            try tx.insert(Plot(id: "p", name: "P"))
            try tx.insert(Bed(id: "b", plot: "p"))
            try tx.insert(Plant(id: "mint"))
            try tx.link(Bed.plants, from: "b", to: "mint")
        }
        try store.read { tx in
            let (beds, grown) = (try tx.entries(Plot.beds, of: "p"), try tx.entries(Plant.beds, of: "mint"))
            #expect(beds.map(\.target) == ["b"] && grown.map(\.target) == ["b"])
        }
        let grown = FetchDescriptor<Plot>().where { $0[Plot.beds].any { $0[Bed.plants].contains("mint") } }
        #expect(try store.fetch(grown).map(\.id) == ["p"])
        try store.write { _ = try $0.delete(Plot.self, id: "p") }
        #expect(try store.fetch(Bed.self, id: "b") == nil)
    }

    /// VAL-10
    @Test func `an inverse that is not declared is a mistake in the schema, and a constant alone is none`() throws {
        let mistake = #expect(throws: SchemaError.self) { try Schema(validating: Shed.self, Tool.self) }
        #expect(mistake?.code == .unknownInverse)
        #expect(mistake?.attribute == "tools")
        let missing = #expect(throws: SchemaError.self) { try Schema(validating: Shed.self) }
        #expect(missing?.code == .missingModel)
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Plant.self, Bed.self, Plot.self, Sign.self))
        let stray = Relationship<Plot, Bed>("strays")
        let error = #expect(throws: StoreError.self) { try store.read { try $0.entries(stray, of: "p") } }
        #expect(error?.code == .unknownRelationship)
    }
}
