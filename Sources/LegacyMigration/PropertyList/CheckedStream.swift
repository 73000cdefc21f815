import Foundation
import RepriseLog

/// Feeds a file to an XML parser in pieces: hashes them, mends them (``MendedText``) and lets ``MarkupGuard`` look over
/// them on the way. Only the parser's own buffer and one piece are ever in memory.
final class CheckedStream: InputStream {
    /// How many bytes lie between two reports of progress.
    private static let progressByteCount: UInt64 = 4 << 20
    /// How much is read at a time, in bytes.
    private static let pieceByteCount = 1 << 16

    /// Why reading ended early: a fault of the file, or what `onProgress` or `onReplacement` threw.
    private(set) var failure: (any Error)?
    /// Whether the last byte has been handed over.
    private(set) var isAtEnd = false
    /// Bytes of the file that were read so far.
    private(set) var bytesRead: UInt64 = 0
    /// Called with `bytesRead` now and then. Set to nil when the parse is over, so that no closure
    /// outlives it.
    var onProgress: ((UInt64) throws -> Void)?
    /// Called with the number of each line in which U+FFFD stands in for something that no XML holds.
    var onReplacement: ((Int) throws -> Void)?

    private let file: ExportFile
    private var contentSoFar = SHA256Hash()
    private var markup = MarkupGuard()
    private var mended = MendedText()
    private var lastProgress: UInt64 = 0
    /// What of the file is mended and not handed over yet.
    private var text: ArraySlice<UInt8> = []
    /// How much was handed over.
    private var textByteCount: UInt64 = 0
    /// The end of the last piece, whose meaning depends on the next one.
    private var carried: [UInt8] = []
    private var hasReadAll = false
    private let decodesDeclared: Bool
    /// What the file declares, where its characters are bytes.
    private(set) var encoding = TextEncoding.utf8

    /// - Parameter decodesDeclared: whether an XML declaration may name another encoding than UTF-8.
    init(_ file: consuming ExportFile, decodesDeclared: Bool = false) {
        self.file = file
        self.decodesDeclared = decodesDeclared
        super.init(data: Data())
    }

    /// The hash of everything read; of the whole file once `isAtEnd`.
    var contentHash: ContentHash { ContentHash(contentSoFar.digest) }

    /// Whether what was read so far ends inside a tag, a comment or the like.
    var endsInsideMarkup: Bool { markup.isInsideMarkup }

    /// How many lines before the first markup the parser does not get to see.
    var skippedLineCount: Int { mended.skipped.lineCount }

    /// Throws `.changedWhileReading` unless the file is still what it was.
    func checkUnchanged(since stamp: ExportFile.Stamp) throws(LegacyError) {
        try file.checkUnchanged(since: stamp)
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
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
        let count = try unsafe piece.withUnsafeMutableBytes { bytes throws(LegacyError) in
            let count = try unsafe file.read(into: bytes)
            unsafe contentSoFar.update(.init(rebasing: bytes[..<count]))
            return count
        }
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
        if bytesRead - lastProgress >= Self.progressByteCount {
            lastProgress = bytesRead
            try onProgress?(bytesRead)
        }
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

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { !isAtEnd && failure == nil }
    override var streamError: (any Error)? { failure }
    override var streamStatus: Stream.Status {
        failure != nil ? .error : isAtEnd ? .atEnd : .open
    }
}

/// What the first bytes of a file tell.
enum FilePrefix {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let wideStarts: [[UInt8]] = [
        [0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0x00], [0x00, 0x3C], [0x00, 0x00, 0x00, 0x3C],
    ]

    /// Refuses what is known not to be an XML file in UTF-8, each with its own advice.
    static func refuseForeign(_ bytes: ArraySlice<UInt8>) throws(LegacyError) {
        if bytes.starts(with: "bplist".utf8) {
            throw LegacyError(
                .binaryPropertyList,
                "The file is a binary property list, not an XML one.",
                advice: "Convert it with `plutil -convert xml1`, or export the library as XML."
            )
        }
        for start in wideStarts where bytes.starts(with: start) {
            throw LegacyError(
                .unsupportedEncoding,
                "The file is written in UTF-16 or UTF-32, but an export is written in UTF-8.",
                advice: "Export the library again, or convert the file to UTF-8."
            )
        }
        let text = bytes.dropFirst(bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
        let first = text.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        guard first == nil || first == UInt8(ascii: "<") else { throw notXML }
    }

    static var notXML: LegacyError {
        LegacyError(
            .unknownFormat,
            "The file is not XML.",
            advice:
                "Choose the XML file that Music or iTunes exports (File, Library, Export Library)."
        )
    }
}
