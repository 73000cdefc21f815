/// The club as the auditor knows it, written beside the Swift models and not derived from them.
extension Club {
    package static let audit = AuditSchema([
        person, team, badge, fixture, locker, passport, folder, note, tag, vertex, sample,
    ])

    private static let person = AuditModel(
        "person",
        [
            .init("name", .text), .init("email", .text, optional: true), .init("age", .int),
            .init("height", .double, optional: true), .init("shirt", .int, optional: true),
        ],
        uniques: [["email"], ["team", "shirt"]],
        [
            .init("team", .toOne, "team", inverse: "members"),
            .init("mentor", .toOne, "person"),
            .init("locker", .toOne, "locker", inverse: "owner"),
            .init("passport", .toOne, "passport", inverse: "holder", rule: .cascade),
            .init("badges", .orderedInverse, "badge", inverse: "holder", rule: .cascade),
        ]
    )

    private static let team = AuditModel(
        "team",
        [.init("name", .text)],
        [
            .init("captain", .toOne, "person"),
            .init("members", .orderedInverse, "person", inverse: "team"),
            .init("fixtures", .orderedInverse, "fixture", inverse: "home", rule: .deny),
        ]
    )

    private static let badge = AuditModel(
        "badge",
        [.init("label", .text)],
        uniques: [["label"]],
        [.init("holder", .toOne, "person", inverse: "badges", required: true)]
    )

    private static let fixture = AuditModel(
        "fixture",
        [],
        [
            .init("home", .toOne, "team", inverse: "fixtures", required: true),
            .init("referee", .toOne, "person", required: true),
        ]
    )

    private static let locker = AuditModel(
        "locker",
        [.init("number", .int, optional: true)],
        uniques: [["number"]],
        [.init("owner", .toOne, "person", inverse: "locker")]
    )

    private static let passport = AuditModel(
        "passport",
        [.init("country", .text, optional: true)],
        [.init("holder", .toOne, "person", inverse: "passport", required: true)]
    )

    private static let folder = AuditModel(
        "folder",
        [.init("name", .text)],
        uniques: [["parent", "name"]],
        [
            .init("parent", .toOne, "folder", inverse: "children"),
            .init("shortcut", .toOne, "folder"),
            .init("children", .orderedInverse, "folder", inverse: "parent", rule: .cascade),
            .init("notes", .orderedInverse, "note", inverse: "folder", rule: .cascade),
        ]
    )

    private static let note = AuditModel(
        "note",
        [.init("title", .text, optional: true), .init("written", .double)],
        [
            .init("folder", .toOne, "folder", inverse: "notes"),
            .init("tags", .manyToMany, "tag", inverse: "notes"),
            .init("links", .manyToMany, "note"),
            .init("readers", .manyToMany, "person", rule: .deny),
        ]
    )

    private static let tag = AuditModel(
        "tag",
        [.init("name", .text)],
        uniques: [["name"]],
        [.init("notes", .derived, "note", inverse: "tags")]
    )

    private static let vertex = AuditModel(
        "vertex",
        [.init("weight", .int, optional: true)],
        [
            .init("next", .toOne, "vertex", rule: .cascade),
            .init("anchor", .toOne, "vertex", rule: .deny),
            .init("keeper", .toOne, "vertex", inverse: "kept"),
            .init("kept", .orderedInverse, "vertex", inverse: "keeper", rule: .cascade),
            .init("owned", .manyToMany, "vertex", inverse: "owners", rule: .cascade),
            .init("owners", .derived, "vertex", inverse: "owned"),
            .init("guarded", .manyToMany, "vertex", inverse: "guards"),
            .init("guards", .derived, "vertex", inverse: "guarded", rule: .deny),
        ]
    )

    private static let address = AuditKind.embedded([
        .init("street", .text), .init("door", .int, optional: true), .init("names", .list(.text)),
    ])

    private static let sample = AuditModel(
        "sample",
        [
            .init("flag", .bool), .init("count", .int), .init("ratio", .double),
            .init("weight", .float), .init("title", .text), .init("payload", .data),
            .init("moment", .date), .init("token", .uuid), .init("price", .decimal),
            .init("mood", .choice([.text("calm"), .text("cr\u{F6}\u{DF}"), .text("")])),
            .init("rank", .choice([.int(-1), .int(0), .int(9_000_000_000)]), optional: true),
            .init("optionalFlag", .bool, optional: true),
            .init("optionalRatio", .double, optional: true),
            .init("optionalTitle", .text, optional: true),
            .init("optionalPayload", .data, optional: true),
            .init("optionalMoment", .date, optional: true),
            .init("optionalPrice", .decimal, optional: true),
            .init("numbers", .list(.int)), .init("words", .list(.text, nils: true)),
            .init("labels", .set(.text)), .init("days", .set(.int), optional: true),
            .init("scores", .map(.double)), .init("remarks", .map(.text, nils: true)),
            .init("home", address), .init("work", address, optional: true),
            .init("places", .list(address)),
        ],
        uniques: [["token"], ["optionalRatio"], ["optionalTitle", "title"]]
    )
}
