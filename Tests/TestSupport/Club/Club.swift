package import Reprise

/// The schema that the tests of the engine use: small models that have nothing to do with music and among them every
/// kind of attribute, index, relationship and delete rule.
package enum Club {
    package static let schema = Schema(
        Person.self,
        Team.self,
        Badge.self,
        Fixture.self,
        Locker.self,
        Passport.self,
        Folder.self,
        Note.self,
        Tag.self,
        Vertex.self,
        Sample.self
    )

    package static let models: [String: any AuditedModel.Type] = [
        "person": Person.self, "team": Team.self, "badge": Badge.self, "fixture": Fixture.self,
        "locker": Locker.self, "passport": Passport.self, "folder": Folder.self,
        "note": Note.self, "tag": Tag.self, "vertex": Vertex.self, "sample": Sample.self,
    ]
}
