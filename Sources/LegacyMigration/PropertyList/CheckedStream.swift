import Foundation
import RepriseLog

/// Feeds a file to an XML parser in pieces: hashes them, checks that they are UTF-8 and lets
/// ``MarkupGuard`` look over them on the way. Only the parser's own buffer is ever in memory.
final class CheckedStream: InputStream {
    /// How many bytes lie between two reports of progress.
    private static let progressByteCount: UInt64 = 4 << 20

    /// Why reading ended early: a fault of the file, or what `onProgress` threw.
    private(set) var failure: (any Error)?
    /// Whether the last byte has been handed over.
    private(set) var isAtEnd = false
    /// Bytes handed over so far, byte order mark included.
    private(set) var bytesRead: UInt64 = 0
    /// Called with `bytesRead` now and then. Set to nil when the parse is over, so that no closure
    /// outlives it.
    var onProgress: ((UInt64) throws -> Void)?

    private let file: ExportFile
    private var contentSoFar = SHA256Hash()
    private var markup = MarkupGuard()
    private var lastProgress: UInt64 = 0
    private var markByteCount: UInt64 = 0
    /// The beginning of a character whose end was not read yet.
    private var carried: [UInt8] = []

    init(_ file: consuming ExportFile) {
        self.file = file
        super.init(data: Data())
    }

    /// The hash of everything read; of the whole file once `isAtEnd`.
    var contentHash: ContentHash { ContentHash(contentSoFar.digest) }

    /// Whether what was read so far ends inside a tag, a comment or the like.
    var endsInsideMarkup: Bool { markup.isInsideMarkup }

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
        var complete = 0
        repeat {
            let start = carried.count
            unsafe buffer.copyBytes(from: carried)
            let count = try unsafe file.read(into: .init(rebasing: buffer[start...]))
            guard count > 0 else {
                guard carried.isEmpty else { throw invalidText(at: bytesRead) }
                isAtEnd = true
                return 0
            }
            let filled = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<(start + count)])
            unsafe contentSoFar.update(.init(rebasing: filled[start...]))
            complete = try unsafe check(filled)
            unsafe carried = Array(filled[complete...])
        } while complete == 0
        bytesRead += UInt64(complete)
        if bytesRead - lastProgress >= Self.progressByteCount {
            lastProgress = bytesRead
            try onProgress?(bytesRead)
        }
        return complete
    }

    /// Returns how many bytes of `piece` can be handed over: all but the beginning of a character.
    private func check(_ piece: UnsafeRawBufferPointer) throws -> Int {
        var skipped = 0
        if bytesRead == 0 {
            try unsafe FilePrefix.refuseForeign(piece)
            if unsafe piece.starts(with: FilePrefix.byteOrderMark) {
                skipped = FilePrefix.byteOrderMark.count
                markByteCount = UInt64(skipped)
            }
        }
        let complete: Int
        switch unsafe UTF8Validation.check(piece) {
        case .valid(let count): complete = count
        case .invalid(let offset): throw invalidText(at: bytesRead + UInt64(offset))
        }
        guard complete > skipped else { return complete }
        let text = unsafe UnsafeRawBufferPointer(rebasing: piece[skipped..<complete])
        let base = bytesRead + UInt64(skipped) - markByteCount
        do {
            try unsafe markup.check(text, at: base)
        } catch {
            throw error.at(byteOffset: error.byteOffset.map { $0 + markByteCount })
        }
        return complete
    }

    private func invalidText(at offset: UInt64) -> LegacyError {
        LegacyError(
            .invalidText,
            "The file holds bytes that are no UTF-8 text.",
            advice: "It was damaged or converted: export the library again.",
            byteOffset: offset
        )
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
    static func refuseForeign(_ bytes: UnsafeRawBufferPointer) throws(LegacyError) {
        if unsafe bytes.starts(with: "bplist".utf8) {
            throw LegacyError(
                .binaryPropertyList,
                "The file is a binary property list, not an XML one.",
                advice: "Convert it with `plutil -convert xml1`, or export the library as XML."
            )
        }
        for start in wideStarts where unsafe bytes.starts(with: start) {
            throw LegacyError(
                .unsupportedEncoding,
                "The file is written in UTF-16 or UTF-32, but an export is written in UTF-8.",
                advice: "Export the library again, or convert the file to UTF-8."
            )
        }
        var text = unsafe bytes[...]
        if unsafe text.starts(with: byteOrderMark) {
            unsafe text = text.dropFirst(byteOrderMark.count)
        }
        let first = unsafe text.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
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
