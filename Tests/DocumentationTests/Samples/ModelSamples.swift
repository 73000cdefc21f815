import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of Models.md. The models of the app stand in TodoModels.swift.
struct ModelSamples {
    struct Address: Embedded {
        var street: String
        var city: String?

        static let embedded = EmbeddedSchema(
            Self.init,
            .attribute("street", \.street),
            .attribute("city", \.city)
        )
    }

    struct Reminder: CodableValue {
        var hour: Int
        var sound: String?
    }

    struct Customer: Model {
        var id = ID()
        var name: String
        var homepage: URL?
        var address: Address?
        var reminders: [Reminder] = []

        static let schema = ModelSchema(
            "customer",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("homepage", \.homepage),
            .attribute("address", \.address),
            .attribute("reminders", \.reminders)
        )
    }

    /// Two initialisers, so that `Self.init` alone would not say which.
    struct Place: Model {
        var id: ID
        var name: String

        init(id: ID, name: String) {
            self.id = id
            self.name = name
        }

        init(named name: String) { self.init(id: ID(), name: name) }

        static let schema = ModelSchema(
            "place",
            { Place(id: $0, name: $1) },
            .id("id", \.id),
            .attribute("name", \.name)
        )
    }

    @Test func `identifiers are made in three ways`() throws {
        let (number, uuid) = (5, UUID())
        let new = Task.ID()
        let own: Task.ID = "task-\(number)"
        let imported = Task.ID(uuid)
        #expect(new.rawValue.count == 36)
        #expect(own == "task-5")
        #expect(imported.rawValue == uuid.uuidString.lowercased())
    }

    @Test func `values of every kind come back`() throws {
        let store = try Store.temporary(Schema(Customer.self, Place.self))
        let customer = Customer(
            name: "Ada",
            homepage: URL(string: "https://example.com/ada"),
            address: Address(street: "Main Street 1"),
            reminders: [Reminder(hour: 9)]
        )
        try store.write { tx in
            try tx.insert(customer)
            try tx.insert(Place(named: "Shed"))
        }
        let found = try #require(try store.fetch(Customer.self, id: customer.id))
        #expect(found.homepage == customer.homepage)
        #expect(found.address?.street == "Main Street 1")
        #expect(found.reminders.map(\.hour) == [9])
        #expect(try store.fetch(Place.self).map(\.name) == ["Shed"])
    }
}
