package import Reprise

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The values of a record as bytes, for what does not fit into memory. Only the process that wrote them reads them.
package struct RecordBytes {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    mutating func append(_ number: UInt64) {
        var rest = number
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    package mutating func append(_ count: Int) { append(UInt64(count)) }

    package mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func append(_ date: Date?) {
        bytes.append(date == nil ? 0 : 1)
        if let date { append(date.timeIntervalSinceReferenceDate.bitPattern) }
    }

    package mutating func append(_ value: Value?) throws {
        guard let value else { return bytes.append(Kind.missing.rawValue) }
        bytes.append(Kind(of: value).rawValue)
        switch value {
        case .null: break
        case .bool(let flag): bytes.append(flag ? 1 : 0)
        case .int(let number): append(UInt64(bitPattern: Int64(number)))
        case .double(let number): append(number.bitPattern)
        case .float(let number): append(UInt64(number.bitPattern))
        case .string(let text), .reference(let text): append(text)
        case .data(let data):
            append(data.count)
            bytes.append(contentsOf: data)
        case .date(let date): append(date.timeIntervalSinceReferenceDate.bitPattern)
        case .uuid(let uuid): append(uuid.uuidString)
        case .decimal(let number):
            // As its parts: its text would leave out trailing zeros.
            let parts = try PropertyListEncoder().encode([number])
            append(parts.count)
            bytes.append(contentsOf: parts)
        case .list(let values), .set(let values):
            append(values.count)
            for value in values { try append(value) }
        case .map(let entries), .embedded(let entries):
            append(entries.count)
            for entry in entries {
                append(entry.name)
                try append(entry.value)
            }
        }
    }

    /// What a value begins with.
    fileprivate enum Kind: UInt8 {
        case missing, null, bool, int, double, float, string, data, date, uuid, decimal, list, set
        case map, embedded, reference

        init(of value: Value) {
            self =
                switch value {
                case .null: .null
                case .bool: .bool
                case .int: .int
                case .double: .double
                case .float: .float
                case .string: .string
                case .data: .data
                case .date: .date
                case .uuid: .uuid
                case .decimal: .decimal
                case .list: .list
                case .set: .set
                case .map: .map
                case .embedded: .embedded
                case .reference: .reference
                }
        }
    }

    /// Reads what was written, in the same order.
    package struct Reader {
        /// What was read is not what was written: the temporary file has been damaged.
        package struct Damaged: Error {
            package init() {}
        }

        private var rest: ArraySlice<UInt8>

        package init(_ bytes: [UInt8]) {
            rest = bytes[...]
        }

        private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
            guard count >= 0, rest.count >= count else { throw Damaged() }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        private mutating func byte() throws -> UInt8 {
            guard let byte = rest.popFirst() else { throw Damaged() }
            return byte
        }

        mutating func number() throws -> UInt64 {
            try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// How many of something follow, each of which takes a byte at least.
        package mutating func count() throws -> Int {
            guard let count = Int(exactly: try number()), count <= rest.count else {
                throw Damaged()
            }
            return count
        }

        package mutating func index() throws -> Int {
            guard let index = Int(exactly: try number()) else { throw Damaged() }
            return index
        }

        package mutating func text() throws -> String {
            String(decoding: try take(try count()), as: UTF8.self)
        }

        package mutating func date() throws -> Date? {
            try byte() == 0 ? nil : try presentDate()
        }

        private mutating func presentDate() throws -> Date {
            Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
        }

        package mutating func value() throws -> Value? {
            guard let kind = Kind(rawValue: try byte()) else { throw Damaged() }
            switch kind {
            case .missing: return nil
            case .null: return .null
            case .bool: return .bool(try byte() != 0)
            case .int: return .int(Int(Int64(bitPattern: try number())))
            case .double: return .double(Double(bitPattern: try number()))
            case .float:
                return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try number())))
            case .string: return .string(try text())
            case .reference: return .reference(try text())
            case .data: return .data(Data(try take(try count())))
            case .date: return .date(try presentDate())
            case .uuid:
                guard let uuid = UUID(uuidString: try text()) else { throw Damaged() }
                return .uuid(uuid)
            case .decimal:
                let parts = Data(try take(try count()))
                let numbers = try PropertyListDecoder().decode([Decimal].self, from: parts)
                guard let number = numbers.first else { throw Damaged() }
                return .decimal(number)
            case .list: return .list(try values())
            case .set: return .set(try values())
            case .map: return .map(try entries())
            case .embedded: return .embedded(try entries())
            }
        }

        private mutating func values() throws -> [Value] {
            try (0..<(try count())).map { _ in
                guard let value = try value() else { throw Damaged() }
                return value
            }
        }

        private mutating func entries() throws -> [Value.Entry] {
            try (0..<(try count())).map { _ in
                let name = try text()
                guard let value = try value() else { throw Damaged() }
                return Value.Entry(name, value)
            }
        }
    }
}
