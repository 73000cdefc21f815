package import Reprise

/// Somebody in the club: ordered inverses, a one-to-one, a to-one to its own model, unique and composite indexes.
package struct Person: AuditedModel, Equatable {
    package var id: ID
    package var name: String
    /// Unique, exempt when nil.
    package var email: String?
    package var age: Int
    package var height: Double?
    package var team: Team.ID?
    /// Unique within the team.
    package var shirt: Int?
    /// Anonymous inverse.
    package var mentor: Person.ID?
    /// One to one, optional on both sides.
    package var locker: Locker.ID?
    /// One to one, required on the other side, which goes with the person.
    package var passport: Passport.ID?

    package static let schema = ModelSchema(
        "person",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .attribute("email", \.email, unique: true),
        .attribute("age", \.age, indexed: true),
        .attribute("height", \.height, indexed: true),
        .toOne("team", \.team),
        .attribute("shirt", \.shirt),
        .toOne("mentor", \.mentor),
        .toOne("locker", \.locker, inverse: "owner"),
        .toOne("passport", \.passport, inverse: "holder", onDelete: .cascade)
    )
    .toMany("badges", of: Badge.self, inverse: "holder", onDelete: .cascade)
    .index("name", "age")
    .unique("team", "shirt")

    package static let badges = Relationship<Person, Badge>("badges")
}

extension Person {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(
            id: id,
            name: row["name", default: "?"],
            email: row["email"],
            age: row["age", default: .min],
            height: row["height"],
            team: row["team"],
            shirt: row["shirt"],
            mentor: row["mentor"],
            locker: row["locker"],
            passport: row["passport"]
        )
    }

    package var data: [String: Datum] {
        [String: Datum](present: [
            "name": name, "email": email, "age": age, "height": height, "team": team,
            "shirt": shirt, "mentor": mentor, "locker": locker, "passport": passport,
        ])
    }
}

/// A team: the members leave it when it goes, a fixture keeps it from going.
package struct Team: AuditedModel, Equatable {
    package var id: ID
    package var name: String
    /// Anonymous inverse.
    package var captain: Person.ID?

    package static let schema = ModelSchema(
        "team",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .toOne("captain", \.captain)
    )
    .toMany("members", of: Person.self, inverse: "team", onDelete: .nullify)
    .toMany("fixtures", of: Fixture.self, inverse: "home", onDelete: .deny)

    package static let members = Relationship<Team, Person>("members")
    package static let fixtures = Relationship<Team, Fixture>("fixtures")
}

extension Team {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, name: row["name", default: "?"], captain: row["captain"])
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["name": name, "captain": captain])
    }
}

/// Belongs to a person and goes with that person: a required to-one with `cascade`.
package struct Badge: AuditedModel, Equatable {
    package var id: ID
    package var label: String
    package var holder: Person.ID

    package static let schema = ModelSchema(
        "badge",
        Self.init,
        .id("id", \.id),
        .attribute("label", \.label, unique: true),
        .toOne("holder", \.holder)
    )
}

extension Badge {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, label: row["label", default: "?"], holder: row["holder", default: "?"])
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["label": label, "holder": holder])
    }
}

/// Keeps its home team from being deleted, a required to-one with `deny`; and its referee, whose side is anonymous.
package struct Fixture: AuditedModel, Equatable {
    package var id: ID
    package var home: Team.ID
    package var referee: Person.ID

    package static let schema = ModelSchema(
        "fixture",
        Self.init,
        .id("id", \.id),
        .toOne("home", \.home),
        .toOne("referee", \.referee)
    )
}

extension Fixture {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, home: row["home", default: "?"], referee: row["referee", default: "?"])
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["home": home, "referee": referee])
    }
}

/// One to one with a person, optional on both sides.
package struct Locker: AuditedModel, Equatable {
    package var id: ID
    package var number: Int?
    package var owner: Person.ID?

    package static let schema = ModelSchema(
        "locker",
        Self.init,
        .id("id", \.id),
        .attribute("number", \.number, unique: true),
        .toOne("owner", \.owner)
    )
}

extension Locker {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, number: row["number"], owner: row["owner"])
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["number": number, "owner": owner])
    }
}

/// One to one with a person, without whom there is no passport.
package struct Passport: AuditedModel, Equatable {
    package var id: ID
    package var country: String?
    package var holder: Person.ID

    package static let schema = ModelSchema(
        "passport",
        Self.init,
        .id("id", \.id),
        .attribute("country", \.country),
        .toOne("holder", \.holder)
    )
}

extension Passport {
    package init(_ id: ID, _ row: AuditValues) {
        self.init(id: id, country: row["country"], holder: row["holder", default: "?"])
    }

    package var data: [String: Datum] {
        [String: Datum](present: ["country": country, "holder": holder])
    }
}
