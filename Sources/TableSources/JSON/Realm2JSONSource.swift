public import ExportFormats
public import LegacyRecords
public import Reprise

/// What `realm2json` of realm-core prints of a Realm file (`src/realm/exec/realm2json.cpp`, `to_json.cpp`), in any
/// of its output modes, with or without what `realm2json --schema` prints of the same file.
///
/// With the schema and output mode 0 nothing is lost but the last bit of 32-bit numbers, which are printed with eight
/// digits. What the other forms lose is told by warnings:
/// * Without a schema a property has the narrowest type that holds all its values. In mode 0 dates, data, UUIDs and
///   decimals are texts then, and in modes 0 and 1 links are the primary keys or numbers of their targets
///   (`lossyFormat`; `untypedText` for each property whose texts are all dates).
/// * Links to objects without a primary key are bare numbers in mode 0. Only a schema tells them from other numbers;
///   without one they stay numbers (`lossyFormat`).
/// * Modes 1 and 2 cut dates to milliseconds (`lossyFormat`).
/// * Modes 1 and 2 do not say the numbers of objects without a primary key. They are named by their place among those
///   of their class (`positionalKey`), and links to them are kept as JSON text (`keptAsText`).
///
/// Attributes are optional unless every object has a value. A property without values is text. Lists and sets of links
/// are ordered to-many relationships, links to-one. Values that no type holds all of, `mixed` ones, and dictionaries of
/// links or objects are compact JSON in a text. Decimals that do not fit 38 digits and an exponent of -128...127 make
/// their property a text. ObjectIds are text.
///
/// Up to version 13 realm-core marks links in mode 0 with the class and the number of the target, which every object
/// says; with the schema the numbers are followed to the primary keys, without it all objects are named by their
/// numbers.
///
/// Records are named as those of the Realm file itself (Specs/format/migration.md): by the primary key as text, or made
/// from the class and the number in `_key`. Without a schema, the primary key is the first of the properties `_id`,
/// `id`, `uuid`, `guid`, `identifier`, `pk`, `primaryKey`, `primary_key`, `key` and the first of all that tells all
/// objects apart, else the first of those with such a name that tells more than half of them apart. A text that is
/// the identifier of every record is no attribute beside. A newer export without a schema has the same keys, types and
/// links, as far as it can; a value of another type is left out (`unexpectedType`).
///
/// Embedded objects are records of their own model, called as their class or, where the file does not say, as the
/// owner's class and the property. Their key is the class and the key of the object at the top, a slash and the
/// property for each level, and in lists a slash and the index; deleting the owner deletes them. Without a schema,
/// objects with the same names in all of them are embedded objects, others dictionaries.
///
/// Memory: the largest object, a few hundred bytes a property, and the keys of all objects up to 128 MiB, beyond which
/// they are put into a temporary file.
public struct Realm2JSONSource: DetailedSource, InterpretingSource {
    /// The kind of the identity of every such file.
    public static let kind = "realm2json"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { export.stamp.byteCount }
    public let schema: SchemaDescription
    /// None: objects may name what comes later, and hold others.
    public var recordOrder: [String] { [] }
    public let infersSchema: Bool
    public var interpretation: SourceInterpretation { plan.interpretation }

    private let schemaPath: String?
    let export: JSONExport
    let plan: ExportPlan
    let traits: JSONExportReader.Traits

    /// Opens a file and reads it once, without a schema up to twice, to find out what it holds.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - schemaPath: what `realm2json --schema` printed of the same Realm file.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        schemaPath: String? = nil,
        name: String? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        try self.init(
            path: path,
            schemaPath: schemaPath,
            name: name,
            limits: JSONReader.Limits(),
            progress: progress
        )
    }

    init(
        path: String,
        schemaPath: String?,
        name: String?,
        limits: JSONReader.Limits,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        let fileName = SourceFile.name(of: path)
        let identity = SourceIdentity(kind: Self.kind, name: name, fileName: fileName)
        try self.init(path, schemaPath, identity, limits, asIn: SourceInterpretation(), progress)
    }

    private init(
        _ path: String,
        _ schemaPath: String?,
        _ identity: SourceIdentity,
        _ limits: JSONReader.Limits,
        asIn earlier: SourceInterpretation,
        _ progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) {
        self.identity = identity
        self.schemaPath = schemaPath
        infersSchema = schemaPath == nil
        (export, plan, schema, traits) = try SourceFile.open(path, progress) { opening in
            let schema = try schemaPath.map { try RealmSchemaFile(path: $0) }
            var export = JSONExport(
                path: path,
                stamp: opening.stamp,
                form: .classes(arrayClass: SourceFile.stem(of: path)),
                readerOptions: JSONReader.Options(isLenient: true),
                limits: limits
            )
            if let schema, let name = try Self.arrayClass(export, schema) {
                export = JSONExport(
                    path: path,
                    stamp: opening.stamp,
                    form: .classes(arrayClass: name),
                    readerOptions: export.readerOptions,
                    limits: limits
                )
            }
            let survey = try export.survey(hasWrappers: true, schema: schema, asIn: earlier, opening)
            let (plan, description) = try PlanBuilder.build(survey, keys: .realm, asIn: earlier)
            var notes = ExportNotes(survey, plan)
            notes.addRealm2JSON()
            notes.addPlan()
            notes.addChanges(from: earlier)
            let traits = JSONExportReader.Traits(
                hasWrappers: true,
                handsOnMisfits: schema == nil,
                warnings: notes.warnings
            )
            return (export, plan, description, traits)
        }
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let source = try Self(export.path, schemaPath, identity, export.limits, asIn: earlier, progress)
        try ExportFile.checkUnchanged(export.path, since: export.stamp)
        return source
    }

    /// What `--filter` printed does not name the class: it is the one of the schema that has the properties of the
    /// first object and no others.
    private static func arrayClass(
        _ export: JSONExport,
        _ schema: RealmSchemaFile
    ) throws -> String? {
        var names: Set<String> = []
        do {
            let input = try FileInput(path: export.path, stamp: export.stamp)
            _ = try export.walk(input) { _, members, _ in
                names = Set(members.map(\.name)).subtracting(["_key"])
                throw EnoughRead()
            }
        } catch is EnoughRead {}
        let fitting = schema.classes.filter { Set($0.properties.map(\.name)) == names }
        return fitting.count == 1 ? fitting.first?.name : nil
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .realm2json
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

extension JSONExport {
    /// Reads the file once, to find out what it holds.
    func survey(
        hasWrappers: Bool,
        schema: RealmSchemaFile? = nil,
        asIn earlier: SourceInterpretation = SourceInterpretation(),
        _ opening: SourceOpening
    ) throws -> JSONSurvey {
        var survey = JSONSurvey(hasWrappers: hasWrappers, schema: schema, asIn: earlier)
        let input = try opening.input(weight: passCount)
        _ = try walk(input) {
            try survey.addClass($0)
        } _: { name, members, _ in
            try survey.add(members, to: name)
        }
        try input.checkUnchanged()
        return survey
    }
}
