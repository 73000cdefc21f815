internal import RepriseLog

/// The bytes in which conflicts are kept, in memory or in a temporary file: names are numbers, and values are as in
/// rows. Nothing reads them but the process that wrote them.
struct ConflictForm: Sendable {
    /// The values of a `changed`, as they are in rows; nil where a row has none, or its default.
    struct Change {
        let attribute: AttributeDescription
        let base: [UInt8]?
        let ours: [UInt8]?
        let theirs: [UInt8]?
    }

    /// A model and an attribute of it, by their numbers here.
    private struct Field: Sendable, Hashable {
        let model: Int
        let attribute: Int
    }

    /// The names of models, attributes and relationships.
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    /// The attributes of which values are kept.
    private var attributes: [Field: AttributeDescription] = [:]

    private enum Tag: UInt8 {
        case changed, gone, existing, changedSince, used, denied, taken, missing, lacking, moved
    }

    // MARK: Writing

    mutating func write(_ conflict: ChangeSet.Conflict, _ change: Change?, to writer: inout ByteWriter) {
        write(conflict.entity, to: &writer)
        switch conflict.kind {
        case .changed(let name, _, _, _):
            writer.u8(Tag.changed.rawValue)
            write(name: name, to: &writer)
            let field = Field(model: number(of: conflict.entity.model), attribute: number(of: name))
            if attributes[field] == nil { attributes[field] = change?.attribute }
            for bytes in [change?.base, change?.ours, change?.theirs] { write(bytes, to: &writer) }
        case .gone: writer.u8(Tag.gone.rawValue)
        case .existing: writer.u8(Tag.existing.rawValue)
        case .changedSince(let names):
            writer.u8(Tag.changedSince.rawValue)
            write(names: names, to: &writer)
        case .used(let user, let relationship, let isDenied):
            writer.u8((isDenied ? Tag.denied : Tag.used).rawValue)
            write(user, to: &writer)
            write(name: relationship, to: &writer)
        case .taken(let attributes, let holder):
            writer.u8(Tag.taken.rawValue)
            write(names: attributes, to: &writer)
            write(holder, to: &writer)
        case .missing(let relationship, let target):
            writer.u8(Tag.missing.rawValue)
            write(name: relationship, to: &writer)
            write(target, to: &writer)
        case .lacking(let attribute):
            writer.u8(Tag.lacking.rawValue)
            write(name: attribute, to: &writer)
        case .moved(let list, let target):
            writer.u8(Tag.moved.rawValue)
            write(name: list, to: &writer)
            write(target, to: &writer)
        }
    }

    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        names.append(name)
        numbers[name] = names.count - 1
        return names.count - 1
    }

    private mutating func write(name: String, to writer: inout ByteWriter) {
        writer.varint(UInt64(number(of: name)))
    }

    private mutating func write(names: [String], to writer: inout ByteWriter) {
        writer.varint(UInt64(names.count))
        for name in names { write(name: name, to: &writer) }
    }

    private mutating func write(_ entity: EntityReference, to writer: inout ByteWriter) {
        write(name: entity.model, to: &writer)
        writer.prefixedString(entity.id)
    }

    private func write(_ bytes: [UInt8]?, to writer: inout ByteWriter) {
        guard let bytes else { return writer.varint(0) }
        writer.varint(UInt64(bytes.count) + 1)
        unsafe bytes.withUnsafeBytes { unsafe writer.bytes($0) }
    }

    // MARK: Reading

    func conflict(_ reader: inout ByteReader) throws -> ChangeSet.Conflict {
        let entity = try entity(&reader)
        return ChangeSet.Conflict(entity: entity, kind: try kind(&reader, of: entity))
    }

    private func kind(_ reader: inout ByteReader, of entity: EntityReference) throws -> ChangeSet.Conflict.Kind {
        let tag = Tag(rawValue: try reader.u8())
        switch tag {
        case .changed:
            let name = try name(&reader)
            let field = Field(model: numbers[entity.model] ?? -1, attribute: numbers[name] ?? -1)
            let attribute = attributes[field]
            return .changed(
                attribute: name,
                base: try value(&reader, attribute),
                ours: try value(&reader, attribute),
                theirs: try value(&reader, attribute)
            )
        case .gone: return .gone
        case .existing: return .existing
        case .changedSince: return .changedSince(try names(&reader))
        case .used, .denied:
            let user = try self.entity(&reader)
            return .used(by: user, relationship: try name(&reader), isDenied: tag == .denied)
        case .taken:
            let attributes = try names(&reader)
            return .taken(attributes: attributes, by: try self.entity(&reader))
        case .missing:
            let relationship = try name(&reader)
            return .missing(relationship: relationship, target: try self.entity(&reader))
        case .lacking: return .lacking(attribute: try name(&reader))
        case .moved:
            let list = try name(&reader)
            return .moved(list: list, target: try self.entity(&reader))
        case nil: throw LogError(.corrupt, detail: "a conflict is of an unknown kind")
        }
    }

    private func name(_ reader: inout ByteReader) throws -> String { names[Int(try reader.varint())] }

    private func names(_ reader: inout ByteReader) throws -> [String] {
        var names: [String] = []
        for _ in 0..<(try reader.varint()) { names.append(try name(&reader)) }
        return names
    }

    private func entity(_ reader: inout ByteReader) throws -> EntityReference {
        let model = try name(&reader)
        let id = try unsafe reader.bytes(length(&reader))
        return EntityReference(model: model, id: unsafe String(decoding: id, as: UTF8.self))
    }

    private func length(_ reader: inout ByteReader) throws -> Int { Int(try reader.varint()) }

    private func value(_ reader: inout ByteReader, _ attribute: AttributeDescription?) throws -> Value {
        let count = try length(&reader)
        guard count > 0 else { return attribute?.defaultValue ?? .null }
        let bytes = try unsafe reader.bytes(count - 1)
        return try attribute.map { try unsafe Value(decoding: bytes, as: $0.type) } ?? .null
    }
}
