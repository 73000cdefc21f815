public import ExportFormats
public import LegacyRecords
public import Reprise

/// JSON objects on lines of their own (NDJSON, JSON Lines), such as `reprise export` writes, or in one array.
///
/// The class of an object is what its member `model` says, or `class`, or `type`: the first of these that every object
/// has as a text; otherwise all objects are of one class, named as the file without its extension. Where an object has
/// that member twice, the first says the class, and the other is a property (`repeatedField`). The key is the first of
/// the members `_id`, `id`, `uuid`, `guid`, `identifier`, `pk`, `primaryKey`, `primary_key` and `key` that tells more
/// than half of the objects of the class apart; objects that repeat one (`duplicateKey`) or lack one (`missingKey`) are
/// named otherwise. A newer export has the same key and says its classes in the same member, if it still has them, and
/// its members have the same types: what was text takes anything as it is written (`keptAsText`), and where values do
/// not fit another type the member gets a wider one.
/// Where there is none, the key is the object's place among those of its class (`positionalKey`).
///
/// The types of MongoDB's Extended JSON v2, as `mongoexport` writes them, are values: `{"$oid": …}`, `{"$date": …}` and
/// so on. A property of `$oid`s that are all keys of objects of one class is a link to it (`guessedRelationship`).
///
/// Without a schema every property has the narrowest type that holds all its values, and other relationships, dates and
/// data are the texts they are written as (`lossyFormat`); values of several kinds are compact JSON (`keptAsText`). The
/// texts `"nan"`, `"inf"` and `"-inf"` are numbers where all other values are. Objects inside others are as in
/// ``Realm2JSONSource``. With the schema of the store that was exported, everything has its type again, and `model_2`
/// is the attribute `model` where the model has one (`model` itself says the class); only the order of to-many
/// relationships that are the other side of a to-one is that of the records.
///
/// A row has a place for each attribute of its model. So a class of more than 512 members is refused without a schema
/// (`limitExceeded`) where its objects, on the average, have less than a sixteenth of them.
///
/// Memory: the largest object, a few hundred bytes a property, and the keys of all objects up to 128 MiB, beyond which
/// they are put into a temporary file.
public struct NDJSONSource: DetailedSource, InterpretingSource {
    /// The kind of the identity of every such file.
    public static let kind = "ndjson"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { export.stamp.byteCount }
    public let schema: SchemaDescription
    /// None: objects may name what comes later, and hold others.
    public var recordOrder: [String] { [] }
    public let infersSchema: Bool
    public let interpretation: SourceInterpretation
    public var widenedFields: [String: Set<String>] { PlanBuilder.widenedFields(of: plan) }

    let export: JSONExport
    let plan: ExportPlan
    let traits: JSONExportReader.Traits

    /// Opens a file and reads it, to find out what it holds.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - schema: what the records are, where that is known; nil to find it out.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        name: String? = nil,
        schema: SchemaDescription? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        let fileName = SourceFile.name(of: path)
        let identity = SourceIdentity(kind: Self.kind, name: name, fileName: fileName)
        try self.init(path, identity, schema, asIn: SourceInterpretation(), progress)
    }

    private init(
        _ path: String,
        _ identity: SourceIdentity,
        _ schema: SchemaDescription?,
        asIn earlier: SourceInterpretation,
        _ progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) {
        self.identity = identity
        infersSchema = schema == nil
        (export, plan, self.schema, traits, interpretation) = try SourceFile.open(path, progress) {
            opening in
            // The members that name classes, the values, and then whether identifiers are those of objects.
            opening.passCount = schema == nil ? 3 : 2
            func export(_ classMember: String?) -> JSONExport {
                JSONExport(
                    path: path,
                    stamp: opening.stamp,
                    form: .lines(
                        classMember: classMember,
                        fallbackClass: SourceFile.stem(of: path)
                    ),
                    readerOptions: JSONReader.Options(isSequence: true),
                    limits: JSONReader.Limits()
                )
            }
            let member = try ClassMember.find(export(nil), opening, asIn: earlier[TextChoice.classMember])
            let lines = export(member)
            let hasWrappers = schema == nil && !earlier.hasWrappersAsObjects
            let survey = try lines.survey(hasWrappers: hasWrappers, asIn: earlier, opening)
            if let schema {
                var warnings: [LegacyWarning] = []
                let plan = KnownPlan.make(schema, survey, &warnings)
                let traits = JSONExportReader.Traits(warnings: warnings)
                return (lines, plan, schema, traits, earlier)
            }
            let links =
                try survey.hasTypedValues
                ? IdentifierLinks(survey, in: lines, { try opening.input() }) : .init()
            let (plan, description) =
                try PlanBuilder.build(
                    survey,
                    keys: .customaryName,
                    identifiers: links,
                    asIn: earlier
                )
            var interpretation = plan.interpretation
            if !interpretation.choices.isEmpty {
                interpretation[TextChoice.classMember] = TextChoice.choice(member)
            }
            var notes = ExportNotes(survey, plan)
            notes.addLines(hasTypes: survey.hasTypedValues)
            notes.addIdentifierLinks(links)
            notes.addPlan()
            notes.addChanges(from: earlier)
            let traits = JSONExportReader.Traits(
                hasWrappers: hasWrappers,
                handsOnMisfits: true,
                warnings: notes.warnings
            )
            return (lines, plan, description, traits, interpretation)
        }
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let schema = infersSchema ? nil : self.schema
        let source = try Self(export.path, identity, schema, asIn: earlier, progress)
        try ExportFile.checkUnchanged(export.path, since: export.stamp)
        return source
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .ndjson
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            try JSONExportReader(export, plan, traits, consume: consume).read()
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(export.path, since: export.stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: export.path, in: export.stamp, progress)
    }
}

extension SourceInterpretation {
    /// Whether an earlier version has taken the types of Extended JSON for objects: `$oid` for a member.
    fileprivate var hasWrappersAsObjects: Bool { choices.keys.contains { $0.contains(".\"$") } }
}

/// Which member of the objects of a file names their class.
private enum ClassMember {
    static let names = [LineMembers.model, "class", "type"]
    /// A member with more values than this is no class.
    static let classCountMax = 256

    /// - Parameter earlier: what it was in an earlier export, which counts as long as an object has it.
    static func find(
        _ export: JSONExport,
        _ opening: SourceOpening,
        asIn earlier: [String]?
    ) throws -> String? {
        if earlier == [TextChoice.none] { return nil }
        if let earlier, earlier.count == 2, names.contains(earlier[1]) { return earlier[1] }
        var candidates = names
        var values: [String: Set<String>] = [:]
        let input = try opening.input()
        do {
            _ = try export.walk(input) { _, members, _ in
                candidates.removeAll { name in
                    guard let place = members.firstPlace(of: name),
                        case .string(let text) = members[place].value, !text.isEmpty
                    else {
                        return true
                    }
                    values[name, default: []].insert(text)
                    return values[name, default: []].count > classCountMax
                }
                if candidates.isEmpty { throw EnoughRead() }
            }
        } catch is EnoughRead {}
        return candidates.first
    }
}

extension ExportNotes {
    /// What lines of JSON without a schema lose.
    ///
    /// - Parameter hasTypes: whether the lines have the types of Extended JSON.
    fileprivate mutating func addLines(hasTypes: Bool) {
        if !hasTypes {
            warn(
                .lossyFormat,
                "There is no schema beside the file: dates, data and links are the texts that they are written as."
            )
        }
        addUntypedTexts()
    }
}
