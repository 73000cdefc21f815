import ExportFormats
import LegacyRecords
import Reprise
import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the values of a table's row out of a record.
struct SQLiteRowWriter {
    var ledger: ExportLedger
    // Where the value in hand is, for warnings.
    private var model = ""
    private var id = ""
    private var attribute = ""
    private var buffer = JSONBuffer()

    init(_ ledger: ExportLedger) {
        self.ledger = ledger
    }

    /// The values of all columns but the positions.
    mutating func row(of record: Record, _ table: SQLiteExportPlan.Table) -> [SQLiteValue] {
        (model, id) = (record.model, record.id)
        var place = 0
        return table.columns.compactMap { column in
            switch column.content {
            case .identifier: return .text(record.id)
            case .position: return nil
            case .attribute(let name, _):
                guard place < record.values.count, record.values[place].name == name else {
                    return .null
                }
                attribute = name
                place += 1
                return value(record.values[place - 1].value)
            }
        }
    }

    private mutating func warn(_ kind: LegacyWarning.Kind, _ what: @autoclosure () -> String) {
        let (model, id, attribute) = (model, id, attribute)
        ledger.warn(kind, "\(model) \(LibraryReport.quoted(id)): its \(attribute) \(what())")
    }

    // MARK: Values

    private mutating func value(_ value: Value) -> SQLiteValue {
        switch value {
        case .null: return .null
        case .bool(let value): return .integer(value ? 1 : 0)
        case .int(let value): return .integer(Int64(value))
        case .double(let value): return number(value)
        case .float(let value): return number(Double(value))
        case .string(let value), .reference(let value): return .text(value)
        case .data(let value): return .blob(Array(value))
        case .date(let value): return date(value).map(SQLiteValue.text) ?? .null
        case .uuid(let value): return .text(value.uuidString.lowercased())
        case .decimal(let value): return .text(value.description)
        case .list, .set, .map, .embedded:
            appendJSON(value)
            return .text(buffer.take())
        }
    }

    private mutating func number(_ number: Double) -> SQLiteValue {
        if number == 0, number.sign == .minus {
            warn(.lostSign, "is -0, which SQLite stores as 0.")
        }
        guard number.isNaN else { return .real(number) }
        warn(.lostNaN, "is no number, for which SQLite has no value; it is NULL.")
        return .null
    }

    private mutating func date(_ date: Date) -> String? {
        guard let form = ExportText.date(date, .threeOrMore) else {
            warn(.unusualDate, "is no date, or too far away; it is left out.")
            return nil
        }
        if form.isRounded { warn(.roundedDate, "is rounded to the nanosecond.") }
        if !form.isUsual {
            warn(.unusualDate, "is not within the years 0 to 9999; others may not read it.")
        }
        return form.text
    }

    // MARK: JSON

    private mutating func appendJSON(_ value: Value) {
        switch value {
        case .null: buffer.append("null")
        case .bool(let value): buffer.append(value ? "true" : "false")
        case .int(let value): buffer.append(raw: String(value))
        case .double(let value): appendJSON(value)
        case .float(let value): appendJSON(Double(value))
        case .string(let value), .reference(let value): buffer.append(quoted: value)
        case .data(let value): buffer.append(value)
        case .date(let value):
            if let text = date(value) { buffer.append(quoted: text) } else { buffer.append("null") }
        case .uuid(let value): buffer.append(quoted: value.uuidString.lowercased())
        case .decimal(let value): buffer.append(quoted: value.description)
        case .list(let elements), .set(let elements):
            buffer.append("[")
            for (place, element) in elements.enumerated() {
                if place > 0 { buffer.append(",") }
                appendJSON(element)
            }
            buffer.append("]")
        case .map(let entries): appendJSON(entries)
        case .embedded(let fields): appendJSON(fields.filter { !$0.value.isNull })
        }
    }

    private mutating func appendJSON(_ entries: [Value.Entry]) {
        buffer.append("{")
        for (place, entry) in entries.enumerated() {
            if place > 0 { buffer.append(",") }
            buffer.append(quoted: entry.name)
            buffer.append(":")
            appendJSON(entry.value)
        }
        buffer.append("}")
    }

    private mutating func appendJSON(_ number: Double) {
        if number.isFinite {
            buffer.append(raw: number.description)
        } else {
            buffer.append(quoted: number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
        }
    }
}
