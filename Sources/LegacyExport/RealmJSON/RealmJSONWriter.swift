import ExportFormats
import LegacyRecords
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes records as objects of Realm.
struct RealmJSONWriter {
    /// The most digits of a decimal in Realm, IEEE 754's decimal128.
    private static let decimalDigitCountMax = 34

    var buffer = JSONBuffer()
    var ledger: ExportLedger
    let plan: RealmJSONPlan
    // Where the value in hand is, for warnings.
    private var model = ""
    private var id = ""
    private var property = ""

    init(_ plan: RealmJSONPlan, _ ledger: ExportLedger) {
        self.plan = plan
        self.ledger = ledger
    }

    private mutating func warn(_ kind: LegacyWarning.Kind, _ what: @autoclosure () -> String) {
        let (model, id, property) = (model, id, property)
        ledger.warn(kind, "\(model) \(LibraryReport.quoted(id)): its \(property) \(what())")
    }

    // MARK: Objects

    /// Appends a record as an object of the class at an index.
    mutating func append(_ record: Record, _ index: Int) {
        (model, id) = (record.model, record.id)
        var value = 0
        buffer.append("{")
        for (place, property) in plan.classes[index].properties.enumerated() {
            if place > 0 { buffer.append(",") }
            buffer.append(quoted: property.name)
            buffer.append(":")
            self.property = property.name
            switch property.kind {
            case .identifier:
                if !KeyRegistry.isUsable(id) {
                    warn(
                        .unusualKey,
                        "is empty or too long for a migration, which will make another one."
                    )
                }
                buffer.append(quoted: record.id)
            case .links: append(record.lists.first { $0.name == property.name }?.targets ?? [])
            default:
                if value < record.values.count, record.values[value].name == property.name {
                    append(record.values[value].value, property.kind)
                    value += 1
                } else {
                    append(.null, property.kind)
                }
            }
        }
        buffer.append("}")
    }

    private mutating func append(_ targets: [String]) {
        buffer.append("[")
        for (place, target) in targets.enumerated() {
            if place > 0 { buffer.append(",") }
            buffer.append(quoted: target)
        }
        buffer.append("]")
    }

    private mutating func append(_ fields: [Value.Entry], embedded index: Int) {
        let outer = property
        buffer.append("{")
        for (place, property) in plan.classes[index].properties.enumerated() {
            if place > 0 { buffer.append(",") }
            buffer.append(quoted: property.name)
            buffer.append(":")
            self.property = "\(outer).\(property.name)"
            append(fields.first { $0.name == property.name }?.value ?? .null, property.kind)
        }
        buffer.append("}")
        property = outer
    }

    // MARK: Values

    private mutating func append(_ value: Value, _ kind: RealmJSONPlan.Kind) {
        switch (kind, value) {
        case (.list, .null), (.set, .null), (.map, .null), (.embeddedList, .null):
            warn(.nilCollection, "is nil; in Realm it would be empty.")
            buffer.append("null")
        case (.embedded(let index), .embedded(let fields)): append(fields, embedded: index)
        case (.embeddedList(let index), .list(let elements)):
            buffer.append("[")
            for (place, element) in elements.enumerated() {
                if place > 0 { buffer.append(",") }
                if case .embedded(let fields) = element {
                    append(fields, embedded: index)
                } else {
                    buffer.append("null")
                }
            }
            buffer.append("]")
        case (.map, .map(let entries)):
            for entry in entries where entry.name.hasPrefix("$") || entry.name.contains(".") {
                warn(
                    .unusualMapKey,
                    "has the key \(LibraryReport.quoted(entry.name)), which Realm does not allow."
                )
            }
            // An object with one such name would be a wrapper.
            let needsWrapper = entries.count == 1 && entries[0].name.hasPrefix("$")
            if needsWrapper { buffer.append("{\"$dictionary\":") }
            append(plain: value)
            if needsWrapper { buffer.append("}") }
        default: append(plain: value)
        }
    }

    private mutating func append(plain value: Value) {
        switch value {
        case .null: buffer.append("null")
        case .bool(let value): buffer.append(value ? "true" : "false")
        case .int(let value): buffer.append(raw: String(value))
        case .double(let value):
            append(value, isUsualNaN: value.bitPattern == Double.nan.bitPattern)
        case .float(let value):
            // With the digits of a Double, which a reader that rounds twice reads exactly.
            append(Double(value), isUsualNaN: value.bitPattern == Float.nan.bitPattern)
        case .string(let value), .reference(let value): buffer.append(quoted: value)
        case .data(let value): buffer.append(value)
        case .date(let value): append(value)
        case .uuid(let value): buffer.append(quoted: value.uuidString.lowercased())
        case .decimal(let value): append(value)
        case .list(let elements), .set(let elements):
            buffer.append("[")
            for (place, element) in elements.enumerated() {
                if place > 0 { buffer.append(",") }
                append(plain: element)
            }
            buffer.append("]")
        case .map(let entries), .embedded(let entries):
            buffer.append("{")
            for (place, entry) in entries.enumerated() {
                if place > 0 { buffer.append(",") }
                buffer.append(quoted: entry.name)
                buffer.append(":")
                append(plain: entry.value)
            }
            buffer.append("}")
        }
    }

    private mutating func append(_ number: Double, isUsualNaN: Bool) {
        guard number.isNaN else { return buffer.append(raw: number.description) }
        if !isUsualNaN { warn(.lostNaN, "is one of many NaNs, of which the format has one.") }
        buffer.append("nan")
    }

    private mutating func append(_ date: Date) {
        guard let form = ExportText.date(date, .nineOrNone) else {
            warn(.unusualDate, "is no date, or too far away; it is written as null.")
            return buffer.append("null")
        }
        if form.isRounded { warn(.roundedDate, "is rounded to the nanosecond.") }
        buffer.append(quoted: form.text)
    }

    private mutating func append(_ decimal: Decimal) {
        let text = decimal.description
        if ExportText.significantDigitCount(text) > Self.decimalDigitCountMax {
            warn(
                .longDecimal,
                "has more than \(Self.decimalDigitCountMax) digits, which Realm would round."
            )
        }
        buffer.append(quoted: text)
    }
}
