#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Slot bytes without a Swift type.
extension Value {
    /// The value that Swift code would store: used for constants in filters.
    public init(_ value: some StoredValue) {
        if value.isNil {
            self = .null
            return
        }
        var writer = RowPayloadWriter(capacity: 64)
        value.write(to: &writer)
        do {
            self = try unsafe Value(decoding: writer.bytes, as: Swift.type(of: value).valueType)
        } catch {
            preconditionFailure("A StoredValue wrote bytes that are not of its type: \(error).")
        }
    }

    /// Reads the bytes of a slot (nil for an empty one), strictly: bytes that decode encode to
    /// themselves again, but for the order key of a reference.
    init(slot bytes: UnsafeRawBufferPointer?, as type: ValueType) throws(ValueError) {
        guard let bytes = unsafe bytes else {
            self = .null
            return
        }
        unsafe try self.init(decoding: bytes, as: type)
    }

    /// Reads the bytes of a value that is not nil, strictly.
    init(decoding bytes: UnsafeRawBufferPointer, as type: ValueType) throws(ValueError) {
        switch type {
        case .bool: self = unsafe .bool(try Bool.read(bytes))
        case .int: self = unsafe .int(try Int.read(bytes))
        case .double: self = unsafe .double(try Double.read(bytes))
        case .float: self = unsafe .float(try Float.read(bytes))
        case .string: self = unsafe .string(try String.read(bytes))
        case .data: self = unsafe .data(try Data.read(bytes))
        case .date: self = unsafe .date(try Date.read(bytes))
        case .uuid: self = unsafe .uuid(try UUID.read(bytes))
        case .decimal: self = unsafe .decimal(try Decimal.read(bytes))
        case .reference:
            guard bytes.count >= 8 else { throw ValueError(.wrongLength) }
            let target = unsafe UnsafeRawBufferPointer(rebasing: bytes[8...])
            self = unsafe .reference(try String.read(target))
        case .list(let element, let nilElements):
            self = unsafe .list(
                try Self.elements(bytes, element, nilElements: nilElements, ascending: false)
            )
        case .set(let element, let nilElements):
            self = unsafe .set(
                try Self.elements(bytes, element, nilElements: nilElements, ascending: true)
            )
        case .map(let element, let nilValues):
            self = unsafe .map(try Self.entries(bytes, element, nilValues: nilValues))
        case .embedded(let fields):
            self = unsafe .embedded(try Self.fields(bytes, fields))
        }
    }

    private static func elements(
        _ bytes: UnsafeRawBufferPointer,
        _ type: ValueType,
        nilElements: Bool,
        ascending: Bool
    ) throws(ValueError) -> [Value] {
        var reader = unsafe try ElementReader(bytes)
        var values: [Value] = []
        var previous: UnsafeRawBufferPointer?
        for index in 0..<reader.count {
            let part = unsafe try reader.next()
            if let part = unsafe part {
                if ascending, let previous = unsafe previous {
                    guard unsafe previous.lexicographicallyPrecedes(part) else {
                        throw ValueError(.notCanonical)
                    }
                }
                values.append(unsafe try Value(decoding: part, as: type))
            } else {
                guard nilElements else { throw ValueError(.missingValue) }
                guard !ascending || index == 0 else { throw ValueError(.notCanonical) }
                values.append(.null)
            }
            unsafe previous = part
        }
        try reader.finish()
        return values
    }

    private static func entries(
        _ bytes: UnsafeRawBufferPointer,
        _ type: ValueType,
        nilValues: Bool
    ) throws(ValueError) -> [Entry] {
        var reader = unsafe try ElementReader(bytes)
        var entries: [Entry] = []
        var previous: UnsafeRawBufferPointer?
        for _ in 0..<reader.count {
            guard let key = unsafe try reader.next() else { throw ValueError(.missingValue) }
            if let previous = unsafe previous {
                guard unsafe previous.lexicographicallyPrecedes(key) else {
                    throw ValueError(.notCanonical)
                }
            }
            unsafe previous = key
            let value = unsafe try Value(slot: try reader.next(), as: type)
            guard nilValues || !value.isNull else { throw ValueError(.missingValue) }
            entries.append(Entry(unsafe try String.read(key), value))
        }
        try reader.finish()
        return entries
    }

    private static func fields(
        _ bytes: UnsafeRawBufferPointer,
        _ fields: [EmbeddedField]
    ) throws(ValueError) -> [Entry] {
        let payload = unsafe try RowPayload(bytes)
        guard payload.slotCount <= fields.count else { throw ValueError(.notCanonical) }
        var entries: [Entry] = []
        for (slot, field) in fields.enumerated() {
            // A field missing from an older row is nil here even where the Swift type has a default.
            guard let part = unsafe payload.slot(slot) else { continue }
            do throws(ValueError) {
                entries.append(Entry(field.name, unsafe try Value(decoding: part, as: field.type)))
            } catch {
                throw error.naming(field.name)
            }
        }
        return entries
    }

    /// Appends the bytes of a value that is not ``null``. Throws `typeMismatch` when it is not of
    /// `type`. A reference gets order key zero.
    func write(to writer: inout RowPayloadWriter, as type: ValueType) throws(ValueError) {
        switch (self, type) {
        case (.bool(let value), .bool): value.write(to: &writer)
        case (.int(let value), .int): value.write(to: &writer)
        case (.double(let value), .double): value.write(to: &writer)
        case (.float(let value), .float): value.write(to: &writer)
        case (.string(let value), .string): value.write(to: &writer)
        case (.data(let value), .data): value.write(to: &writer)
        case (.date(let value), .date): value.write(to: &writer)
        case (.uuid(let value), .uuid): value.write(to: &writer)
        case (.decimal(let value), .decimal): value.write(to: &writer)
        case (.reference(let target), .reference):
            writer.append(0 as UInt64)
            target.write(to: &writer)
        case (.list(let values), .list(let element, let nilElements)):
            writer.append(UInt32(truncatingIfNeeded: values.count))
            for value in values {
                try value.writeElement(to: &writer, as: element, nilAllowed: nilElements)
            }
        case (.set(let values), .set(let element, let nilElements)):
            let begin = writer.end
            writer.append(0 as UInt32)
            for value in values {
                try value.writeElement(to: &writer, as: element, nilAllowed: nilElements)
            }
            writer.sortElements(from: begin, isMap: false)
        case (.map(let entries), .map(let element, let nilValues)):
            let begin = writer.end
            writer.append(0 as UInt32)
            for entry in entries {
                writer.appendElement(entry.name)
                try entry.value.writeElement(to: &writer, as: element, nilAllowed: nilValues)
            }
            writer.sortElements(from: begin, isMap: true)
        case (.embedded(let entries), .embedded(let fields)):
            try Self.writeFields(entries, fields, to: &writer)
        default:
            throw ValueError(.typeMismatch)
        }
    }

    private func writeElement(
        to writer: inout RowPayloadWriter,
        as type: ValueType,
        nilAllowed: Bool
    ) throws(ValueError) {
        if isNull {
            guard nilAllowed else { throw ValueError(.missingValue) }
            writer.append(nilLength)
            return
        }
        let lengthOffset = writer.end
        writer.append(0 as UInt32)
        try write(to: &writer, as: type)
        writer.patch(UInt32(truncatingIfNeeded: writer.end - lengthOffset - 4), at: lengthOffset)
    }

    private static func writeFields(
        _ entries: [Entry],
        _ fields: [EmbeddedField],
        to writer: inout RowPayloadWriter
    ) throws(ValueError) {
        guard entries.allSatisfy({ entry in fields.contains { $0.name == entry.name } }) else {
            throw ValueError(.typeMismatch)
        }
        var row = writer.beginRow(slotCount: fields.count)
        for field in fields {
            let value = entries.first { $0.name == field.name }?.value ?? .null
            try value.writeSlot(
                to: &writer,
                in: &row,
                as: field.type,
                isOptional: field.isOptional,
                name: field.name
            )
        }
        writer.endEmbeddedRow(row)
    }

    /// Writes the current slot of a row. Throws an error that names the attribute.
    func writeSlot(
        to writer: inout RowPayloadWriter,
        in row: inout RowPayloadWriter.Row,
        as type: ValueType,
        isOptional: Bool,
        name: String
    ) throws(ValueError) {
        if isNull {
            guard isOptional else { throw ValueError(.missingValue, attribute: name) }
            writer.skipSlot(&row)
            return
        }
        do throws(ValueError) {
            try write(to: &writer, as: type)
        } catch {
            throw error.naming(name)
        }
        writer.endSlot(&row)
    }
}
