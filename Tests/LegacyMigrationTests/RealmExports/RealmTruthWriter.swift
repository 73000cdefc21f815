import Foundation

/// Prints what `realm2json` would print of a Realm file, from the truth that ships beside it: an independent writer of
/// the form that realm-core's `to_json.cpp` describes.
struct RealmTruthWriter {
    enum Mode: Int, CaseIterable, Sendable { case json, extended, extendedPlus }

    struct Column {
        let name: String
        let type: Int
        let attributes: Int
        let target: String?

        var isList: Bool { attributes & 32 != 0 }
        var isDictionary: Bool { attributes & 64 != 0 }
        var isSet: Bool { attributes & 128 != 0 }
        var isOptional: Bool { attributes & 16 != 0 }
    }

    struct Table {
        let name: String
        let isEmbedded: Bool
        let primaryKey: String?
        let columns: [Column]
        var objects: [(number: Int64, values: [String: Any])] = []
        var places: [Int64: Int] = [:]

        var className: String { name.hasPrefix("class_") ? String(name.dropFirst(6)) : name }
    }

    private(set) var tables: [Table] = []

    init(truth: Data) throws {
        for line in truth.split(separator: UInt8(ascii: "\n")) {
            guard let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            else { continue }
            if let name = object["table"] as? String {
                let columns = (object["columns"] as? [[Any]] ?? [])
                    .map {
                        Column(
                            name: $0[0] as? String ?? "",
                            type: ($0[1] as? NSNumber)?.intValue ?? 0,
                            attributes: ($0[2] as? NSNumber)?.intValue ?? 0,
                            target: $0[3] as? String
                        )
                    }
                tables.append(
                    Table(
                        name: name,
                        isEmbedded: (object["type"] as? NSNumber)?.intValue == 1,
                        primaryKey: object["pk"] as? String,
                        columns: columns
                    )
                )
            } else if let name = object["t"] as? String, let number = object["k"] as? NSNumber,
                let values = object["v"] as? [String: Any],
                let place = tables.firstIndex(where: { $0.name == name })
            {
                tables[place].places[number.int64Value] = tables[place].objects.count
                tables[place].objects.append((number.int64Value, values))
            }
        }
    }

    // MARK: The schema

    /// What `--schema` prints.
    var schema: String {
        let names = [
            0: "int", 1: "bool", 2: "string", 4: "binary", 6: "mixed", 8: "timestamp", 9: "float",
            10: "double", 11: "decimal128", 15: "objectId", 17: "uuid",
        ]
        let lines = tables.map { table in
            let properties = table.columns.map { column in
                var text = "{\"name\":\"\(column.name)\""
                if let target = column.target {
                    text += ",\"type\":\"object\",\"objectType\":\"\(target)\""
                } else {
                    text += ",\"type\":\"\(names[column.type] ?? "?")\""
                }
                if column.isList { text += ",\"isArray\":true" }
                if column.isSet { text += ",\"isSet\":true" }
                if column.isDictionary { text += ",\"isMap\":true,\"keyType\":\"string\"" }
                if column.isOptional { text += ",\"isOptional\":true" }
                return text + "}"
            }
            let key = table.primaryKey.map { ",\"primaryKey\":\"\($0)\"" } ?? ""
            return "{\"name\":\"\(table.name)\"\(key),\"tableType\":"
                + "\"\(table.isEmbedded ? "Embedded" : "TopLevel")\",\"properties\":["
                + properties.joined(separator: ",") + "]}"
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }

    // MARK: The data

    /// What is printed in a mode.
    func text(_ mode: Mode) -> String {
        let parts = tables.filter { !$0.isEmbedded }
            .map { table in
                "\"\(table.className)\":[" + objects(of: table, mode).joined(separator: ",") + "]\n"
            }
        return "{\n" + parts.joined(separator: ",") + "}\n"
    }

    /// What `--filter` prints of a whole class.
    func filtered(_ className: String, _ mode: Mode) -> String {
        guard let table = tables.first(where: { $0.className == className }) else { return "" }
        return "filter 'TRUEPREDICATE' found \(table.objects.count) results\n["
            + objects(of: table, mode).joined(separator: ",") + "]"
    }

    private func objects(of table: Table, _ mode: Mode) -> [String] {
        table.objects.map { number, values in
            let hasNumber = mode == .json && table.primaryKey == nil
            return object(values, table, mode, first: hasNumber ? ["\"_key\":\(number)"] : [])
        }
    }

    private func object(
        _ values: [String: Any],
        _ table: Table,
        _ mode: Mode,
        first: [String] = []
    ) -> String {
        let members = table.columns.map { column in
            "\"\(column.name)\":" + value(values[column.name] ?? NSNull(), column, mode)
        }
        return "{" + (first + members).joined(separator: ",") + "}"
    }

    private func value(_ value: Any, _ column: Column, _ mode: Mode) -> String {
        let wraps = mode == .extendedPlus
        if let list = value as? [Any] {
            return "[" + list.map { self.value($0, column, mode) }.joined(separator: ",") + "]"
        }
        if let wrapper = value as? [String: Any] {
            if let set = wrapper["$set"] as? [Any] {
                let text =
                    "[" + set.map { self.value($0, column, mode) }.joined(separator: ",") + "]"
                return wraps ? "{ \"$set\": \(text)}" : text
            }
            if let map = wrapper["$dict"] as? [String: Any] {
                let members = map.keys.sorted()
                    .map { "\"\($0)\":" + self.value(map[$0] ?? NSNull(), column, mode) }
                let text = "{" + members.joined(separator: ",") + "}"
                return wraps ? "{ \"$dictionary\": \(text)}" : text
            }
            if let list = wrapper["$list"] as? [Any] { return self.value(list, column, mode) }
            if let target = wrapper["$link"] as? NSNumber {
                return link(column.target ?? "", target.int64Value, isTyped: false, mode)
            }
            if let typed = wrapper["$tlink"] as? [Any], let name = typed[0] as? String,
                let target = typed[1] as? NSNumber
            {
                return link(name, target.int64Value, isTyped: column.target == nil, mode)
            }
            if let embedded = wrapper["$emb"] as? [String: Any],
                let table = tables.first(where: { $0.name == column.target })
            {
                let text = object(embedded, table, mode)
                return wraps
                    ? "{ \"$embedded\": {\"table\": \"\(table.name)\", \"value\": \(text)}}" : text
            }
        }
        return scalar(value, mode)
    }

    private func link(_ name: String, _ number: Int64, isTyped: Bool, _ mode: Mode) -> String {
        guard let table = tables.first(where: { $0.name == name }) else { return "null" }
        var key = String(number)
        if let primaryKey = table.primaryKey {
            let target = table.places[number].map { table.objects[$0] }
            key = scalar(target?.values[primaryKey] ?? NSNull(), mode)
        }
        guard isTyped || mode == .extendedPlus else { return key }
        return "{ \"$link\": {\"table\": \"\(table.className)\", \"key\": \(key)}}"
    }

    private func scalar(_ value: Any, _ mode: Mode) -> String {
        let isPlain = mode == .json
        switch value {
        case is NSNull: return "null"
        case let text as String: return "\"\(Self.escaped(text))\""
        case let number as NSNumber:
            if CFBoolean.isBoolean(number) { return number.boolValue ? "true" : "false" }
            return isPlain ? "\(number.int64Value)" : "{\"$numberLong\": \"\(number.int64Value)\"}"
        case let wrapper as [String: Any]: return wrapped(wrapper, isPlain)
        default: return "null"
        }
    }

    private func wrapped(_ wrapper: [String: Any], _ isPlain: Bool) -> String {
        if let hex = wrapper["$d"] as? String, let bits = UInt64(hex, radix: 16) {
            let text = Self.scientific(Double(bitPattern: bits), digits: 16)
            return isPlain ? text : "{\"$numberDouble\": \"\(text)\"}"
        }
        if let hex = wrapper["$f"] as? String, let bits = UInt32(hex, radix: 16) {
            let text = Self.scientific(Double(Float(bitPattern: bits)), digits: 7)
            return isPlain ? text : "{\"$numberDouble\": \"\(text)\"}"
        }
        if let parts = wrapper["$ts"] as? [NSNumber] {
            let (seconds, nanoseconds) = (parts[0].int64Value, parts[1].int64Value)
            if isPlain { return "\"\(Self.date(seconds, nanoseconds))\"" }
            return "{\"$date\": {\"$numberLong\": \"\(seconds * 1000 + nanoseconds / 1_000_000)\"}}"
        }
        if let text = wrapper["$dec"] as? String {
            return isPlain ? "\"\(text)\"" : "{\"$numberDecimal\": \"\(text)\"}"
        }
        if let text = wrapper["$oid"] as? String {
            return isPlain ? "\"\(text)\"" : "{\"$oid\": \"\(text)\"}"
        }
        if let text = wrapper["$uuid"] as? String {
            if isPlain { return "\"\(text)\"" }
            let base64 = Self.data(text.replacing("-", with: "")).base64EncodedString()
            return "{\"$binary\": {\"base64\": \"\(base64)\", \"subType\": \"04\"}}"
        }
        if let hex = wrapper["$bin"] as? String {
            let base64 = Self.data(hex).base64EncodedString()
            return isPlain
                ? "\"\(base64)\""
                : "{\"$binary\": {\"base64\": \"\(base64)\", \"subType\": \"00\"}}"
        }
        return "null"
    }

    static func data(_ hex: String) -> Data {
        let digits = Array(hex)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2)
                .compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
        )
    }

    /// C++'s `std::scientific`.
    static func scientific(_ value: Double, digits: Int) -> String {
        if value.isNaN { return value.sign == .minus ? "-nan" : "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        return String(format: "%.\(digits)e", value)
    }

    static func date(_ seconds: Int64, _ nanoseconds: Int64) -> String {
        let whole = nanoseconds < 0 ? seconds - 1 : seconds
        let fraction = nanoseconds < 0 ? nanoseconds + 1_000_000_000 : nanoseconds
        let day = whole / 86_400 - (whole % 86_400 < 0 ? 1 : 0)
        let second = whole - day * 86_400
        // Howard Hinnant's civil_from_days.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        let text = String(
            format: "%@%04d-%02d-%02d %02d:%02d:%02d",
            year < 0 ? "-" : "",
            Int(year.magnitude),
            Int(month < 10 ? month + 3 : month - 9),
            Int(dayOfYear - (153 * month + 2) / 5 + 1),
            Int(second / 3600),
            Int(second % 3600 / 60),
            Int(second % 60)
        )
        return fraction == 0 ? text : text + String(format: ".%09d", fraction)
    }

    /// Only these characters are escaped.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case "\u{0C}": escaped += "\\f"
            case "\\": escaped += "\\\\"
            case "\u{08}": escaped += "\\b"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

private enum CFBoolean {
    /// Whether a number of `JSONSerialization` was `true` or `false`.
    static func isBoolean(_ number: NSNumber) -> Bool {
        let type = unsafe String(cString: number.objCType)
        return type == "c" || type == "B"
    }
}
