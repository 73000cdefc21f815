/// Reads separated values (RFC 4180) as a stream of rows, with limits on everything that a file could overdo.
///
/// The input is text in UTF-8. Besides the RFC: any delimiter, lines that end with LF or CR alone, a byte order mark,
/// and quotes inside fields that do not begin with one. Lines without anything on them are passed over.
package final class CSVReader {
    /// What no row may exceed.
    package struct Limits {
        var fieldByteCountMax = 64 << 20
        var rowByteCountMax = 256 << 20
        var columnCountMax = 4096

        package init() {}
    }

    /// A field of a row.
    package struct Field: Equatable {
        package let text: String
        package let isQuoted: Bool

        package init(text: String, isQuoted: Bool) {
            self.text = text
            self.isQuoted = isQuoted
        }
    }

    private let input: any ByteInput
    private let limits: Limits
    let layout: Layout
    private var delimiter: UInt8 { layout.delimiter }
    private var buffer: [UInt8]
    private var position = 0
    private var limit = 0
    private var base: UInt64 = 0
    private var isAtEnd = false
    private var scratch: [UInt8] = []
    package private(set) var line = 1

    package init(_ input: any ByteInput, _ layout: Layout, limits: Limits = Limits()) {
        self.input = input
        self.limits = limits
        self.layout = layout
        buffer = [UInt8](repeating: 0, count: InputPiece.byteCount)
    }

    private var offset: UInt64 { base + UInt64(position) }

    /// The next row, or nil at the end.
    package func next() throws -> [Field]? {
        if base == 0, position == 0 { try begin() }
        while try peek() != nil {
            var fields: [Field] = []
            var byteCount = 0
            repeat {
                fields.append(try field())
                byteCount += scratch.count + 1
                guard fields.count <= limits.columnCountMax else {
                    throw tooLarge("A row has more than \(limits.columnCountMax) fields")
                }
                guard byteCount <= limits.rowByteCountMax else {
                    throw tooLarge("A row is longer than \(limits.rowByteCountMax) bytes")
                }
            } while try take(delimiter)
            try endLine()
            if fields != [Field(text: "", isQuoted: false)] { return fields }
        }
        return nil
    }

    private func begin() throws {
        guard let first = try peek() else { return }
        let second = limit > 1 ? buffer[1] : 0x20
        if [first, second] == [0xFF, 0xFE] || [first, second] == [0xFE, 0xFF] || first == 0
            || second == 0
        {
            throw LegacyError(
                .unsupportedEncoding,
                "The file is written in UTF-16 or UTF-32.",
                advice: "Save it as CSV in UTF-8."
            )
        }
        if limit >= 3, buffer[..<3].elementsEqual(FilePrefix.byteOrderMark) { position = 3 }
        guard layout.hasSeparatorLine else { return }
        while let byte = try peek(), byte != 0x0A, byte != 0x0D { position += 1 }
        try endLine()
    }

    private func field() throws -> Field {
        scratch.removeAll(keepingCapacity: scratch.capacity <= 1 << 20)
        let startLine = line
        let isQuoted = try take(UInt8(ascii: "\""))
        if isQuoted {
            try quoted(startLine)
        } else {
            while let byte = try peek(), byte != delimiter, byte != 0x0A, byte != 0x0D {
                try append(byte)
            }
        }
        return Field(text: String(decoding: scratch, as: UTF8.self), isQuoted: isQuoted)
    }

    /// The rest of a field in quotes; two quotes stand for one.
    private func quoted(_ startLine: Int) throws {
        while true {
            guard let byte = try peek() else {
                throw LegacyError(
                    .truncated,
                    "The file ends inside a field in quotes.",
                    advice:
                        "It was not copied completely, or a quote in it is not doubled: export it again.",
                    line: startLine
                )
            }
            guard byte == UInt8(ascii: "\"") else {
                if byte == 0x0A { line += 1 }
                try append(byte)
                continue
            }
            position += 1
            guard try peek() == UInt8(ascii: "\"") else { break }
            try append(UInt8(ascii: "\""))
        }
        if let byte = try peek(), byte != delimiter, byte != 0x0A, byte != 0x0D {
            throw LegacyError(
                .malformed,
                "A field goes on after its closing quote.",
                advice: "A quote inside a field has to be doubled: export the file again.",
                byteOffset: offset,
                line: line
            )
        }
    }

    private func append(_ byte: UInt8) throws {
        guard scratch.count < limits.fieldByteCountMax else {
            throw tooLarge("A field is longer than \(limits.fieldByteCountMax) bytes")
        }
        scratch.append(byte)
        position += 1
    }

    private func endLine() throws {
        if try take(0x0D) {
            line += 1
            _ = try take(0x0A)
        } else if try take(0x0A) {
            line += 1
        }
    }

    private func take(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        position += 1
        return true
    }

    private func peek() throws -> UInt8? {
        if position < limit { return buffer[position] }
        guard !isAtEnd else { return nil }
        base += UInt64(limit)
        position = 0
        limit = 0
        limit = try input.fill(&buffer)
        isAtEnd = limit == 0
        return isAtEnd ? nil : buffer[0]
    }

    private func tooLarge(_ what: String) -> LegacyError {
        LegacyError(
            .limitExceeded,
            "\(what).",
            advice: "Check that the file is CSV and its quotes are closed.",
            byteOffset: offset,
            line: line
        )
    }
}
