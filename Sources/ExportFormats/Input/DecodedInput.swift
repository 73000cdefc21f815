/// The text of a file in UTF-8, however it is written.
///
/// Of an encoding whose characters are bytes, lines that are letters of UTF-8 are read as these: a file may have been
/// written by two programs.
package final class DecodedInput: ByteInput {
    /// How long a line may be that has to be decoded at once, in bytes.
    private static let lineByteCountMax = 64 << 20

    private let input: any ByteInput
    private let encoding: TextEncoding
    private var piece = [UInt8](repeating: 0, count: InputPiece.byteCount)
    private var carried: [UInt8] = []
    private var text: ArraySlice<UInt8> = []
    private var isAtStart = true
    private var isAtEnd = false

    package init(_ input: any ByteInput, _ encoding: TextEncoding) {
        self.input = input
        self.encoding = encoding
    }

    package func fill(_ buffer: inout [UInt8]) throws -> Int {
        if encoding == .utf8 { return try input.fill(&buffer) }
        while text.isEmpty, !isAtEnd { try decode() }
        let count = min(buffer.count, text.count)
        buffer.replaceSubrange(..<count, with: text.prefix(count))
        text = text.dropFirst(count)
        return count
    }

    private func decode() throws {
        let count = try input.fill(&piece)
        isAtEnd = count == 0
        carried += piece[..<count]
        if isAtStart, let mark = TextEncoding.marked(carried[...]) {
            carried.removeFirst(mark.byteCount)
        }
        isAtStart = false
        guard carried.count <= Self.lineByteCountMax else {
            throw LegacyError(
                .limitExceeded,
                "A line is longer than \(Self.lineByteCountMax) bytes.",
                advice: "Check that the file is a table or a playlist."
            )
        }
        let end = isAtEnd ? carried.count : wholeByteCount
        let whole = carried[..<end]
        if encoding.isOfBytes {
            let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: false)
            text = Array(lines.map { utf8($0) }.joined(separator: [0x0A]))[...]
        } else {
            text = Array(encoding.text(whole).utf8)[...]
        }
        carried.removeFirst(end)
    }

    private func utf8(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.contains(where: { $0 >= 0x80 }) else { return Array(line) }
        return String(validating: line, as: UTF8.self) == nil ? Array(encoding.text(line).utf8) : Array(line)
    }

    /// Up to the last end of a line; of UTF-16, up to what is no half of a pair.
    private var wholeByteCount: Int {
        guard encoding == .utf16LittleEndian || encoding == .utf16BigEndian else {
            return carried.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
        }
        let even = carried.count & ~1
        guard even >= 2 else { return 0 }
        let last = encoding == .utf16BigEndian ? carried[even - 2] : carried[even - 1]
        return (0xD8...0xDB).contains(last) ? even - 2 : even
    }
}
