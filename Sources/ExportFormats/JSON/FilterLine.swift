/// What `realm2json --filter` prints before the objects that it found (realm-core, `realm2json.cpp`):
///
/// ```
/// filter 'name == "x"' found 2 results
/// ```
///
/// Between the first word and the last three is what somebody typed, as it was typed: with apostrophes and quotation
/// marks, and over several lines.
package enum FilterLine {
    private static let byteCountMax = 1 << 16
    private static let space = UInt8(ascii: " ")

    /// Whether a text begins with one.
    static func begins(_ text: some Collection<UInt8>) -> Bool {
        let word = Array("filter ".utf8)
        guard text.starts(with: word) else { return false }
        let quote = text.dropFirst(word.count).first
        return quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
    }

    /// Passes over one where a file begins with it.
    ///
    /// - Throws: ``LegacyError`` with the code `malformed` where the file begins with the word and goes on otherwise,
    ///   `limitExceeded` where the query is longer than 64 KiB.
    package static func skip(_ reader: JSONReader) throws {
        guard try reader.peek() == UInt8(ascii: "f") else { return }
        var line = try reader.takeLine()
        var byteCount = line.count
        guard begins(line) else { throw reader.malformed("does not begin as an export does") }
        while !isEnd(line) {
            guard try reader.peek() != nil else {
                throw reader.malformed("does not begin as an export does")
            }
            reader.advance()
            reader.countLine()
            line = try reader.takeLine()
            byteCount += line.count + 1
            guard byteCount <= byteCountMax else {
                throw reader.tooLong("The query", byteCountMax)
            }
        }
    }

    /// Whether a line ends with `' found 2 results`.
    private static func isEnd(_ line: [UInt8]) -> Bool {
        var words = line.split(separator: space)
        // Copied from a terminal of Windows.
        if words.last?.last == UInt8(ascii: "\r") { words[words.count - 1].removeLast() }
        guard words.count >= 3 else { return false }
        let end = words.suffix(3).map { $0 }
        return end[0].elementsEqual("found".utf8) && end[2].elementsEqual("results".utf8)
            && end[1].allSatisfy { (0x30...0x39).contains($0) }
    }
}
