public import ExportFormats
public import LegacyRecords
public import Reprise

/// What Realm Studio saves as JSON, in each of its three forms
/// (`realm-studio/src/services/data-exporter/json.ts`):
/// * Up to version 12: an object of arrays by class, in which linked objects stand in place of links. An object inside
///   another is a link where the schema says so; without a schema where its properties have exactly the names of those
///   of one class at the top that has a key, and an object of that class holds the same values. Otherwise it is an
///   object of its owner, as in ``Realm2JSONSource``.
/// * The same where objects hold each other: each object has a `$refId`, the class and the key, and where the circle
///   closes there is a `$ref`. The key is the property that every `$refId` names; objects of a class without one are
///   named by what it says, which is their number in the Realm file.
/// * From version 13: Flatted, an array in which places of the array stand for objects and texts. Objects of a class
///   without a key are named by their place.
///
/// The key of a class is the first property with a customary name (as in ``Realm2JSONSource``), else the first
/// property, if it tells more than half of the objects apart; with a schema it is the primary key. A newer export
/// without a schema has the same keys, types and links, as far as it can; a value of another type is left out
/// (`unexpectedType`).
///
/// What these forms lose is told by warnings: binary data (`lostBinary`; before 2021 and from version 13), whole
/// numbers beyond 2^53, which JavaScript rounds (`roundedNumber`), the types of dates, data, UUIDs and decimals
/// without a schema (`lossyFormat`, `untypedText`). NaN and infinities are null in the file. Embedded classes are
/// not named.
///
/// Memory: the largest object with everything inside it, a few hundred bytes a property, the keys of all objects up to
/// 128 MiB when it is opened and as much when it is read, beyond which they are put into a temporary file; for Flatted
/// sixteen bytes for each object, array and text, and the list of the largest class.
public struct RealmStudioJSONSource: DetailedSource, InterpretingSource {
    /// The kind of the identity of every such file.
    public static let kind = "realmstudio"

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

    /// Opens a file and reads it twice, to find out what it holds and what is a link.
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
        let identity = SourceIdentity(kind: Self.kind, name: name, fileName: SourceFile.name(of: path))
        try self.init(path, schemaPath, identity, asIn: SourceInterpretation(), progress)
    }

    private init(
        _ path: String,
        _ schemaPath: String?,
        _ identity: SourceIdentity,
        asIn earlier: SourceInterpretation,
        _ progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) {
        self.identity = identity
        self.schemaPath = schemaPath
        infersSchema = schemaPath == nil
        (export, plan, schema, traits) = try SourceFile.open(path, progress) { opening in
            let schema = try schemaPath.map { try RealmSchemaFile(path: $0) }
            let stamp = opening.stamp
            let limits = JSONReader.Limits()
            func export(_ form: JSONExport.Form) -> JSONExport {
                JSONExport(
                    path: path,
                    stamp: stamp,
                    form: form,
                    readerOptions: JSONReader.Options(),
                    limits: limits
                )
            }
            let isFlatted = try Self.isFlatted(path, stamp)
            // The places, and then two walks over the objects.
            opening.passCount = isFlatted ? 1 + 2 * JSONExport.flattedPassCount : 2
            let index =
                isFlatted ? try FlattedIndex(opening.input(), limits: limits) : nil
            let none = StudioClasses(schema, asIn: earlier)
            let raw = export(index.map { .flatted($0, none) } ?? .classes(arrayClass: ""))
            var classes = none
            _ = try raw.walk(try opening.input(weight: raw.passCount)) {
                try classes.addClass($0)
            } _: { name, members, _ in
                // The number that an unknown class has is not from the file.
                let own = index == nil ? members : Array(members.dropFirst())
                try classes.add(own, to: name)
            }
            classes.finish(hasPlaces: isFlatted)
            let linked = export(index.map { .flatted($0, classes) } ?? .studio(classes))
            let survey = try linked.survey(hasWrappers: true, schema: schema, asIn: earlier, opening)
            let (plan, description) = try PlanBuilder.build(survey, keys: .studio(classes), asIn: earlier)
            var notes = ExportNotes(survey, plan)
            notes.addStudio()
            notes.addPlan()
            if index != nil { notes.addPlaces() }
            notes.addChanges(from: earlier)
            let traits = JSONExportReader.Traits(
                hasWrappers: true,
                isFromJavaScript: true,
                handsOnMisfits: schema == nil,
                warnings: notes.warnings
            )
            return (linked, plan, description, traits)
        }
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let source = try Self(export.path, schemaPath, identity, asIn: earlier, progress)
        try ExportFile.checkUnchanged(export.path, since: export.stamp)
        return source
    }

    private static func isFlatted(_ path: String, _ stamp: ExportFile.Stamp) throws -> Bool {
        let reader = JSONReader(try FileInput(path: path, stamp: stamp))
        return try reader.next() == .beginArray
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .realmstudio
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

extension ExportNotes {
    /// Classes of a Flatted file whose objects have only their places.
    fileprivate mutating func addPlaces() {
        for classPlan in plan.classes where classPlan.key == .number {
            warn(
                .positionalKey,
                of: classPlan.model,
                "The objects of \(classPlan.className) have no key in the file; their places stand in."
            )
        }
    }
}
