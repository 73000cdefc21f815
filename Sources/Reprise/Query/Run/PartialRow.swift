/// Reads some attributes of one row after the other.
struct PartialRow {
    private let declaration: ModelDeclaration
    private let layout: FieldLayout
    /// The wanted attributes: their place among those with a slot; -1 for the identifier.
    private(set) var attributes: [Int] = []
    /// Their slots in the store; -1 for the identifier.
    private var slots: [Int] = []
    private var map = SlotMap(identity: 0)
    private var place = 0
    private var payload: RowPayload?
    private var identifier = ReferenceBuffer()

    init(_ declaration: ModelDeclaration) {
        self.declaration = declaration
        layout = FieldLayout(declaration.fields)
    }

    mutating func add(_ name: String) {
        attributes.append(declaration.stored.firstIndex { $0.name == name } ?? -1)
    }

    mutating func bind(_ map: SlotMap) {
        slots = attributes.map { $0 < 0 ? -1 : map.slots[$0] }
        self.map = map
    }

    /// The slots that are read.
    var wantedSlots: Set<Int> {
        let origins = attributes.flatMap { map.conversions?[$0]?.origins ?? [] }
        return Set(slots.filter { $0 >= 0 } + origins)
    }

    mutating func begin(_ id: UnsafeRawBufferPointer, _ payload: RowPayload) {
        place = 0
        self.payload = payload
        unsafe identifier.set(id)
    }

    mutating func next<V: StoredValue>(_ type: V.Type) throws -> V {
        let (attribute, slot) = (attributes[place], slots[place])
        place += 1
        do throws(ValueError) {
            if slot < 0 { return try unsafe V.read(identifier.bytes) }
            guard let payload else { return try V.readNil() }
            if let bytes = unsafe payload.slot(slot) {
                do throws(ValueError) {
                    return try unsafe V.read(bytes)
                } catch {
                    return try layout.value(type, insteadOf: error, of: attribute)
                }
            }
            return try layout.valueWithoutBytes(type, of: attribute, payload, map)
        } catch {
            throw slot < 0 ? error : error.naming(declaration.stored[attribute].name)
        }
    }
}

/// An identifier in the form of a reference: what `Identifier` reads.
private final class ReferenceBuffer {
    private var writer = RowPayloadWriter(capacity: 256)

    func set(_ id: UnsafeRawBufferPointer) {
        writer.removeAll()
        writer.append(0 as UInt64)
        unsafe writer.append(bytes: id)
    }

    var bytes: UnsafeRawBufferPointer { unsafe writer.bytes }
}
