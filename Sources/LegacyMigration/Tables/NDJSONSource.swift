public import Reprise

/// JSON objects on lines of their own (NDJSON, JSON Lines), such as `reprise export` writes.
///
/// The class of an object is what its member `model` says, or `class`, or `type`: the first of these that every object
/// has as a text; otherwise all objects are of one class, named as the file, or `name`, without its extension. The key is the
/// first member of the first object named `_id`, `id`, `uuid`, `guid`, `key`, `identifier`, `pk`, `primaryKey` or
/// `primary_key`, where every object of the class has one and no two the same; otherwise the object's place among those
/// of its class (`positionalKey`).
///
/// Without a schema every property has the narrowest type that holds all its values, and relationships, dates and data
/// are the texts they are written as (`lossyFormat`); values of several kinds are compact JSON (`keptAsText`). Objects
/// inside others are as in ``Realm2JSONSource``. With the schema of the store that was exported, everything has its type
/// again; only the order of to-many relationships that are the other side of a to-one is that of the records.
///
/// Memory: the largest object, a few hundred bytes a property, and the keys of all objects.
public struct NDJSONSource: LegacySource {
    /// The kind of the identity of every such file.
    public static let kind = "ndjson"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { export.stamp.byteCount }
    public let schema: SchemaDescription

    let export: JSONExport
    let plan: ExportPlan
    let traits: JSONExportReader.Traits

    /// Opens a file and reads it, to find out what it holds.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - schema: what the records are, where that is known; nil to find it out.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        name: String? = nil,
        schema: SchemaDescription? = nil
    ) throws(LegacyError) {
        identity = SourceIdentity(kind: Self.kind, name: name ?? SourceFile.name(of: path))
        (export, plan, self.schema, traits) = try SourceFile.typed(path) {
            let file = try FileInput(path: path)
            func export(_ classMember: String?) -> JSONExport {
                JSONExport(
                    path: path,
                    stamp: file.stamp,
                    form: .lines(
                        classMember: classMember,
                        fallbackClass: SourceFile.stem(of: name ?? path)
                    ),
                    readerOptions: JSONReader.Options(isSequence: true),
                    limits: JSONReader.Limits()
                )
            }
            let lines = export(try ClassMember.find(export(nil)))
            let survey = try lines.survey(hasWrappers: false)
            if let schema {
                var warnings: [LegacyWarning] = []
                let plan = KnownPlan.make(schema, survey, &warnings)
                return (lines, plan, schema, JSONExportReader.Traits(warnings: warnings))
            }
            let (plan, description) = try PlanBuilder.build(survey, keys: .customaryName)
            var notes = ExportNotes(survey, plan)
            notes.addLines()
            notes.addPlan()
            return (lines, plan, description, JSONExportReader.Traits(warnings: notes.warnings))
        }
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .ndjson
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            try JSONExportReader(export, plan, traits, consume: consume).read()
        }
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: export.path, in: export.stamp, progress)
    }
}

/// Which member of the objects of a file names their class.
private enum ClassMember {
    static let names = ["model", "class", "type"]
    /// A member with more values than this is no class.
    static let classCountMax = 256

    static func find(_ export: JSONExport) throws -> String? {
        var candidates = names
        var values: [String: Set<String>] = [:]
        let input = try FileInput(path: export.path, stamp: export.stamp)
        do {
            _ = try export.walk(input) { _, members, _ in
                candidates.removeAll { name in
                    guard case .string(let text)? = members[name], !text.isEmpty else { return true }
                    values[name, default: []].insert(text)
                    return values[name, default: []].count > classCountMax
                }
                if candidates.isEmpty { throw EnoughRead() }
            }
        } catch is EnoughRead {}
        return candidates.first
    }
}

/// The plan of a file whose records have a schema that is known.
private enum KnownPlan {
    static func make(
        _ schema: SchemaDescription,
        _ survey: JSONSurvey,
        _ warnings: inout [LegacyWarning]
    ) -> ExportPlan {
        var plan = ExportPlan()
        var places: [UInt16: Int] = [:]
        for model in schema.models {
            places[model.number] = plan.classes.count
            plan.topLevel[model.name] = plan.classes.count
            var next = ClassPlan(className: model.name, key: .property("id"))
            next.model = model.name
            plan.classes.append(next)
        }
        for model in schema.models {
            guard let place = places[model.number] else { continue }
            plan.classes[place].append(column("id", .none))
            for attribute in model.attributes {
                let shape = shape(of: attribute, model, schema, places)
                guard let shape else {
                    let name = "\(model.name).\(attribute.name)"
                    let message = "\(name) holds structs, which are not read from text; it was left out."
                    warnings.append(LegacyWarning(kind: .unmappedProperty, message: message))
                    continue
                }
                plan.classes[place].append(column(attribute.name, shape, attribute.type))
            }
            for relation in schema.relations where relation.source.model == model.number {
                guard case .list = relation.kind, let name = relation.source.name,
                    let target = places[relation.target.model]
                else { continue }
                plan.classes[place].append(column(name, .references(target)))
                plan.classes[place].hasLists = true
            }
        }
        for name in survey.order where plan.topLevel[name] == nil {
            plan.topLevel[name] = plan.classes.count
            var next = ClassPlan(className: name, key: .position)
            next.isSkipped = true
            plan.classes.append(next)
            let message = "The schema has no model \(name); its objects were left out."
            warnings.append(LegacyWarning(kind: .unmappedClass, message: message))
        }
        warnOfProperties(plan, schema, survey, &warnings)
        return plan
    }

    private static func warnOfProperties(
        _ plan: ExportPlan,
        _ schema: SchemaDescription,
        _ survey: JSONSurvey,
        _ warnings: inout [LegacyWarning]
    ) {
        for model in schema.models {
            guard let place = plan.topLevel[model.name] else { continue }
            let inverses = schema.relations
                .flatMap { relation -> [RelationDescription.End] in
                    if case .pair = relation.kind { return [] }
                    return [relation.target]
                }
            for property in survey.classes[model.name]?.properties ?? []
            where plan.classes[place].places[property.name] == nil {
                let isInverse = inverses.contains {
                    $0.model == model.number && $0.name == property.name
                }
                let kind: LegacyWarning.Kind = isInverse ? .lossyFormat : .unmappedProperty
                let message =
                    isInverse
                    ? "The order of \(model.name).\(property.name) is that of the records that point to it."
                    : "The schema has no \(model.name).\(property.name); it was left out."
                warnings.append(LegacyWarning(kind: kind, message: message))
            }
        }
    }

    private static func column(
        _ name: String,
        _ shape: ClassPlan.Shape,
        _ type: ValueType = .string
    ) -> ClassPlan.Column {
        let hasNil =
            switch type {
            case .list(_, let hasNil), .set(_, let hasNil), .map(_, let hasNil): hasNil
            default: false
            }
        return ClassPlan.Column(
            property: name,
            name: name,
            shape: shape,
            isOptional: true,
            hasNilElements: hasNil,
            isIndexed: false
        )
    }

    private static func shape(
        of attribute: AttributeDescription,
        _ model: ModelDescription,
        _ schema: SchemaDescription,
        _ places: [UInt16: Int]
    ) -> ClassPlan.Shape? {
        switch attribute.type {
        case .reference:
            for relation in schema.relations {
                switch relation.kind {
                case .reference(attribute.slot) where relation.source.model == model.number,
                    .pair(attribute.slot, _) where relation.source.model == model.number:
                    return places[relation.target.model].map { .reference($0) }
                case .pair(_, attribute.slot) where relation.target.model == model.number:
                    return places[relation.source.model].map { .reference($0) }
                default: continue
                }
            }
            return nil
        case .list(let element, _): return ScalarType(element).map { .list($0) }
        case .set(let element, _): return ScalarType(element).map { .set($0) }
        case .map(let value, _): return ScalarType(value).map { .map($0) }
        default: return ScalarType(attribute.type).map { .scalar($0) }
        }
    }
}

extension ScalarType {
    /// The type of a stored attribute; nil for collections, structs and references.
    init?(_ type: ValueType) {
        switch type {
        case .bool: self = .bool
        case .int: self = .int
        case .double: self = .double
        case .float: self = .float
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .uuid: self = .uuid
        case .decimal: self = .decimal
        case .list, .set, .map, .embedded, .reference: return nil
        }
    }
}

extension ExportNotes {
    /// What lines of JSON without a schema lose.
    fileprivate mutating func addLines() {
        warn(
            .lossyFormat,
            "There is no schema beside the file: dates, data and links are the texts that they are written as."
        )
        addUntypedTexts()
    }
}
