public import Reprise

/// Writes a state as `realm2json` of realm-core prints a Realm file in its output mode 0 (`src/realm/to_json.cpp`), for
/// any schema: `{"Class":[objects…], …}`, one line a class.
///
/// Classes come in the order of the schema, objects in that of their identifiers, properties as they were declared:
/// equal states give equal bytes. Every object has its identifier as the text `id`, the primary key. What was deleted,
/// and the history, are not in it.
///
/// * **To-ones** are links: the target's identifier, or null. **To-many relationships** are lists of links, in order
///   and with repeats; so are the named other sides of to-ones, whose order Realm's own inverse links do not have. The
///   derived other side of a list is left out: it follows from the list.
/// * **Dates** are `yyyy-MM-dd HH:mm:ss` in UTC and nine digits of a second's fraction, where there is one. **Data** is
///   Base64, **UUIDs** are in small letters, **decimals** texts. **Numbers** have the fewest digits that read back as
///   the same number, where `realm2json` prints seventeen, and eight of a 32-bit number; `nan`, `inf` and `-inf` stand
///   bare, as there. Control characters in texts are escaped, which `realm2json` leaves bare.
///
/// The types are not in this text: they are in ``schemaText(of:)``, which is to stand beside it. ``Realm2JSONSource``
/// reads both back, with equal values, lists and orders. What Realm's form cannot say is written in the nearest way and
/// counted as a warning:
/// * A struct is an embedded object, in lists too; it is read back as a record that its owner holds (`embeddedStruct`).
/// * Collections of collections, of structs that may be nil, sets and maps of structs are values of any type, and read
///   back as JSON text (`keptAsMixed`).
/// * A list, set or map that is nil is null; in Realm it would be empty (`nilCollection`). Elements may be nil.
/// * There is one NaN (`lostNaN`). Dates are told to the nanosecond (`roundedDate`); one that is none or 300 million
///   years away is null (`unusualDate`). Realm itself would round decimals of more than 34 digits (`longDecimal`).
/// * What becomes of others when something is deleted, and that a value is unique, is lost (`lostRule`), without a
///   warning also indexes over several attributes and of searched words.
/// * Realm allows names of 57 and 63 bytes (`unusualName`), and no map keys with a point or a dollar in front
///   (`unusualMapKey`). Migrations make another key of an identifier that is empty or longer than 200 bytes
///   (`unusualKey`).
///
/// Memory: the largest record, and 64 kilobytes.
public struct RealmJSONExport: Sendable {
    /// An export in this form.
    public init() {}

    /// Writes a state.
    ///
    /// - Parameters:
    ///   - state: what is read.
    ///   - sink: takes the next bytes, about 64 kilobytes at a time. What it throws ends the export.
    ///   - progress: called about every thousand rows. What it throws ends the export.
    /// - Returns: what was written.
    /// - Throws: what reading throws, such as `StoreError`; what `sink` and `progress` throw.
    /// - Complexity: O(rows).
    public func write<State: StateReading & ~Copyable>(
        _ state: borrowing State,
        to sink: ([UInt8]) throws -> Void,
        progress: (ExportProgress) throws -> Void = { _ in }
    ) throws -> ExportReport {
        let schema = state.schema
        var ledger = ExportLedger(rowCount: state.counts.reduce(0) { $0 + UInt64($1.count) })
        let plan = RealmJSONPlan(schema, &ledger)
        var writer = RealmJSONWriter(plan, ledger)
        writer.buffer.append("{\n")
        for (index, model) in schema.models.enumerated() {
            if index > 0 { writer.buffer.append(",") }
            writer.buffer.append(quoted: model.name)
            writer.buffer.append(":[")
            var isFirst = true
            try state.forEachRecord(RecordQuery(model: model.name)) { record in
                if !isFirst { writer.buffer.append(",") }
                isFirst = false
                writer.append(record, index)
                try writer.buffer.flush(to: sink)
                try writer.ledger.addRow(progress)
                return true
            }
            writer.buffer.append("]\n")
            writer.ledger.end(model.name)
        }
        writer.buffer.append("}\n")
        try writer.buffer.flush(to: sink, atLeast: 1)
        try writer.ledger.tell(progress)
        return writer.ledger.report
    }

    /// What `realm2json --schema` would print beside an export: the types, lists, links and primary keys.
    ///
    /// - Parameter schema: the schema of the state that is exported.
    /// - Complexity: O(size of the schema).
    public static func schemaText(of schema: SchemaDescription) -> String {
        var ledger = ExportLedger(rowCount: 0)
        return RealmJSONPlan(schema, &ledger).schemaText
    }
}
