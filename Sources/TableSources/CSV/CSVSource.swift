public import ExportFormats
public import LegacyRecords
package import MusicVocabulary
public import Reprise

/// A table of separated values: CSV as in RFC 4180, with commas, semicolons, tabs or bars.
///
/// It is read as its byte order mark says, else as UTF-8 where it is UTF-8, else by the letters that its bytes give
/// (`guessedEncoding`): Windows-1252, ISO-8859-15, Windows-1251, Shift-JIS or GBK.
///
/// The first row names the columns. Rows above it with one field at most, where most rows have more than one, are left
/// out, and a first row with a number or a date in a column of numbers or dates is no header: then the columns are
/// called `column1`, `column2` and so on (`guessedHeader`). Each further row is a record of one model, named as the
/// file without its extension. A column is whole numbers, numbers or truth values where each of its texts could be
/// written again from the value exactly; otherwise, as with `007` and `1.50`, it is text. In a newer export it stays
/// what it was: a column of texts holds anything, and where values do not fit another type it gets a wider one. A
/// field that is empty without quotes has no value, and a column without values is text. Rows with too few fields lack
/// the last ones, those with too many lose them, each with a warning (`raggedRow`).
///
/// The key is the column named `id`, `_id`, `uuid`, `identifier` or `key`, whatever the case of the letters: the first
/// of these that tells more than half of the rows apart (`key`: all of them). Where none does, it is the first column,
/// if the last word of its title is `id`, as in `Book Id`, and each row has its own. In a newer export it is the same
/// column, if the export still has it. A row with the
/// key of an earlier one has `-2`, `-3` and so on after it (`duplicateKey`); the column is an attribute too, then, but
/// in a newer export as before. Rows without a key there (`missingKey`), and all where no column holds keys
/// (`positionalKey`), are named by their content: 16 upper-case hexadecimal digits, the first 8 bytes of a content key
/// of `reprise row` and the names and values of the columns, ordered by name; the second and later rows of the same
/// content have `-2`, `-3` and so on after it. So a row that is put in between others leaves their keys as they are,
/// and a row of which a value was changed is another one.
///
/// The delimiter is what a first line `sep=;` says; otherwise that of comma, semicolon, tab and bar by which most of
/// the first rows have as many fields as the titles.
///
/// Memory: the longest row, a few hundred bytes a column, and sixteen bytes a row for each column with such a name, up
/// to 128 MiB; what is beyond them is put into a temporary file.
public struct CSVSource: DetailedSource, InterpretingSource {
    /// The kind of the identity of every such file.
    public static let kind = "csv"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public let schema: SchemaDescription
    public var infersTypes: Bool { true }
    public let interpretation: SourceInterpretation

    package let path: String
    package let stamp: ExportFile.Stamp
    let layout: CSVReader.Layout
    private let encoding: TextEncoding
    private let encodingNote: LegacyWarning?
    let model: String
    package private(set) var columns: [Column]
    let keyPlace: Int?
    /// Where a row is told by another column than in an earlier export.
    let changedKey: LegacyWarning?
    let rowCount: Int
    /// What the columns say where the rows are tracks of playlists; nil where they are records.
    package let trackColumns: TrackColumns?
    public let millisecondFields: [String: Set<String>]
    public let widenedFields: [String: Set<String>]
    /// What became of titles that cannot be typed everywhere.
    private let notes: [LegacyWarning]
    /// The columns ordered by their titles: where a newer export puts them makes no difference.
    let keyOrder: [Int]

    /// What a column becomes.
    package struct Column: Sendable {
        package let title: String
        let name: String
        let type: ScalarType
        /// Whether its numbers are milliseconds, by their values: asked only where it is called after durations.
        var isMilliseconds = false
    }

    /// Opens a file and reads it once, to find out what its columns hold.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        name: String? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        let fileName = SourceFile.name(of: path)
        let identity = SourceIdentity(kind: Self.kind, name: name, fileName: fileName)
        try self.init(path, identity, asIn: SourceInterpretation(), progress)
    }

    private init(
        _ path: String,
        _ identity: SourceIdentity,
        asIn earlier: SourceInterpretation,
        _ progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) {
        self.identity = identity
        self.path = path
        let opened = try SourceFile.open(path, progress) { opening in
            // The encoding, and then the values.
            opening.passCount = 2
            let (encoding, note) = try EncodingSurvey.find(opening.input())
            let start = try FileInput(path: path, stamp: opening.stamp)
            let layout = try CSVReader.layout(of: DecodedInput(start, encoding), asIn: earlier.titles)
            let input = try opening.input()
            let reader = CSVReader(DecodedInput(input, encoding), layout)
            guard let header = try reader.head()?.titles else {
                throw LegacyError(
                    .empty,
                    "The file holds nothing.",
                    advice: "Export the table again, with a row of names."
                )
            }
            var survey = CSVSurvey(header: header, RecordMemory())
            while let row = try reader.next() { try survey.add(row) }
            try input.checkUnchanged()
            var builder = LegacySchemaBuilder()
            let keyPlace = survey.keyPlace(asIn: earlier[TextChoice.key]) ?? survey.keyPlace
            let choices = Self.choices(of: survey, keyPlace, asIn: earlier)
            let onlyKey = choices.firstIndex(of: nil)
            let titles = survey.columns.enumerated().filter { $0.offset != onlyKey }
            let model = builder.addModel(
                SourceFile.stem(of: path),
                properties: titles.map(\.element.name)
            )
            var columns: [Column] = []
            for (type, column) in zip(choices, survey.columns) {
                guard let type else {
                    columns.append(Column(title: column.name, name: "", type: .string))
                    continue
                }
                let isOptional = column.valueCount < survey.rowCount || survey.rowCount == 0
                let name = builder.addAttribute(
                    column.name,
                    type.valueType,
                    isOptional: isOptional,
                    to: model
                )
                let isDuration = DurationUnit.names.contains(PropertyName.normalized(column.name))
                let isLarge = isDuration && column.isMostlyLarge
                columns.append(
                    Column(title: column.name, name: name, type: type, isMilliseconds: isLarge)
                )
            }
            let schema = try builder.build()
            let modelName = builder.name(of: model)
            let table = (layout, modelName, columns, keyPlace, survey.rowCount, schema, builder.notes)
            return (stamp: input.stamp, encoding: (encoding, note.map { LegacyWarning($0) }), table: table)
        }
        stamp = opened.stamp
        (encoding, encodingNote) = opened.encoding
        (layout, model, columns, keyPlace, rowCount, schema, notes) = opened.table
        let titles = columns.map(\.title)
        let earlierTypes = TextChoice.types(of: titles).map { earlier[$0] }
        for (place, choice) in earlierTypes.enumerated() where choice != nil {
            columns[place].isMilliseconds = choice?.dropFirst() == [TextChoice.milliseconds]
        }
        let isCalledTracks = MusicModel(className: SourceFile.stem(of: path)) == .track
        let isList =
            earlier[TextChoice.key].map { $0 == [TextChoice.playlist] }
            ?? (keyPlace == nil && !isCalledTracks)
        trackColumns =
            isList ? TrackColumns(titles: titles) { [columns] in columns[$0].isMilliseconds } : nil
        millisecondFields = [model: Set(columns.filter(\.isMilliseconds).map(\.name))]
        let widened = zip(columns, earlierTypes).filter { Self.isWidened($0, since: $1) }
        widenedFields = widened.isEmpty ? [:] : [model: Set(widened.map(\.0.name))]
        keyOrder = titles.indices.sorted { (titles[$0], $0) < (titles[$1], $1) }
        let choice =
            trackColumns == nil
            ? TextChoice.choice(keyPlace.map { titles[$0] }) : [TextChoice.playlist]
        var interpretation = Self.interpretation(
            of: columns,
            key: rowCount == 0 ? nil : choice,
            asIn: earlier
        )
        interpretation[TextChoice.header] = layout.header.choice
        interpretation.add(earlier)
        self.interpretation = interpretation
        let earlierKey = TextChoice.member(of: earlier[TextChoice.key])
        let isSame = keyPlace.map { titles[$0].lowercased() == earlierKey?.lowercased() } ?? false
        changedKey =
            isSame ? nil : TextChoice.warning(from: earlier[TextChoice.key], to: choice, of: model, model: model)
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let source = try Self(path, identity, asIn: earlier, progress)
        try ExportFile.checkUnchanged(path, since: stamp)
        return source
    }

    /// Whether a file that begins with `prefix` can only be a table. Others may be one, too:
    /// ``TextFormat/detect(prefix:fileName:)`` goes by the file's name, then.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .csv
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try SourceFile.read(path, in: stamp, consume) { input, report in
            let reader = try reader(of: input, report)
            if keyPlace == nil, rowCount > 0 {
                let message =
                    "The \(rowCount) rows have no column of keys; their content stands in, and a value that changes "
                    + "makes a row another record."
                try report.warn(LegacyWarning(kind: .positionalKey, message: message, of: model))
            }
            for note in notes { try report.warn(note) }
            if let changedKey { try report.warn(changedKey) }
            let registry = KeyRegistry(in: RecordMemory())
            while let row = try reader.next() {
                try emit(row, line: reader.line, report, registry)
            }
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }

    private func emit(
        _ row: [CSVReader.Field],
        line: Int,
        _ report: LibraryReport,
        _ registry: KeyRegistry
    ) throws {
        try checkWidth(of: row, line: line, report)
        var fields: [LegacyField] = []
        for (column, field) in zip(columns, row) where !column.name.isEmpty {
            guard field.isQuoted || !field.text.isEmpty else { continue }
            fields.append(LegacyField(column.name, Self.value(field.text, column.type)))
        }
        let own = keyPlace.flatMap { $0 < row.count ? row[$0].text : nil }
        let usable = own.flatMap { KeyRegistry.isUsable($0) ? $0 : nil }
        let key = usable ?? contentKey(row)
        let (claimed, isRepeated) = try registry.claim(RecordKey(key))
        if keyPlace != nil, usable == nil {
            try report.warn(.missingKey) {
                "The row before line \(line) has no key that an identifier can be; it gets \(claimed.text)."
            }
        } else if usable != nil, isRepeated {
            try report.warn(.duplicateKey) {
                "The row before line \(line) repeats the key \(LibraryReport.quoted(key)); it gets \(claimed.text)."
            }
        }
        try report.emit(LegacyRecord(className: model, key: claimed.text, fields: fields))
    }

    /// What gives the rows below the titles. What was understood of the file as a whole is said first.
    package func reader(of input: FileInput, _ report: LibraryReport) throws -> CSVReader {
        let reader = CSVReader(DecodedInput(input, encoding), layout)
        let above = try reader.head()?.above ?? []
        for note in [encodingNote, layout.header.note(above)] {
            if let note { try report.warn(note) }
        }
        return reader
    }

    /// Says of a row that it has more or fewer fields than there are columns.
    package func checkWidth(of row: [CSVReader.Field], line: Int, _ report: LibraryReport) throws {
        guard row.count != columns.count else { return }
        try report.warn(.raggedRow) {
            "The row before line \(line) has \(row.count) fields instead of \(columns.count); "
                + (row.count < columns.count
                    ? "the last ones are missing." : "the last ones were left out.")
        }
    }

    /// A text that is not of the column's type, as may be where an earlier export has said which it is, stays one:
    /// whoever has no place for it there leaves it out.
    private static func value(_ text: String, _ type: ScalarType) -> LegacyValue {
        let value: LegacyValue? =
            switch type {
            case .bool: CanonicalText.bool(text).map { .bool($0) }
            case .int: CanonicalText.integer(text).map { .integer($0) }
            case .double: CanonicalText.doubleWithZeros(text).map { .double($0) }
            default: nil
            }
        return value ?? .string(text)
    }

    private func contentKey(_ row: [CSVReader.Field]) -> String {
        var content: [String?] = ["reprise row"]
        for place in keyOrder {
            let field = place < row.count ? row[place] : CSVReader.Field(text: "", isQuoted: false)
            content.append(columns[place].title)
            content.append(field.text.isEmpty && !field.isQuoted ? nil : field.text)
        }
        return ContentKey(content).text.prefix(16).uppercased()
    }
}
