/// The lines of a text file, whatever ends them.
final class TextLines {
    enum Encoding: Sendable {
        case utf8, windows1252
        /// To be found out.
        case unknown
    }

    /// The most bytes of a line.
    static let lineByteCountMax = 1 << 20
    /// What Windows-1252 has in the places 0x80...0x9F (WHATWG, Encoding).
    private static let special: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039,
        0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    private let input: any ByteInput
    private let encoding: Encoding
    private var buffer = [UInt8](repeating: 0, count: FileInput.pieceByteCount)
    private var position = 0
    private var limit = 0
    private var isAtEnd = false
    private var endedWithReturn = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0
    /// Whether lines of a file in Windows-1252 are letters of UTF-8, as which they are read.
    private(set) var hasUTF8 = false

    init(_ input: any ByteInput, _ encoding: Encoding) {
        self.input = input
        self.encoding = encoding
    }

    /// The next line as text, or nil at the end.
    func next() throws -> String? {
        guard let bytes = try nextBytes() else { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        if encoding == .windows1252 {
            // Two letters that are one of UTF-8 together are hardly meant.
            if let text, text.utf8.count == text.unicodeScalars.count { return text }
            hasUTF8 = hasUTF8 || text != nil
            return text ?? Self.windows1252(bytes)
        }
        guard let text else {
            throw LegacyError(
                .invalidText,
                "The file holds bytes that are no UTF-8 text.",
                advice: "Save it in UTF-8, or give it a name that ends in m3u.",
                line: number
            )
        }
        return text
    }

    /// The bytes of the next line without its end and without a byte order mark, or nil at the end.
    func nextBytes() throws -> [UInt8]? {
        guard try fill() else { return nil }
        var bytes: [UInt8] = []
        number += 1
        while try fill() {
            let byte = buffer[position]
            position += 1
            if byte == 0x0A || byte == 0x0D {
                endedWithReturn = byte == 0x0D
                return checked(bytes)
            }
            guard byte != 0 else { throw notText }
            guard bytes.count < Self.lineByteCountMax else {
                throw LegacyError(
                    .limitExceeded,
                    "A line is longer than \(Self.lineByteCountMax) bytes.",
                    advice: "Check that the file is a playlist.",
                    line: number
                )
            }
            bytes.append(byte)
        }
        return checked(bytes)
    }

    private func checked(_ bytes: [UInt8]) -> [UInt8] {
        number == 1 && bytes.starts(with: FilePrefix.byteOrderMark)
            ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Whether there is a byte at `position`, after the line feed that follows a carriage return.
    private func fill() throws -> Bool {
        while true {
            if position == limit {
                guard !isAtEnd else { return false }
                limit = try input.fill(&buffer)
                position = 0
                isAtEnd = limit == 0
                continue
            }
            guard endedWithReturn else { return true }
            endedWithReturn = false
            if buffer[position] == 0x0A { position += 1 } else { return true }
        }
    }

    private var notText: LegacyError {
        LegacyError(
            .malformed,
            "The file is no text, or it is written in UTF-16.",
            advice: "Name a playlist, or save it in UTF-8.",
            line: number
        )
    }

    private static func windows1252(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            let code = (0x80...0x9F).contains(byte) ? special[Int(byte) - 0x80] : UInt32(byte)
            text.unicodeScalars.append(Unicode.Scalar(code) ?? "\u{FFFD}")
        }
        return text
    }
}
