package import Foundation

/// Feeds a file to an XML parser in pieces: mends them (``MendedText``) and lets ``MarkupGuard`` look over them on the
/// way. Only the parser's own buffer and one piece are ever in memory.
package final class CheckedStream: InputStream {
    /// How much is read at a time, in bytes.
    private static let pieceByteCount = 1 << 16

    /// Why reading ended early: a fault of the file, or what the input or `onReplacement` threw.
    package private(set) var failure: (any Error)?
    /// Whether the last byte has been handed over.
    package private(set) var isAtEnd = false
    /// Bytes of the file that were read so far.
    package private(set) var bytesRead: UInt64 = 0
    /// Called with the number of each line in which U+FFFD stands in for something that no XML holds.
    package var onReplacement: ((Int) throws -> Void)?

    private var input: (any ByteInput)?
    private var markup = MarkupGuard()
    private var mended = MendedText()
    /// What of the file is mended and not handed over yet.
    private var text: ArraySlice<UInt8> = []
    /// How much was handed over.
    private var textByteCount: UInt64 = 0
    /// The end of the last piece, whose meaning depends on the next one.
    private var carried: [UInt8] = []
    private var hasReadAll = false
    private let decodesDeclared: Bool
    /// What the file declares, where its characters are bytes.
    package private(set) var encoding = TextEncoding.utf8

    /// - Parameter decodesDeclared: whether an XML declaration may name another encoding than UTF-8.
    package init(_ input: any ByteInput, decodesDeclared: Bool = false) {
        self.input = input
        self.decodesDeclared = decodesDeclared
        super.init(data: Data())
    }

    /// Whether what was read so far ends inside a tag, a comment or the like.
    package var endsInsideMarkup: Bool { markup.isInsideMarkup }

    /// How many lines before the first markup the parser does not get to see.
    package var skippedLineCount: Int { mended.skipped.lineCount }

    /// Lets go of the input and the closure when the parse is over, so that neither lives as long as the parser.
    package func finish() {
        input = nil
        onReplacement = nil
    }

    package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard failure == nil else { return -1 }
        do {
            return try unsafe fill(UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
        } catch {
            failure = error
            return -1
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while text.isEmpty, !hasReadAll { try readPiece() }
        let piece = text.prefix(buffer.count)
        guard !piece.isEmpty else {
            isAtEnd = true
            return 0
        }
        unsafe buffer.copyBytes(from: piece)
        do {
            try unsafe markup.check(.init(rebasing: buffer[..<piece.count]), at: textByteCount)
        } catch {
            // Where the text has become longer or shorter, its places are not those of the file.
            let isMoved = mended.hasReplaced || encoding != .utf8
            let offset =
                isMoved ? nil : error.byteOffset.map { $0 + mended.skipped.byteCount }
            throw LegacyError(error.code, error.message, advice: error.advice, byteOffset: offset)
        }
        textByteCount += UInt64(piece.count)
        text = text.dropFirst(piece.count)
        return piece.count
    }

    private func readPiece() throws {
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        let count = try input?.fill(&piece) ?? 0
        piece.removeSubrange(count...)
        if bytesRead == 0 {
            try FilePrefix.refuseForeign(piece[...])
            if decodesDeclared { declare(&piece) }
        }
        bytesRead += UInt64(count)
        hasReadAll = count == 0
        carried += encoding == .utf8 ? piece : Array(encoding.text(piece[...]).utf8)
        let (mendedText, taken) = try mended.mend(carried, isLast: hasReadAll) {
            try onReplacement?($0)
        }
        text = mendedText[...]
        carried.removeFirst(taken)
    }

    /// Finds the encoding that the declaration at the beginning names, and makes it UTF-8, which the parser gets.
    private func declare(_ piece: inout [UInt8]) {
        let start = piece.prefix(MarkupGuard.declarationByteCountMax)
        guard let end = start.firstRange(of: Array("?>".utf8)),
            let name = start[..<end.lowerBound].firstRange(of: Array("encoding=".utf8)),
            let quote = piece[name.upperBound...].first,
            let close = piece[(name.upperBound + 1)..<end.lowerBound].firstIndex(of: quote),
            let declared = TextEncoding(label: String(decoding: piece[(name.upperBound + 1)..<close], as: UTF8.self)),
            declared.isOfBytes
        else { return }
        encoding = declared
        piece.replaceSubrange((name.upperBound + 1)..<close, with: "UTF-8".utf8)
    }

    package override func open() {}
    package override func close() {}
    package override var hasBytesAvailable: Bool { !isAtEnd && failure == nil }
    package override var streamError: (any Error)? { failure }
    package override var streamStatus: Stream.Status {
        failure != nil ? .error : isAtEnd ? .atEnd : .open
    }
}
