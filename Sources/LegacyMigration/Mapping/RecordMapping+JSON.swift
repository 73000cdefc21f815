#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RecordMapping {
    /// Reads a mapping file (Specs/format/mapping.md).
    ///
    /// ```json
    /// {"target": "music",
    ///  "classes": {
    ///    "Song": {"model": "track", "id": "uuid",
    ///             "fields": {"songName": {"to": "title", "trim": true}, "cache": null}},
    ///    "Setting": null}}
    /// ```
    ///
    /// - Throws: ``LegacyError`` with the code `malformed`, and where in the file and why.
    public init(json bytes: [UInt8]) throws(LegacyError) {
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw Self.malformed("The mapping cannot be read: \(Self.reason(error)).")
        }
        try Self.checkNames(bytes)
        target = file.target == .music ? .music : .own
        classes = [:]
        for (name, rule) in file.classes ?? [:] { classes[name] = try Self.rule(rule, name) }
    }

    private struct File: Decodable {
        enum Target: String, Decodable { case own, music }
        var target: Target?
        var classes: [String: Class?]?

        private enum CodingKeys: String, CodingKey, CaseIterable { case target, classes }

        init(from decoder: any Decoder) throws {
            try Self.refuseOthers(than: CodingKeys.self, in: decoder, "member of a mapping")
            let container = try decoder.container(keyedBy: CodingKeys.self)
            target = try container.decodeIfPresent(Target.self, forKey: .target)
            classes = try container.decodeIfPresent([String: Class?].self, forKey: .classes)
        }

        struct Class: Decodable {
            var model: String?
            var id: Identifier?
            var fields: [String: Field?]?

            private enum CodingKeys: String, CodingKey, CaseIterable { case model, id, fields }

            init(from decoder: any Decoder) throws {
                try File.refuseOthers(than: CodingKeys.self, in: decoder, "rule of a class")
                let container = try decoder.container(keyedBy: CodingKeys.self)
                model = try container.decodeIfPresent(String.self, forKey: .model)
                id = try container.decodeIfPresent(Identifier.self, forKey: .id)
                fields = try container.decodeIfPresent([String: Field?].self, forKey: .fields)
            }
        }

        /// A member that is not known is a mistake, and not a rule that need not apply.
        private static func refuseOthers<Key: CodingKey & CaseIterable & RawRepresentable<String>>(
            than keys: Key.Type,
            in decoder: any Decoder,
            _ what: String
        ) throws {
            let known = keys.allCases.map(\.rawValue)
            let names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            guard let other = names.filter({ !known.contains($0) }).min() else { return }
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "\"\(other)\" is no \(what); there are \(known.joined(separator: ", "))"
                )
            )
        }

        enum Identifier: Decodable {
            case field(String)
            case fields([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let name = try? container.decode(String.self) {
                    self = .field(name)
                } else {
                    self = .fields(try container.decode([String].self))
                }
            }
        }

        struct Field: Decodable {
            var to: String?
            var trim: Bool?
            var split: String?
            var `default`: Scalar?

            private enum CodingKeys: String, CodingKey, CaseIterable {
                case to, trim, split, `default`
            }

            init(from decoder: any Decoder) throws {
                if let name = try? decoder.singleValueContainer().decode(String.self) {
                    to = name
                    return
                }
                try File.refuseOthers(than: CodingKeys.self, in: decoder, "rule of a field")
                let container = try decoder.container(keyedBy: CodingKeys.self)
                to = try container.decodeIfPresent(String.self, forKey: .to)
                trim = try container.decodeIfPresent(Bool.self, forKey: .trim)
                split = try container.decodeIfPresent(String.self, forKey: .split)
                `default` = try container.decodeIfPresent(Scalar.self, forKey: .default)
            }
        }

        struct Scalar: Decodable {
            let value: LegacyValue

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let flag = try? container.decode(Bool.self) {
                    value = .bool(flag)
                } else if let number = try? container.decode(Int64.self) {
                    value = .integer(number)
                } else if let number = try? container.decode(Double.self) {
                    value = .double(number)
                } else {
                    value = .string(try container.decode(String.self))
                }
            }
        }

        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    private static func rule(_ file: File.Class?, _ name: String) throws(LegacyError) -> ClassRule {
        guard let file else { return ClassRule(isDropped: true) }
        var rule = ClassRule(model: file.model)
        switch file.id {
        case .field(let field): rule.identifier = .field(field)
        case .fields(let fields):
            guard !fields.isEmpty else {
                throw malformed("The id of class \(name) in the mapping names no field.")
            }
            rule.identifier = .fields(fields)
        case nil: break
        }
        for (field, entry) in file.fields ?? [:] {
            guard let entry else {
                rule.fields[field] = FieldRule(isDropped: true)
                continue
            }
            if let separator = entry.split, separator.isEmpty {
                throw malformed("The field \(name).\(field) in the mapping is split at nothing.")
            }
            rule.fields[field] = FieldRule(
                name: entry.to,
                isTrimmed: entry.trim ?? false,
                separator: entry.split,
                defaultValue: entry.default?.value
            )
        }
        return rule
    }

    /// The decoder takes one of two members that have the same name, and says nothing of the other.
    private static func checkNames(_ bytes: [UInt8]) throws(LegacyError) {
        let reader = JSONReader(MemoryInput(bytes))
        var names: [Set<String>] = []
        var repeated: String?
        do {
            repeat {
                switch try reader.next() {
                case .beginObject: names.append([])
                case .endObject: names.removeLast()
                case .name(let name):
                    if !names[names.count - 1].insert(name).inserted { repeated = name }
                default: break
                }
            } while !names.isEmpty && repeated == nil
        } catch {
            throw malformed("The mapping cannot be read: it is no JSON in UTF-8.")
        }
        guard let repeated else { return }
        throw malformed("The mapping has the member \"\(repeated)\" twice in one object.")
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        let (context, what): (DecodingError.Context, String) =
            switch error {
            case .typeMismatch(_, let context): (context, "another type is expected")
            case .valueNotFound(_, let context): (context, "a value is missing")
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (.init(codingPath: [], debugDescription: ""), "it is no JSON")
            }
        let place = context.codingPath.map(\.stringValue).joined(separator: ".")
        return place.isEmpty ? what : "\(what) at \(place)"
    }

    private static func malformed(_ message: String) -> LegacyError {
        LegacyError(
            .malformed,
            message,
            advice: "See the guide about mappings for what it may say."
        )
    }
}
