import Foundation
import Reprise

/// What a Realm file holds, as realm-core tells it: read from lines of JSON, with nothing of the reader.
struct RealmStoreTruth {
    struct Object {
        let key: Int64
        let values: [String: Any]
    }

    struct Class {
        let name: String
        /// The properties of any type.
        let mixed: Set<String>
        /// In the order of their keys.
        var objects: [Object] = []
    }

    private(set) var classes: [Class] = []

    init(path: String) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let object = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
            if let table = object["table"] as? String {
                guard table.hasPrefix("class_") else { continue }
                let columns = object["columns"] as? [[Any]] ?? []
                let mixed = columns.filter { $0[1] as? Int == 6 }.compactMap { $0[0] as? String }
                classes.append(Class(name: String(table.dropFirst(6)), mixed: Set(mixed)))
            } else if let table = object["t"] as? String, table.hasPrefix("class_"),
                let key = object["k"] as? Int64, let values = object["v"] as? [String: Any]
            {
                guard let place = classes.firstIndex(where: { "class_" + $0.name == table }) else {
                    continue
                }
                classes[place].objects.append(Object(key: key, values: values))
            }
        }
    }

    /// What in the store is not as in the file, after all of it was migrated with its own names.
    ///
    /// - Parameter names: what the objects of each class are called in the store, in the order of their keys.
    func differences(_ state: borrowing ReadTransaction, _ names: [String: [String]]) throws -> [String] {
        var ids: [String: [Int64: String]] = [:]
        var found: [String] = []
        for realmClass in classes where !realmClass.objects.isEmpty {
            let names = names[realmClass.name] ?? []
            let count = try state.records(RecordQuery(model: realmClass.name), lists: false).count
            guard count == realmClass.objects.count, count == names.count else {
                found.append("\(count) \(realmClass.name)")
                continue
            }
            for (object, name) in zip(realmClass.objects, names) {
                ids["class_" + realmClass.name, default: [:]][object.key] = name
            }
        }
        let mixed = Dictionary(uniqueKeysWithValues: classes.map { ($0.name, $0.mixed) })
        let comparison = Comparison(ids: ids, mixed: mixed)
        for realmClass in classes {
            for object in realmClass.objects {
                guard let id = ids["class_" + realmClass.name]?[object.key],
                    let record = try state.record(model: realmClass.name, id: id)
                else {
                    found.append("no \(realmClass.name) \(object.key)")
                    continue
                }
                found += try comparison.differences(object.values, record, state)
            }
        }
        return found
    }

    private struct Comparison {
        let ids: [String: [Int64: String]]
        let mixed: [String: Set<String>]

        func differences(
            _ values: [String: Any],
            _ record: Record,
            _ state: borrowing ReadTransaction
        ) throws -> [String] {
            var found: [String] = []
            for (name, wanted) in values {
                let stored: Value
                if name == "id" {
                    stored = .string(record.id)
                    // An empty text is no identifier.
                    if wanted as? String == "" { continue }
                } else if let list = record.lists.first(where: { $0.name == name }) {
                    stored = .list(list.targets.map { .reference($0) })
                } else {
                    stored = record[name]
                }
                if mixed[record.model]?.contains(name) == true {
                    let wanted = wanted is NSNull ? nil : Self.canonical(replacingLinks(wanted))
                    var text: String?
                    if case .string(let json) = stored {
                        text = Self.canonical(
                            try JSONSerialization.jsonObject(
                                with: Data(json.utf8),
                                options: .fragmentsAllowed
                            )
                        )
                    }
                    if text != wanted { found.append("\(record.id) \(name): \(text ?? "") for \(wanted ?? "")") }
                    continue
                }
                if try !isSame(wanted, stored, record, name, state) {
                    found.append("\(record.model) \(record.id) \(name): \(stored) for \(wanted)")
                }
            }
            return found
        }

        private static func canonical(_ object: Any) -> String {
            let data = try? JSONSerialization.data(
                withJSONObject: object,
                options: [.sortedKeys, .fragmentsAllowed]
            )
            return String(decoding: data ?? Data(), as: UTF8.self)
        }

        private func replacingLinks(_ object: Any) -> Any {
            if let list = object as? [Any] { return list.map(replacingLinks) }
            guard let members = object as? [String: Any] else { return object }
            if let link = members["$tlink"] as? [Any], let table = link.first as? String,
                let key = link.last as? Int64
            {
                return ["$link": [String(table.dropFirst(6)), ids[table]?[key] ?? ""]]
            }
            return members.mapValues(replacingLinks)
        }

        private func isSame(
            _ wanted: Any,
            _ stored: Value,
            _ record: Record,
            _ name: String,
            _ state: borrowing ReadTransaction
        ) throws -> Bool {
            if wanted is NSNull { return stored.isNull || stored == .list([]) }
            if var list = wanted as? [Any] {
                // What a decimal cannot hold is left out of a list, or is nothing where that may be in it.
                if case .list(let values) = stored, values.count < list.count {
                    list.removeAll { Self.isUnfitDecimal($0) }
                }
                guard case .list(let values) = stored, values.count == list.count else { return false }
                for (wanted, stored) in zip(list, values)
                where try !isSame(wanted, stored, record, name, state) {
                    return false
                }
                return true
            }
            if let tagged = wanted as? [String: Any] {
                return try isSame(tagged, stored, record, name, state)
            }
            return switch stored {
            case .bool(let value): wanted as? Bool == value
            case .int(let value): wanted as? Int == value
            case .string(let value): (wanted as? String)?.utf8.elementsEqual(value.utf8) ?? false
            default: false
            }
        }

        private func isSame(
            _ tagged: [String: Any],
            _ stored: Value,
            _ record: Record,
            _ name: String,
            _ state: borrowing ReadTransaction
        ) throws -> Bool {
            guard let (tag, content) = tagged.first else { return false }
            switch (tag, stored) {
            case ("$bin", .data(let data)): return content as? String == Self.text(data)
            case ("$f", .float(let value)):
                return UInt32(content as? String ?? "", radix: 16) == value.bitPattern
            case ("$d", .double(let value)):
                return UInt64(content as? String ?? "", radix: 16) == value.bitPattern
            case ("$ts", .date(let date)):
                let parts = content as? [Int64] ?? []
                guard parts.count == 2 else { return false }
                let seconds =
                    Double(parts[0].subtractingReportingOverflow(978_307_200).partialValue)
                    + Double(parts[1]) / 1_000_000_000
                return abs(seconds - date.timeIntervalSinceReferenceDate)
                    <= max(1e-6, abs(seconds) * 1e-15)
            case ("$dec", .decimal(let value)):
                if value.isNaN { return content as? String == "NaN" }
                return Decimal(string: content as? String ?? "") == value
            // What a decimal cannot hold is left out.
            case ("$dec", .null): return !Self.fits(content as? String ?? "")
            case ("$oid", .string(let text)): return content as? String == text
            case ("$uuid", .uuid(let uuid)):
                return content as? String == uuid.uuidString.lowercased()
            case ("$set", .list(let values)):
                let keys = (content as? [[String: Int64]] ?? []).compactMap { $0["$link"] }
                let targets = values.map { value in
                    if case .reference(let id) = value { id } else { "" }
                }
                return keys.count == targets.count
                    && ids.values.contains { known in
                        Set(keys.compactMap { known[$0] }) == Set(targets)
                    }
            case ("$set", .set(let values)):
                var left = content as? [Any] ?? []
                for value in values {
                    let place = try left.firstIndex {
                        try isSame($0, value, record, name, state)
                    }
                    guard let place else { return false }
                    left.remove(at: place)
                }
                return left.allSatisfy { Self.isUnfitDecimal($0) }
            case ("$dict", .map(let entries)):
                let wanted = content as? [String: Any] ?? [:]
                let names = entries.map(\.name)
                for (key, value) in wanted {
                    guard let place = names.firstIndex(of: key) else {
                        if Self.isUnfitDecimal(value) { continue }
                        return false
                    }
                    if try !isSame(value, entries[place].value, record, name, state) { return false }
                }
                return names.allSatisfy { wanted[$0] != nil }
            case ("$link", .reference(let id)):
                let key = content as? Int64 ?? -1
                return ids.values.contains { $0[key] == id }
            case ("$tlink", .string(let id)), ("$tlink", .reference(let id)):
                let link = content as? [Any] ?? []
                return ids[link.first as? String ?? ""]?[link.last as? Int64 ?? -1] == id
            case ("$emb", .reference(let id)), ("$emb", .string(let id)):
                guard let values = content as? [String: Any] else { return false }
                for model in state.schema.models {
                    guard let part = try state.record(model: model.name, id: id) else { continue }
                    return try differences(values, part, state).isEmpty
                }
                return false
            default: return false
            }
        }

        private static func isUnfitDecimal(_ value: Any) -> Bool {
            ((value as? [String: Any])?["$dec"] as? String).map { !fits($0) } ?? false
        }

        /// Whether a `Decimal` of Foundation holds a number: 38 digits, exponents from -128 to 127, no minus zero.
        private static func fits(_ text: String) -> Bool {
            let parts = text.split(separator: "E")
            guard parts.count == 2, let exponent = Int(parts[1]) else { return text == "NaN" }
            let digits = parts[0].drop { $0 == "-" }
            let zeros = digits.reversed().prefix { $0 == "0" }.count
            if zeros == digits.count { return !text.hasPrefix("-") }
            let power = exponent + zeros
            let room = 38 - (digits.count - zeros)
            return power >= -128 && power <= 127 + room
        }

        private static func text(_ data: Data) -> String {
            guard data.count > 1 << 20 else {
                return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            }
            var hash: UInt64 = 1_469_598_103_934_665_603
            for byte in data { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            let digits = String(hash, radix: 16)
            return "fnv1a64:" + String(repeating: "0", count: 16 - digits.count) + digits
                + ":\(data.count)"
        }
    }
}
