import ExportFormats

/// A Flatted text, read from its places.
final class FlattedFile: ByteInput {
    private static let windowByteCount = 1 << 16
    private static let pieceByteCount = 1 << 10
    private static let progressByteCount = 4 << 20
    /// The bytes that every object may have inside it, however small the file is.
    private static let objectByteCountMin: UInt64 = 16 << 20
    /// How often a file may be read over in all: a text that many objects share stands in it once.
    private static let repetitionMax: UInt64 = 256

    private let file: ExportFile
    private let stamp: ExportFile.Stamp
    private let index: FlattedIndex
    private let limits: JSONReader.Limits
    private var window = [UInt8](repeating: 0, count: windowByteCount)
    private var windowOffset: UInt64 = 0
    private var windowCount = 0
    private var next: UInt64 = 0
    private(set) var replacedCount = 0
    /// Called about every four megabytes that are read, wherever they stand, with the objects that are done as a part
    /// of the file; throwing ends the walk.
    var onProgress: ((UInt64) throws -> Void)?
    private var bytesSinceProgress = 0
    private var objectsDone = 0
    private var objectCount = 1
    /// The classes in the order of the file.
    private var classNames: [String] = []
    /// The class of each element, one more than its place among the names; 0 for none.
    private var classOf: [UInt32] = []
    /// The place of each object among those of its class.
    private var positionOf: [UInt32] = []
    /// What may still be read of the object, and of all objects.
    private var objectBudget = Budget()
    private var budget = Budget()

    private struct Budget {
        var values: UInt64 = 0
        var bytes: UInt64 = 0

        mutating func take(values: UInt64 = 0, bytes: UInt64) throws {
            guard values <= self.values, bytes <= self.bytes else { throw FlattedFile.tooMuch }
            self.values -= values
            self.bytes -= bytes
        }
    }

    init(
        path: String,
        stamp: ExportFile.Stamp,
        _ index: FlattedIndex,
        limits: JSONReader.Limits
    ) throws {
        file = try ExportFile(path: path)
        self.stamp = stamp
        self.index = index
        self.limits = limits
        try file.checkUnchanged(since: stamp)
    }

    // MARK: Walking

    /// Goes through the objects of all classes. Links between them are marked as `realm2json` marks them.
    func walk(
        _ classes: StudioClasses,
        _ beginClass: (String) throws -> Void,
        _ body: (String, [JSONMember], Int) throws -> Void
    ) throws {
        try findObjects()
        let lists = try root()
        let byteCount = stamp.byteCount
        // Whatever an export writes, it names at least once: a value costs three bytes in the file.
        budget = Budget(
            values: 1 << 12 + 4 * byteCount,
            bytes: Self.repetitionMax * (byteCount + 1 << 20)
        )
        for (number, list) in lists.enumerated() {
            let name = classNames[number]
            try beginClass(name)
            let isNumbered = classes.isNumbered(name)
            var position: UInt32 = 0
            // An object that its list names twice is one.
            for place in try objects(of: list)
            where classOf[place] == UInt32(number + 1) && positionOf[place] == position {
                position += 1
                objectBudget = Budget(
                    values: UInt64(limits.treeValueCountMax),
                    bytes: max(byteCount, Self.objectByteCountMin)
                )
                guard case .object(let members) = try element(at: place) else {
                    throw Self.notFlatted
                }
                var resolved: [JSONMember] = []
                if isNumbered { resolved.append(Self.number(positionOf[place])) }
                for member in members {
                    let value = try self.resolved(member.value, classes, depth: 0)
                    resolved.append(JSONMember(name: member.name, value: value))
                }
                try body(name, resolved, Int(positionOf[place]))
                objectsDone += 1
            }
        }
        try file.checkUnchanged(since: stamp)
    }

    private static func number(_ position: UInt32) -> JSONMember {
        JSONMember(name: "_key", value: .number(JSONNumber(text: String(position))))
    }

    /// The classes of the root and the places of their lists.
    private func root() throws -> [Int] {
        guard !index.offsets.isEmpty, case .object(let members) = try element(at: 0) else {
            throw Self.notFlatted
        }
        let lists = members.withoutRepeats
        guard lists.count <= JSONSurvey.classCountMax else { throw JSONSurvey.tooManyClasses }
        classNames = lists.map(\.name)
        let places = try lists.map { try place($0.value) }
        // Each class has a list of its own; one for many classes would be gone through for each of them.
        guard Set(places).count == places.count else { throw Self.notFlatted }
        return places
    }

    private func objects(of list: Int) throws -> [Int] {
        guard case .array(let elements) = try element(at: list) else { throw Self.notFlatted }
        return try elements.map { try place($0) }
    }

    /// Each object once, however often it is read.
    private func findObjects() throws {
        objectCount = 0
        classOf = [UInt32](repeating: 0, count: index.offsets.count)
        positionOf = classOf
        for (number, list) in try root().enumerated() {
            var position: UInt32 = 0
            for place in try objects(of: list) where classOf[place] == 0 {
                classOf[place] = UInt32(number + 1)
                positionOf[place] = position
                objectCount += 1
                position += 1
            }
        }
    }

    // MARK: Values

    private func place(_ value: JSONValue) throws -> Int {
        guard case .string(let text) = value, let place = Int(text), String(place) == text,
            index.offsets.indices.contains(place)
        else { throw Self.notFlatted }
        return place
    }

    /// A value with what it stands for in its place.
    private func resolved(_ value: JSONValue, _ classes: StudioClasses, depth: Int) throws
        -> JSONValue
    {
        guard case .string = value else { return value }
        guard depth < limits.depthMax else { throw Self.tooMuch }
        let place = try place(value)
        try budget.take(values: 1, bytes: byteCount(at: place))
        if classOf[place] > 0 {
            let name = classNames[Int(classOf[place]) - 1]
            guard !classes.isNumbered(name), let property = classes.key(of: name) else {
                return .link(table: name, key: Self.number(positionOf[place]).value)
            }
            let element = try element(at: place)
            guard case .object(let members) = element, let key = members[property] else {
                return .null
            }
            let named = try self.key(key)
            return .link(table: name, key: named)
        }
        try objectBudget.take(values: 1, bytes: byteCount(at: place))
        let element = try element(at: place)
        switch element {
        case .array(let elements):
            return .array(try elements.map { try resolved($0, classes, depth: depth + 1) })
        case .object(let members):
            return .object(
                try members.map { member in
                    let value = try resolved(member.value, classes, depth: depth + 1)
                    return JSONMember(name: member.name, value: value)
                }
            )
        case .null, .bool, .number, .string: return element
        }
    }

    /// The value of a key, which is a text or a number itself.
    private func key(_ value: JSONValue) throws -> JSONValue {
        guard case .string = value else { return value }
        let place = try place(value)
        try budget.take(bytes: byteCount(at: place))
        return try element(at: place)
    }

    // MARK: Bytes

    /// How long an element is at most.
    private func byteCount(at place: Int) -> UInt64 {
        let end = place + 1 < index.offsets.count ? index.offsets[place + 1] : stamp.byteCount
        return end > index.offsets[place] ? end - index.offsets[place] : 0
    }

    /// An element as it is written.
    private func element(at place: Int) throws -> JSONValue {
        next = index.offsets[place]
        let reader = JSONReader(self, limits: limits, bufferByteCount: Self.pieceByteCount)
        let value = try reader.value(from: try reader.next())
        replacedCount += reader.replacedCount
        return value
    }

    func fill(_ buffer: inout [UInt8]) throws -> Int {
        if next < windowOffset || next >= windowOffset + UInt64(windowCount) {
            windowOffset = next
            windowCount = try unsafe window.withUnsafeMutableBytes { bytes throws(LegacyError) in
                try unsafe file.read(into: bytes, at: next)
            }
            bytesSinceProgress += windowCount
            if bytesSinceProgress >= Self.progressByteCount { try tellProgress() }
        }
        let start = Int(next - windowOffset)
        let count = min(buffer.count, windowCount - start)
        buffer.replaceSubrange(..<count, with: window[start..<(start + count)])
        next += UInt64(count)
        return count
    }

    private func tellProgress() throws {
        bytesSinceProgress = 0
        let share = Double(objectsDone) / Double(max(1, objectCount))
        try onProgress?(UInt64(Double(stamp.byteCount) * min(1, share)))
    }

    private static var tooMuch: LegacyError {
        LegacyError(
            .limitExceeded,
            "An object in the file holds itself, or more than any export writes.",
            advice: "Export the file again; do not trust this one."
        )
    }

    static var notFlatted: LegacyError {
        LegacyError(
            .unknownFormat,
            "The file is a JSON array, but not laid out as Realm Studio's exports are.",
            advice: "Name the file that Realm Studio wrote, or another format."
        )
    }
}
