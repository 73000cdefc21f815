/// Reads JSON (RFC 8259) as a stream of tokens, with limits on everything that a file could overdo.
///
/// It never recurses and holds one buffer, a byte for each open container, and the text that it hands on. Errors are
/// `.empty`, `.truncated`, `.malformed`, `.invalidText`, `.unsupportedEncoding` and `.limitExceeded`, with the byte and
/// the line where they are.
package final class JSONReader {
    /// What is read besides JSON.
    package struct Options {
        /// Bare `nan`, `inf`, `NaN`, `Infinity` with or without a minus, and control characters in strings, as
        /// `realm2json` prints them.
        package var isLenient = false
        /// Any number of values after each other, each on lines of its own, instead of one.
        package var isSequence = false

        package init(isLenient: Bool = false, isSequence: Bool = false) {
            self.isLenient = isLenient
            self.isSequence = isSequence
        }
    }

    /// What no text may exceed.
    package struct Limits {
        package var depthMax = 512
        /// The bytes of one string.
        var stringByteCountMax = 256 << 20
        /// The bytes of one number.
        var numberByteCountMax = 4096
        /// The values of one tree that is read into memory.
        package var treeValueCountMax = 1 << 24
        /// The bytes in the file of one tree that is read into memory.
        var treeByteCountMax: UInt64 = 512 << 20

        package init() {}
    }

    package enum Token: Equatable {
        case beginObject, endObject, beginArray, endArray
        case name(String)
        case string(String)
        case number(JSONNumber)
        case bool(Bool)
        case null
        /// The end of the text, after the last value.
        case end
    }

    private enum Expected {
        case value, nameOrEnd, elementOrEnd, separator
    }

    private enum Container: UInt8 {
        case object, array
    }

    package let options: Options
    let limits: Limits
    private let input: any ByteInput
    /// How many lone surrogates were replaced by U+FFFD.
    package var replacedCount = 0
    // What changes with every byte is not watched for overlapping changes: a fifth of the time went there. No method is
    // entered while another one changes any of it, and a reader belongs to one thread.
    /// The line, counted from 1.
    @safe @exclusivity(unchecked) package private(set) var line = 1
    @safe @exclusivity(unchecked) private var buffer: [UInt8]
    @safe @exclusivity(unchecked) private var position = 0
    @safe @exclusivity(unchecked) private var limit = 0
    private var base: UInt64 = 0
    private var isAtEnd = false
    private var stack: [Container] = []
    @safe @exclusivity(unchecked) private var expected = Expected.value
    private var rootCount = 0
    private var lineOfLastRoot = 0
    /// The bytes of the string or number being read.
    @safe @exclusivity(unchecked) var scratch: [UInt8] = []

    /// Where the value that was begun last is in the file.
    package private(set) var valueOffset: UInt64 = 0

    package init(
        _ input: any ByteInput,
        options: Options = Options(),
        limits: Limits = Limits(),
        bufferByteCount: Int = InputPiece.byteCount
    ) {
        self.input = input
        self.options = options
        self.limits = limits
        buffer = [UInt8](repeating: 0, count: bufferByteCount)
    }

    /// How many containers are open.
    var depth: Int { stack.count }

    /// Where the next byte is in the file.
    package var offset: UInt64 { base + UInt64(position) }

    // MARK: Tokens

    /// The next token.
    package func next() throws -> Token {
        if base == 0, position == 0 { try begin() }
        try skipSpace()
        switch expected {
        case .value: return stack.isEmpty ? try root() : try value()
        case .elementOrEnd:
            if try take(UInt8(ascii: "]")) { return close() }
            return try value()
        case .nameOrEnd:
            if try take(UInt8(ascii: "}")) { return close() }
            return try name()
        case .separator: return try afterValue()
        }
    }

    private func root() throws -> Token {
        guard try peek() != nil else {
            if options.isSequence, rootCount > 0 { return .end }
            throw LegacyError(
                .empty,
                "The file holds nothing.",
                advice: "Export the library again."
            )
        }
        if rootCount > 0, line == lineOfLastRoot {
            throw malformed("has two values on one line")
        }
        return try value()
    }

    private func afterValue() throws -> Token {
        guard let top = stack.last else {
            rootCount += 1
            guard try peek() != nil else { return .end }
            guard options.isSequence else { throw malformed("goes on after its end") }
            expected = .value
            return try root()
        }
        switch top {
        case .array:
            if try take(UInt8(ascii: "]")) { return close() }
            try expect(UInt8(ascii: ","), "a comma or the end of an array")
            try skipSpace()
            return try value()
        case .object:
            if try take(UInt8(ascii: "}")) { return close() }
            try expect(UInt8(ascii: ","), "a comma or the end of an object")
            try skipSpace()
            return try name()
        }
    }

    private func name() throws -> Token {
        try expect(UInt8(ascii: "\""), "a name in quotes")
        let name = try string()
        try skipSpace()
        try expect(UInt8(ascii: ":"), "a colon")
        expected = .value
        return .name(name)
    }

    private func value() throws -> Token {
        guard let byte = try peek() else { throw truncated() }
        valueOffset = offset
        switch byte {
        case UInt8(ascii: "{"): return try open(.object)
        case UInt8(ascii: "["): return try open(.array)
        case UInt8(ascii: "\""):
            position += 1
            return finished(.string(try string()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return finished(.number(try number()))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return finished(try word())
        default: throw malformed("has no value where one must be")
        }
    }

    private func open(_ container: Container) throws -> Token {
        guard stack.count < limits.depthMax else {
            throw LegacyError(
                .limitExceeded,
                "The file nests its values more than \(limits.depthMax) levels deep.",
                advice: "Export the library again; do not trust this file.",
                byteOffset: offset,
                line: line
            )
        }
        position += 1
        stack.append(container)
        expected = container == .object ? .nameOrEnd : .elementOrEnd
        return container == .object ? .beginObject : .beginArray
    }

    private func close() -> Token {
        let container = stack.removeLast()
        return finished(container == .object ? .endObject : .endArray)
    }

    private func finished(_ token: Token) -> Token {
        expected = .separator
        if stack.isEmpty { lineOfLastRoot = line }
        return token
    }

    private func word() throws -> Token {
        let text = try letters()
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            guard options.isLenient, let number = JSONNumber(word: text) else {
                throw malformed("has a word that means nothing")
            }
            return .number(number)
        }
    }

    /// Up to nine letters: the longest word is Infinity.
    func letters() throws -> String {
        scratch.removeAll(keepingCapacity: true)
        while let byte = try peek(), (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32),
            scratch.count < 9
        {
            scratch.append(byte)
            position += 1
        }
        return String(decoding: scratch, as: UTF8.self)
    }

    // MARK: Bytes

    /// The next byte, or nil at the end.
    func peek() throws -> UInt8? {
        if position < limit { return buffer[position] }
        return try refill() ? buffer[position] : nil
    }

    func advance() { position += 1 }

    /// Appends the bytes up to the next quote, backslash or control character to `scratch`. Returns that byte without
    /// taking it, or nil where the buffer ends first.
    func takePlainText() throws -> UInt8? {
        guard try peek() != nil else { throw truncated() }
        let index =
            buffer[position..<limit].firstIndex {
                $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20
            } ?? limit
        guard scratch.count + (index - position) <= limits.stringByteCountMax else {
            throw tooLong("A text", limits.stringByteCountMax)
        }
        scratch.append(contentsOf: buffer[position..<index])
        position = index
        return index < limit ? buffer[index] : nil
    }

    /// Takes a line without its end, for what stands before the JSON.
    func takeLine() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = try peek(), byte != UInt8(ascii: "\n") {
            guard bytes.count < 1 << 16 else { throw tooLong("The first line", 1 << 16) }
            bytes.append(byte)
            position += 1
        }
        return bytes
    }

    func countLine() { line += 1 }

    package func skipSpace() throws {
        while let byte = try peek() {
            switch byte {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            position += 1
        }
    }

    private func take(_ byte: UInt8) throws -> Bool {
        guard let next = try peek() else { throw truncated() }
        guard next == byte else { return false }
        position += 1
        return true
    }

    private func expect(_ byte: UInt8, _ what: String) throws {
        guard try take(byte) else { throw malformed("lacks \(what)") }
    }

    private func refill() throws -> Bool {
        guard !isAtEnd else { return false }
        base += UInt64(limit)
        position = 0
        limit = 0
        limit = try input.fill(&buffer)
        isAtEnd = limit == 0
        return !isAtEnd
    }

    /// Skips a byte order mark; refuses other encodings.
    private func begin() throws {
        guard let first = try peek() else { return }
        let second = limit > 1 ? buffer[1] : UInt8(ascii: " ")
        if [first, second] == [0xFF, 0xFE] || [first, second] == [0xFE, 0xFF] || first == 0
            || second == 0
        {
            throw LegacyError(
                .unsupportedEncoding,
                "The file is written in UTF-16 or UTF-32, but an export is written in UTF-8.",
                advice: "Export the library again, or convert the file to UTF-8."
            )
        }
        if limit >= 3, buffer[..<3].elementsEqual(FilePrefix.byteOrderMark) { position = 3 }
    }

    // MARK: Errors

    package func malformed(_ what: String) -> LegacyError {
        LegacyError(
            .malformed,
            "The file \(what).",
            advice: "It was damaged or edited: export the library again.",
            byteOffset: offset,
            line: line
        )
    }

    func truncated() -> LegacyError {
        LegacyError(
            .truncated,
            "The file ends in the middle.",
            advice: "It was not copied or exported completely: export the library again.",
            byteOffset: offset,
            line: line
        )
    }

    func tooLong(_ what: String, _ byteCountMax: Int) -> LegacyError {
        LegacyError(
            .limitExceeded,
            "\(what) in the file is longer than \(byteCountMax) bytes.",
            advice: "Export the library again; do not trust this file.",
            byteOffset: offset,
            line: line
        )
    }
}
