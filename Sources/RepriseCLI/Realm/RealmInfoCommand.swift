import RealmFile

/// `reprise realm info`: what a Realm file is, what classes it has, and whether it is sound.
struct RealmInfoCommand: Command {
    var file: RealmLocation
    var isJSON = false
    /// Whether what is lost of a damaged file is listed.
    var salvages = false

    func run(in console: inout Console) throws -> Outcome {
        if salvages {
            let salvage = try file.open(salvages: true, in: console).salvage(in: console)
            if isJSON {
                try console.json { Self.write(salvage.realm, nil, salvage, to: &$0) }
            } else {
                try show(salvage.realm, nil, salvage, in: &console)
            }
            return salvage.isComplete ? .done : .no
        }
        let realm = try file.open(in: console)
        var fault: RealmFileError?
        do {
            try realm.examine(in: console)
        } catch let error as RealmFileError {
            fault = error
        }
        if isJSON {
            try console.json { Self.write(realm, fault, nil, to: &$0) }
        } else {
            try show(realm, fault, nil, in: &console)
        }
        return fault == nil ? .done : .no
    }

    // MARK: JSON

    private static func write(
        _ realm: RealmReader,
        _ fault: RealmFileError?,
        _ salvage: RealmSalvage?,
        to writer: inout JSONWriter
    ) {
        writer.member("format", realm.formatVersion)
        writer.member("streamed", realm.isStreamed)
        writer.member("encrypted", realm.isEncrypted)
        writer.member("ok", fault == nil && salvage?.isComplete ?? true)
        if let fault { writer.member("fault", fault.description) }
        salvage?.write(to: &writer)
        writer.key("classes")
        writer.objects(realm.classes) { realmClass, writer in
            writer.member("name", realmClass.name)
            writer.member("table", realmClass.tableName)
            writer.member("kind", realmClass.kind.name)
            writer.member("objects", realmClass.objectCount)
            if let noted = salvage?.notedObjectCounts[realmClass.index] {
                writer.member("notedObjects", noted)
            }
            if let key = realmClass.primaryKey { writer.member("primaryKey", key.name) }
            writer.key("properties")
            writer.objects(realmClass.properties) { property, writer in
                writer.member("name", property.name)
                writer.member("type", typeName(property, realm))
                writer.member("optional", property.isOptional)
                writer.member("indexed", property.isIndexed)
            }
        }
    }

    // MARK: Text

    private func show(
        _ realm: RealmReader,
        _ fault: RealmFileError?,
        _ salvage: RealmSalvage?,
        in console: inout Console
    ) throws(OutputError) {
        var form = realm.isStreamed ? "written in one go" : "as an app at work leaves it"
        if realm.isEncrypted { form += ", encrypted" }
        try console.facts([
            ("format", "version \(realm.formatVersion), \(form)"),
            ("state", salvage?.summary ?? fault.map(Self.text(of:)) ?? "sound"),
        ])
        for realmClass in realm.classes {
            try console.output.line("")
            let kind = realmClass.kind == .topLevel ? "" : ", \(realmClass.kind.name)"
            let title = DisplayWidth.visible(realmClass.name)
            var count = Quantity.count(realmClass.objectCount, "object")
            if let salvage {
                let noted = salvage.notedObjectCounts[realmClass.index]
                if noted != realmClass.objectCount {
                    count += " of \(noted.map { Quantity.count($0) } ?? "an unknown number")"
                }
            }
            try console.output.line("\(title) (\(count)\(kind))")
            try console.facts(
                realmClass.properties.map { property in
                    var text = Self.typeName(property, realm)
                    if property.index == realmClass.primaryKey?.index {
                        text += ", primary key"
                    } else if property.isIndexed {
                        text += ", indexed"
                    }
                    return ("  " + DisplayWidth.visible(property.name), text)
                }
            )
        }
        guard let salvage, !salvage.isComplete else { return }
        try console.output.line("")
        for line in salvage.lines { try console.output.line(line) }
    }

    private static func text(of fault: RealmFileError) -> String {
        fault.isDamage ? "\(fault) \(RealmLocation.salvageAdvice)" : fault.description
    }

    /// As one would write it in Swift.
    private static func typeName(_ property: RealmClass.Property, _ realm: RealmReader) -> String {
        var name =
            switch property.type {
            case .integer: "Int"
            case .boolean: "Bool"
            case .string: "String"
            case .data: "Data"
            case .mixed: "AnyRealmValue"
            case .timestamp: "Date"
            case .float: "Float"
            case .double: "Double"
            case .decimal: "Decimal128"
            case .link: property.targetIndex.map { realm.classes[$0].name } ?? "Object"
            case .objectID: "ObjectId"
            case .uuid: "UUID"
            }
        if property.isOptional, property.type != .mixed { name += "?" }
        return switch property.collection {
        case .none: name
        case .list: "List<\(name)>"
        case .set: "MutableSet<\(name)>"
        case .dictionary: "Map<String, \(name)>"
        }
    }
}

extension RealmClass.Kind {
    fileprivate var name: String {
        switch self {
        case .topLevel: "object"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
