@testable import RealmFile

/// All that a Realm file says, in a form that can be compared.
struct Content: Equatable {
    struct Class: Equatable {
        var name: String
        var tableName: String
        var tableKey: Int64
        var kind: RealmClass.Kind
        var properties: [RealmClass.Property]
        var primaryKey: RealmClass.Property?
        /// What the file notes, which need not be how many there are.
        var objectCount: Int
        var objects: [Object]
    }

    struct Object: Equatable {
        var key: Int64
        var values: [ReadValue]
    }

    var classes: [Class]

    init(_ realm: RealmReader) throws {
        classes = []
        for realmClass in realm.classes {
            var objects: [Object] = []
            try realmClass.forEachObject { object in
                objects.append(
                    Object(
                        key: object.key,
                        values: try realmClass.properties.map { try object.read($0) }
                    )
                )
                return true
            }
            classes.append(
                Class(
                    name: realmClass.name,
                    tableName: realmClass.tableName,
                    tableKey: realmClass.tableKey,
                    kind: realmClass.kind,
                    properties: realmClass.properties,
                    primaryKey: realmClass.primaryKey,
                    objectCount: realmClass.objectCount,
                    objects: objects
                )
            )
        }
    }

    /// What does not fit together: counts, keys that do not grow, primary keys that repeat, links that lead nowhere.
    var contradictions: [String] {
        var found: [String] = []
        let keys = classes.map { Set($0.objects.map(\.key)) }
        for realmClass in classes {
            if realmClass.objects.count != realmClass.objectCount {
                found.append("\(realmClass.name): \(realmClass.objects.count) objects")
            }
            if !zip(realmClass.objects, realmClass.objects.dropFirst()).allSatisfy({
                $0.key < $1.key
            }) {
                found.append("\(realmClass.name): keys do not grow")
            }
            if let primary = realmClass.primaryKey,
                let place = realmClass.properties.firstIndex(of: primary)
            {
                let values = realmClass.objects.map { ExactText("\($0.values[place])") }
                if Set(values).count != values.count {
                    found.append("\(realmClass.name): primary keys repeat")
                }
            }
            for object in realmClass.objects {
                for link in object.values.flatMap(Self.links) {
                    guard keys.indices.contains(link.classIndex),
                        keys[link.classIndex].contains(link.key)
                    else {
                        found.append("\(realmClass.name) \(object.key): a link leads nowhere")
                        continue
                    }
                }
            }
        }
        return found
    }

    /// The same without what the objects hold: what there is, and not what it is like.
    var shape: Content {
        var shape = self
        for index in shape.classes.indices {
            for place in shape.classes[index].objects.indices {
                shape.classes[index].objects[place].values = []
            }
        }
        return shape
    }

    /// The links of a value, those in collections too.
    static func links(_ value: ReadValue) -> [RealmLink] {
        switch value {
        case .single(.link(let link)), .single(.typedLink(let link)): [link]
        case .list(let values), .set(let values): values.flatMap(links)
        case .dictionary(let entries): entries.flatMap { links($0.value) }
        default: []
        }
    }
}
