import ExportFormats

/// The lines of a text file, whatever ends them.
final class TextLines {
    /// The most bytes of a line.
    static let lineByteCountMax = 1 << 20

    private let input: any ByteInput
    private var buffer = [UInt8](repeating: 0, count: InputPiece.byteCount)
    private var position = 0
    private var limit = 0
    private var isAtEnd = false
    private var endedWithReturn = false
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// - Parameter input: text in UTF-8.
    init(_ input: any ByteInput) {
        self.input = input
    }

    /// The next line as text, or nil at the end.
    func next() throws -> String? { try nextBytes().map { String(decoding: $0, as: UTF8.self) } }

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
            "The file is no text, or it is written in UTF-16 without a byte order mark.",
            advice: "Name a playlist, or save it in UTF-8.",
            line: number
        )
    }
}
