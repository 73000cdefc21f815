/// A filter with its names resolved and its values in the form of the rows, evaluated on rows where they lie.
indirect enum CompiledFilter {
    case test(CompiledField, FieldTest)
    case not(CompiledFilter)
    case and([CompiledFilter])
    case or([CompiledFilter])
}

/// A field with its names resolved.
struct CompiledField {
    /// The references to follow: slot and model of the target.
    let hops: [(slot: Int, model: UInt16)]
    /// The slot of the value; nil is the identifier.
    let slot: Int?
    let type: ValueType

    /// Whether the value lies in the row itself.
    var isLocal: Bool { hops.isEmpty }
}

/// What is asked of a field.
enum FieldTest {
    case compare(ComparisonOperator, Operand)
    case isIn([Operand])
    case containsText([UInt8])
    case containsElement(Operand, ValueType)
    case hasPrefix([UInt8])
    case hasSuffix([UInt8])
    case isNil
}

/// A constant in the form that a comparison with slot bytes needs.
enum Operand {
    case int(Int)
    case double(Double)
    case bytes([UInt8])
    case value(Value)
}

/// One row that a query looks at.
@safe
struct RowHit {
    /// Model number and identifier.
    let key: UnsafeRawBufferPointer
    let payload: RowPayload
    let view: RowView

    var id: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[2...]) }
}

extension CompiledFilter {
    /// Whether the row passes. O(size of the filter), plus one lookup for each reference followed.
    func matches(_ hit: RowHit, in workspace: Workspace) throws -> Bool {
        switch self {
        case .and(let parts):
            for part in parts where try !part.matches(hit, in: workspace) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.matches(hit, in: workspace) { return true }
            return false
        case .not(let part): return try !part.matches(hit, in: workspace)
        case .test(let field, let test):
            return unsafe test.holds(try field.bytes(of: hit, in: workspace), type: field.type)
        }
    }
}

extension CompiledField {
    /// The bytes of the field, a reference without its order key; nil where there is no value.
    func bytes(of hit: RowHit, in workspace: Workspace) throws -> UnsafeRawBufferPointer? {
        var payload = hit.payload
        var id = unsafe hit.id
        for hop in hops {
            guard let slot = unsafe payload.slot(hop.slot) else { return nil }
            unsafe id = try ReferenceBytes(slot).target
            unsafe workspace.hopKey.setRow(model: hop.model, id: id)
            guard let row = try unsafe workspace.row(workspace.hopKey.bytes) else { return nil }
            unsafe payload = try RowPayload(trusting: row.payload)
        }
        guard let slot else { return unsafe id }
        guard let bytes = unsafe payload.slot(slot) else { return nil }
        return unsafe type == .reference ? try ReferenceBytes(bytes).target : bytes
    }
}

extension FieldTest {
    func holds(_ bytes: UnsafeRawBufferPointer?, type: ValueType) -> Bool {
        guard let bytes = unsafe bytes else {
            switch self {
            case .isNil, .compare(.notEqual, _): return true
            default: return false
            }
        }
        switch self {
        case .isNil: return false
        case .compare(let comparison, let operand):
            guard let order = unsafe operand.order(of: bytes, type: type) else {
                return comparison == .notEqual
            }
            return comparison.holds(order)
        case .isIn(let operands):
            return operands.contains { unsafe $0.order(of: bytes, type: type) == 0 }
        case .containsText(let part): return unsafe bytes.contains(part)
        case .containsElement(let operand, let element):
            return unsafe Self.elements(bytes, isMap: type.isMap, of: element, contain: operand)
        case .hasPrefix(let prefix): return unsafe bytes.starts(with: prefix)
        case .hasSuffix(let suffix):
            return unsafe bytes.count >= suffix.count
                && bytes.suffix(suffix.count).elementsEqual(suffix)
        }
    }

    /// Walks the elements of a list or set, or the keys of a map. An element of nil has no bytes to compare.
    private static func elements(
        _ bytes: UnsafeRawBufferPointer,
        isMap: Bool,
        of type: ValueType,
        contain operand: Operand
    ) -> Bool {
        guard bytes.count >= 4 else { return false }
        var offset = 4
        func part() -> UnsafeRawBufferPointer?? {
            guard offset + 4 <= bytes.count else { return nil }
            let count = unsafe UInt32(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            )
            offset += 4
            if count == .max { return unsafe .some(nil) }
            guard offset + Int(count) <= bytes.count else { return nil }
            defer { offset += Int(count) }
            return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(count))])
        }
        while let found = unsafe part() {
            if let found = unsafe found, unsafe operand.order(of: found, type: type) == 0 {
                return true
            }
            if isMap { _ = unsafe part() }
        }
        return false
    }
}

extension ValueType {
    fileprivate var isMap: Bool {
        if case .map = self { true } else { false }
    }
}

extension ComparisonOperator {
    @inline(__always)
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension Operand {
    /// The order of slot bytes against this constant; nil where the bytes are not of the type.
    @inline(__always)
    func order(of bytes: UnsafeRawBufferPointer, type: ValueType) -> Int? {
        switch self {
        case .int(let constant):
            guard bytes.count == 8 else { return nil }
            let value = unsafe Int(Int64(littleEndian: bytes.loadUnaligned(as: Int64.self)))
            return value == constant ? 0 : value < constant ? -1 : 1
        case .double(let constant):
            let value: Double
            if bytes.count == 8 {
                value = unsafe Double(
                    bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
                )
            } else if bytes.count == 4 {
                value = unsafe Double(
                    Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
                )
            } else {
                return nil
            }
            return Self.order(value, constant)
        case .bytes(let constant):
            return unsafe constant.withUnsafeBytes { unsafe bytes.order(against: $0) }
        case .value(let constant):
            guard let value = try? unsafe Value(decoding: bytes, as: type) else { return nil }
            return Value.compare(value, constant)
        }
    }

    /// The total order of doubles: NaN after everything and equal to itself, -0 equal to 0 (QRY-03, QRY-04).
    @inline(__always)
    static func order(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        if left == right { return 0 }
        return left.isNaN ? (right.isNaN ? 0 : 1) : -1
    }
}
