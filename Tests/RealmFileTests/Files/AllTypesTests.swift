import Testing

@testable import RealmFile

/// A file with every type in every form, which does not ship with the package.
@Suite(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
struct AllTypesTests {
    private let realm: RealmReader

    init() throws {
        realm = try RealmReader(path: Fixtures.sharedPath("alltypes_300"))
    }

    @Test func `it is sound, and its parts fit together`() throws {
        try realm.examine()
        #expect(try Content(realm).contradictions == [])
    }

    @Test func `kinds, keys and collections are told`() throws {
        #expect(realm.classes.map(\.name) == ["Emb", "Target", "Sparse", "All"])
        #expect(realm.classes.map(\.kind) == [.embedded, .topLevel, .topLevel, .topLevel])
        #expect(realm.classes.map(\.tableKey) == [0, 1, 65538, 3])
        let all = try #require(realm.class(named: "All"))
        #expect(all.primaryKey?.name == "pk" && all.primaryKey?.isOptional == true)
        let forms: [(String, RealmValueType, RealmClass.Property.Collection, Bool)] = [
            ("intOptList", .integer, .list, true), ("uuidSet", .uuid, .set, false),
            ("decDict", .decimal, .dictionary, true), ("any", .mixed, .none, true),
            ("linkDict", .link, .dictionary, true), ("embList", .link, .list, false),
            ("enumStr", .string, .none, true), ("late", .string, .none, false),
        ]
        for (name, type, collection, isOptional) in forms {
            let property = try #require(all.property(named: name))
            #expect(property.type == type && property.collection == collection, "\(name)")
            #expect(property.isOptional == isOptional, "\(name)")
        }
        #expect(all.property(named: "emb")?.targetIndex == 0)
        #expect(all.property(named: "link")?.targetIndex == 1)
        #expect(all.property(named: "dropme") == nil)
    }

    /// Everything but lists and sets of one type has one value an object; that value is of the type that is declared.
    @Test func `every value is of the type that its property declares`() throws {
        for realmClass in realm.classes {
            try realmClass.forEachObject { object in
                for property in realmClass.properties {
                    let value = try object.read(property)
                    #expect(Self.fits(value, property), "\(property.name) \(object.key)")
                }
                return true
            }
        }
    }

    private static func fits(_ value: ReadValue, _ property: RealmClass.Property) -> Bool {
        switch (property.collection, value) {
        case (.none, _): isElement(value, property)
        case (.list, .list(let values)), (.set, .set(let values)):
            values.allSatisfy { isElement($0, property) }
        case (.dictionary, .dictionary(let entries)):
            entries.allSatisfy { isElement($0.value, property) }
        default: false
        }
    }

    private static func isElement(_ value: ReadValue, _ property: RealmClass.Property) -> Bool {
        guard case .single(let value) = value else { return property.type == .mixed }
        return switch (property.type, value) {
        case (.mixed, _): true
        case (_, .null): property.isOptional
        case (.integer, .integer), (.boolean, .boolean), (.string, .string), (.data, .data),
            (.timestamp, .timestamp), (.float, .float), (.double, .double), (.decimal, .decimal),
            (.objectID, .objectID), (.uuid, .uuid), (.link, .typedLink):
            true
        case (.link, .link(let link)): link.classIndex == property.targetIndex
        default: false
        }
    }

    @Test func `the smallest and the largest integers are there`() throws {
        let all = try #require(realm.class(named: "All"))
        var met: Set<Int64> = []
        try all.forEachObject { object in
            if case .integer(let number) = try object.value("int") { met.insert(number) }
            if case .integer(let number) = try object.value("intOpt") { met.insert(number) }
            return true
        }
        #expect(met.isSuperset(of: [.min, .max]))
    }

    /// Which owner each object has is decided by links alone: one has each, and none has several.
    @Test func `every embedded object is reached by one link`() throws {
        let content = try Content(realm)
        var owners: [Int64: Int] = [:]
        for object in content.classes.flatMap(\.objects) {
            for link in object.values.flatMap(Content.links) where link.classIndex == 0 {
                owners[link.key, default: 0] += 1
                let embedded = try #require(try realm.object(link))
                #expect(embedded.realmClass.kind == .embedded)
            }
        }
        #expect(owners.count == realm.classes[0].objectCount)
        #expect(owners.values.allSatisfy { $0 == 1 })
    }

    @Test func `an object is found by a key of 62 bits`() throws {
        let sparse = try #require(realm.class(named: "Sparse"))
        var last: Int64 = -1
        var count = 0
        try sparse.forEachObject { object throws in
            #expect(try sparse.object(withKey: object.key)?.value("v") == object.value("v"))
            if object.key - last > 1 {
                #expect(try sparse.object(withKey: object.key - 1) == nil)
            }
            last = object.key
            count += 1
            return true
        }
        #expect(count == 2000 && last > 1 << 61)
    }
}
