/// Where the elements of a Flatted text are, and which of them are objects of which class.
///
/// Flatted (https://github.com/WebReflection/flatted) writes one array, in which each object, array and text is an
/// element of its own, and where one of them is a value stands its place in the array as a text; the first element is
/// the root. Realm Studio's root is an object of arrays by class.
///
/// Memory: sixteen bytes an element.
final class FlattedIndex: Sendable {
    /// More elements than this are refused: 512 MiB of places.
    static let elementCountMax = 1 << 25

    /// The offset of each element in the file.
    let offsets: [UInt64]

    init(path: String, stamp: ExportFile.Stamp, limits: JSONReader.Limits) throws {
        let input = try FileInput(path: path, stamp: stamp)
        let reader = JSONReader(input, limits: limits)
        guard try reader.next() == .beginArray else { throw FlattedFile.notFlatted }
        var offsets: [UInt64] = []
        while true {
            let token = try reader.next()
            if token == .endArray { break }
            guard offsets.count < Self.elementCountMax else {
                throw LegacyError(
                    .limitExceeded,
                    "The file has more than \(Self.elementCountMax) objects and texts.",
                    advice: "Use realm2json instead, whose output is read without an index."
                )
            }
            offsets.append(reader.valueOffset)
            try reader.skip(from: token)
        }
        guard try reader.next() == .end else { throw FlattedFile.notFlatted }
        try input.checkUnchanged()
        self.offsets = offsets
    }
}

/// A Flatted text, read from its places.
final class FlattedFile: ByteInput {
    private static let windowByteCount = 1 << 16
    private static let pieceByteCount = 1 << 10

    private let file: ExportFile
    private let stamp: ExportFile.Stamp
    private let index: FlattedIndex
    private let limits: JSONReader.Limits
    private var window = [UInt8](repeating: 0, count: windowByteCount)
    private var windowOffset: UInt64 = 0
    private var windowCount = 0
    private var next: UInt64 = 0
    private(set) var replacedCount = 0
    /// The classes in the order of the file.
    private var classNames: [String] = []
    /// The class of each element, one more than its place among the names; 0 for none.
    private var classOf: [UInt32] = []
    /// The place of each object among those of its class.
    private var positionOf: [UInt32] = []
    private var budget = 0

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
        for (number, list) in lists.enumerated() {
            let name = classNames[number]
            try beginClass(name)
            let key = classes.key(of: name)
            for place in try objects(of: list)
            where classOf[place] == UInt32(number + 1) {
                budget = limits.treeValueCountMax
                guard case .object(let members) = try element(at: place) else {
                    throw Self.notFlatted
                }
                var resolved: [JSONMember] = []
                if key == nil { resolved.append(Self.number(positionOf[place])) }
                for member in members {
                    let value = try self.resolved(member.value, classes, depth: 0)
                    resolved.append(JSONMember(name: member.name, value: value))
                }
                try body(name, resolved, Int(positionOf[place]))
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
        classNames = lists.map(\.name)
        return try lists.map { try place($0.value) }
    }

    private func objects(of list: Int) throws -> [Int] {
        guard case .array(let elements) = try element(at: list) else { throw Self.notFlatted }
        return try elements.map { try place($0) }
    }

    private func findObjects() throws {
        classOf = [UInt32](repeating: 0, count: index.offsets.count)
        positionOf = classOf
        for (number, list) in try root().enumerated() {
            var position: UInt32 = 0
            for place in try objects(of: list) where classOf[place] == 0 {
                classOf[place] = UInt32(number + 1)
                positionOf[place] = position
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
        budget -= 1
        guard depth < limits.depthMax, budget > 0 else {
            throw LegacyError(
                .limitExceeded,
                "An object in the file holds itself, or more than any export writes.",
                advice: "Export the file again; do not trust this one."
            )
        }
        let place = try place(value)
        let element = try element(at: place)
        if classOf[place] > 0 {
            let name = classNames[Int(classOf[place]) - 1]
            guard let property = classes.key(of: name) else {
                return .link(table: name, key: Self.number(positionOf[place]).value)
            }
            guard case .object(let members) = element, let key = members[property] else {
                return .null
            }
            let named = try self.key(key)
            return .link(table: name, key: named)
        }
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
        return try element(at: try place(value))
    }

    // MARK: Bytes

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
        }
        let start = Int(next - windowOffset)
        let count = min(buffer.count, windowCount - start)
        buffer.replaceSubrange(..<count, with: window[start..<(start + count)])
        next += UInt64(count)
        return count
    }

    static var notFlatted: LegacyError {
        LegacyError(
            .unknownFormat,
            "The file is a JSON array, but not laid out as Realm Studio's exports are.",
            advice: "Name the file that Realm Studio wrote, or another format."
        )
    }
}
