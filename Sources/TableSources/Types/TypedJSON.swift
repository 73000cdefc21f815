import ExportFormats
import LegacyRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a JSON value is, with the wrappers of MongoDB's Extended JSON v2 (its specification's canonical and relaxed
/// form, https://github.com/mongodb/specifications, `extended-json`) and those that `realm2json` adds (realm-core,
/// `to_json.cpp`) taken off.
enum TypedJSON {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// A number that neither fits 64 bits nor is near a finite Double.
    case unusualNumber(String)
    case string(String)
    case data(Data)
    /// Milliseconds since 1970.
    case date(milliseconds: Int64)
    case uuid(UUID)
    case decimal(String)
    /// 24 hexadecimal digits in lower case.
    case objectID(String)
    /// A link and the value that names its target: the primary key or, for a class without one, the object's number.
    case link(table: String, key: JSONValue)
    /// An object inside its owner; the class where the file names it.
    case object([JSONMember], className: String?)
    case list([JSONValue])
    case set([JSONValue])
    case dictionary([JSONMember])

    /// - Parameter hasWrappers: whether objects such as `{"$date": …}` mean something.
    init(_ value: JSONValue, hasWrappers: Bool) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = Self.number(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .list(elements)
        case .object(let members):
            self =
                (hasWrappers ? Self.unwrapped(members) : nil) ?? .object(members, className: nil)
        }
    }

    private static func number(_ number: JSONNumber) -> TypedJSON {
        if let integer = number.integer { return .integer(integer) }
        if let double = number.double, !number.isWhole { return .double(double) }
        return .unusualNumber(number.text)
    }

    private static func unwrapped(_ members: [JSONMember]) -> TypedJSON? {
        // Up to version 13 links are marked without a wrapper too, with the table's whole name. Without `class_` before
        // it, it is an object that has such properties.
        if members.count == 2, members[0].name == "table",
            case .string(let table) = members[0].value, RealmSchemaFile.isOfClass(table)
        {
            return marked(table, members[1])
        }
        guard members.count == 1, let member = members.first, member.name.hasPrefix("$") else {
            return nil
        }
        switch (member.name, member.value) {
        case ("$numberLong", .string(let text)), ("$numberInt", .string(let text)):
            return Int64(text).map { .integer($0) }
        case ("$numberDouble", .string(let text)):
            return (JSONNumber(word: text) ?? JSONNumber(text: text)).double.map { .double($0) }
        case ("$numberDecimal", .string(let text)): return .decimal(text)
        case ("$oid", .string(let text)):
            return text.utf8.count == 24 && text.utf8.allSatisfy(\.isHexadecimalDigit)
                ? .objectID(text.lowercased()) : nil
        case ("$uuid", .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
        case ("$date", .object(let date)):
            guard case .integer(let count)? = unwrapped(date) else { return nil }
            return .date(milliseconds: count)
        case ("$date", .string(let text)):
            guard let instant = DateText.instant(text) else { return nil }
            return .date(milliseconds: instant.seconds * 1000 + instant.nanoseconds / 1_000_000)
        case ("$date", .number(let number)): return number.integer.map { .date(milliseconds: $0) }
        case ("$binary", .object(let binary)): return Self.binary(binary)
        case ("$link", .object(let link)):
            guard case .string(let table)? = link["table"], let key = link["key"] else {
                return nil
            }
            return .link(table: RealmSchemaFile.className(table), key: key)
        case ("$linkList", .object(let list)), ("$linkSet", .object(let list)),
            ("$embeddedList", .object(let list)), ("$linkDictionary", .object(let list)),
            ("$embeddedDictionary", .object(let list)):
            guard list.count == 2, case .string(let table)? = list["table"] else { return nil }
            return marked(table, list[1])
        case ("$embedded", .object(let embedded)), ("$embeddedObj", .object(let embedded)):
            guard case .string(let table)? = embedded["table"],
                case .object(let value)? = embedded["value"]
            else { return nil }
            return .object(value, className: RealmSchemaFile.className(table))
        case ("$set", .array(let elements)): return .set(elements)
        case ("$dictionary", .object(let members)): return .dictionary(members)
        default: return nil
        }
    }

    /// What stands beside the name of a class: one key, several, or objects inside their owner.
    private static func marked(_ table: String, _ member: JSONMember) -> TypedJSON? {
        let name = RealmSchemaFile.className(table)
        switch (member.name, member.value) {
        case ("key", .array), ("key", .object([])): return nil
        case ("key", let key): return .link(table: name, key: key)
        case ("keys", .array(let keys)):
            return .list(keys.map { JSONValue.link(table: name, key: $0) })
        case ("values", .array(let values)):
            return .list(
                values.map { value in
                    .wrapped(
                        "$embedded",
                        [
                            JSONMember(name: "table", value: .string(name)),
                            JSONMember(name: "value", value: value),
                        ]
                    )
                }
            )
        case ("values", .object(let members)): return .dictionary(members)
        default: return nil
        }
    }

    private static func binary(_ members: [JSONMember]) -> TypedJSON? {
        guard case .string(let text)? = members["base64"], let data = Data(base64Encoded: text)
        else { return nil }
        if case .string("04")? = members["subType"] { return UUID(bytes: data).map { .uuid($0) } }
        return .data(data)
    }
}

extension JSONValue {
    /// The members of an object inside its owner, whatever they are called; nil for what is no object.
    func ownedMembers(hasWrappers: Bool) -> [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        if hasWrappers, let (name, inner) = Self.onlyObject(members),
            name == "$embedded" || name == "$embeddedObj", case .string? = inner["table"],
            case .object(let value)? = inner["value"]
        {
            return value
        }
        return members
    }

    /// The entries of a dictionary, whatever their keys are; nil for what is none.
    func entries(hasWrappers: Bool) -> [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        guard hasWrappers, let (name, inner) = Self.onlyObject(members) else { return members }
        switch name {
        case "$dictionary": return inner
        case "$linkDictionary", "$embeddedDictionary":
            guard case .string? = inner["table"], case .object(let values)? = inner["values"] else {
                return members
            }
            return values
        default: return members
        }
    }

    /// The one member, where it is an object.
    private static func onlyObject(
        _ members: [JSONMember]
    ) -> (name: String, members: [JSONMember])? {
        guard members.count == 1, case .object(let inner) = members[0].value else { return nil }
        return (members[0].name, inner)
    }
}

extension UUID {
    /// Sixteen bytes in the order of the text; nil for another number of them.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        let digits = Hexadecimal.lowercase(bytes)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text += "-" }
            text.append(digit)
        }
        self.init(uuidString: text)
    }
}

extension UInt8 {
    /// Whether the byte is a digit of a hexadecimal number in ASCII.
    var isHexadecimalDigit: Bool {
        (0x30...0x39).contains(self) || (0x61...0x66).contains(self | 32)
    }
}
