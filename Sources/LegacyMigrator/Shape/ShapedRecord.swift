import LegacyMapping
import LegacyRecords
import Reprise

/// A record in the shape of its model: its fields as the values of a row.
///
/// Made where the export is read, so that the thread that writes has less to do. Identifiers are still those of the
/// source: only the store knows what they become.
final class ShapedRecord: Sendable {
    /// An ordered to-many that the record gives.
    struct List: Sendable {
        let list: ClassShape.ToMany
        let members: LegacyReferences
    }

    let shape: ClassShape
    /// How many came before it in the export.
    let number: Int
    /// The identifier in the source.
    let key: String
    /// In the order of the model's attributes; nil where the source says nothing.
    let values: [Value?]
    let lists: [List]
    /// The names of fields that the model cannot hold as they are.
    let leftOut: [String]
    /// The names of attributes that are dates here and texts in the source, which say more digits than a date holds.
    let rounded: [String]
    /// The places of required attributes that the record lacks, and which hold the nothing of their type.
    let defaulted: [Int]
    let times: LegacyTimes?
    /// How much of a batch it is: one for an ordinary record, more where its values are large or very many.
    var weight: Int {
        1 + byteCount / Self.byteCountPerWeight + values.count / Self.valueCountPerWeight
    }
    /// The same with the lists that it holds, which are written on their own.
    var weightWithLists: Int { lists.reduce(weight) { $0 + $1.members.weight } }
    /// About what its values take beside themselves.
    let byteCount: Int
    /// About what it takes, without its lists.
    var heldByteCount: Int {
        byteCount + values.count * MemoryLayout<Value?>.stride
            + (leftOut.count + rounded.count) * MemoryLayout<String>.stride + defaulted.count
            * MemoryLayout<Int>.stride
    }

    /// What a record may hold to count as one.
    private static let byteCountPerWeight = 16 << 10
    /// What of values that may be nothing take about as much.
    private static let valueCountPerWeight = 512

    /// - Parameter isPartial: whether what the record does not say is no reason to take anything away.
    init(_ record: LegacyRecord, as shape: ClassShape, number: Int, isPartial: Bool) {
        var values: [Value?] = []
        values.reserveCapacity(shape.attributes.count)
        var lists: [List] = []
        var leftOut: [String] = []
        var rounded: [String] = []
        var byteCount = record.key.utf8.count
        var hint = 0
        for field in record.fields {
            byteCount += field.value.byteCount
            if let place = shape.place(of: field.name, hint: hint) {
                hint = place + 1
                let (value, isRounded) = Self.value(field.value, as: shape.attributes[place])
                if isRounded { rounded.append(field.name) }
                if value == nil, shape.isMissed(field) { leftOut.append(field.name) }
                // Most come in the order of the attributes.
                if place < values.count {
                    values[place] = value
                } else {
                    while values.count < place { values.append(nil) }
                    values.append(value)
                }
            } else if case .references(let members) = field.value,
                let list = shape.lists[field.name]
            {
                lists.append(List(list: list, members: members))
            } else if shape.isMissed(field) {
                leftOut.append(field.name)
            }
        }
        while values.count < shape.attributes.count { values.append(nil) }
        var defaulted: [Int] = []
        if !isPartial {
            for place in shape.givenPlaces where values[place] == nil {
                if !shape.attributes[place].isOptional { defaulted.append(place) }
                if shape.mayBeNothing(place) { values[place] = shape.nothings[place] }
            }
        }
        self.shape = shape
        self.number = number
        key = record.key
        self.values = values
        self.lists = lists
        self.leftOut = leftOut
        self.rounded = rounded
        self.defaulted = defaulted
        times = record.times
        self.byteCount = byteCount
    }

    /// A record by itself, without the lists that it holds.
    init(withoutLists record: ShapedRecord) {
        shape = record.shape
        number = record.number
        key = record.key
        values = record.values
        lists = []
        leftOut = record.leftOut
        rounded = record.rounded
        defaulted = record.defaulted
        times = record.times
        byteCount = record.byteCount
    }

    /// What a row is to have.
    init(_ shape: ClassShape, number: Int, values: [Value?], byteCount: Int) {
        self.shape = shape
        self.number = number
        key = ""
        self.values = values
        lists = []
        leftOut = []
        rounded = []
        defaulted = []
        times = nil
        self.byteCount = byteCount
    }

    /// One that was put aside, by itself.
    init(_ shape: ClassShape, number: Int, from bytes: inout RecordBytes.Reader) throws {
        self.shape = shape
        self.number = number
        key = try bytes.text()
        values = try (0..<shape.attributes.count).map { _ in try bytes.value() }
        lists = []
        leftOut = try (0..<(try bytes.count())).map { _ in try bytes.text() }
        rounded = try (0..<(try bytes.count())).map { _ in try bytes.text() }
        defaulted = try (0..<(try bytes.count())).map { _ in try bytes.index() }
        times =
            try bytes.index() == 0
            ? nil : LegacyTimes(created: try bytes.date(), changed: try bytes.date())
        byteCount = try bytes.index()
    }

    /// Writes what ``init(_:number:from:)`` reads.
    func write(to bytes: inout RecordBytes) throws {
        bytes.append(key)
        for value in values { try bytes.append(value) }
        bytes.append(leftOut.count)
        for name in leftOut { bytes.append(name) }
        bytes.append(rounded.count)
        for name in rounded { bytes.append(name) }
        bytes.append(defaulted.count)
        for place in defaulted { bytes.append(place) }
        bytes.append(times == nil ? 0 : 1)
        if let times {
            bytes.append(times.created)
            bytes.append(times.changed)
        }
        bytes.append(byteCount)
    }

    private static func value(
        _ value: LegacyValue,
        as attribute: AttributeDescription
    ) -> (value: Value?, isRounded: Bool) {
        let type = attribute.type
        if let value = Value(value, as: type) { return (value, false) }
        // A newer export may have another type where the values tell it. What a text says is not guessed.
        return switch value.fitted(to: type, .canonical) {
        case .value(let fitted): (Value(fitted, as: type), false)
        case .rounded(let fitted): (Value(fitted, as: type), true)
        case .shortened, .refused: (attribute.isWidened ? widened(value, to: type) : nil, false)
        }
    }

    /// What the store would have made of a value of an older export, which had a narrower type.
    private static func widened(_ value: LegacyValue, to type: ValueType) -> Value? {
        for narrow in [ValueType.bool, .int, .double, .date] {
            if let value = Value(value, as: narrow) { return Widening.value(value, as: type) }
        }
        return nil
    }
}

extension ClassShape {
    /// Whether it has to be said that a field is left out.
    fileprivate func isMissed(_ field: LegacyField) -> Bool {
        // Of what the store has no place for that was said before. The to-ones of the members say the same as a list
        // that follows from them.
        if case .references = field.value { return false }
        return !isKnownToBeLeftOut(field.name)
    }
}

extension LegacyValue {
    /// About how much memory it takes beside itself, in bytes. The members of a list of records are counted elsewhere.
    fileprivate var byteCount: Int {
        switch self {
        case .null, .bool, .integer, .double, .float, .decimal, .date, .uuid, .references: 0
        case .string(let text), .reference(let text): text.utf8.count
        case .data(let data): data.count
        case .list(let values), .set(let values):
            values.reduce(0) { $0 + MemoryLayout<LegacyValue>.stride + $1.byteCount }
        case .map(let fields):
            fields.reduce(0) { $0 + MemoryLayout<LegacyField>.stride + $1.value.byteCount }
        }
    }
}
