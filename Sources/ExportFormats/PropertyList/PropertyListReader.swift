package import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads an XML property list as a stream of events, with limits on everything that a file could
/// overdo.
///
/// Grammar: Apple's `PropertyList-1.0.dtd`: a `plist` element around one value; a `dict` of
/// alternating `key` and value elements, an `array` of values, and `string`, `integer`, `real`,
/// `date`, `data`, `true`, `false`.
package final class PropertyListReader: NSObject {
    static let depthMax = 64
    static let textByteCountMax = 16 << 20
    static let keyByteCountMax = 4096

    enum Element {
        case plist, dictionary, array, key
        case scalar(PropertyListScalar.Kind)
    }

    /// An open `plist`, `dict` or `array`.
    struct Level {
        enum Kind { case plist, dictionary, array }
        let kind: Kind
        /// A `plist`: whether it has its value.
        var hasValue = false
        /// A `dict`: the key whose value comes next.
        var key: String?
    }

    let stream: CheckedStream
    private let parser: XMLParser
    var handler: (any PropertyListHandler)?
    var failure: (any Error)?
    var levels: [Level] = []
    /// The open element that holds text instead of elements.
    var leaf: Element?
    var text = ""
    /// How many levels were open when a skipped container began.
    var skippedFrom: Int?
    var isComplete = false

    package init(_ stream: CheckedStream) {
        self.stream = stream
        parser = XMLParser(stream: stream)
        super.init()
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
    }

    /// Reads to the end, or until the handler throws ``EnoughRead``.
    ///
    /// - Throws: what the handler or the stream threw; ``LegacyError`` for what the file is.
    package func read(_ handler: any PropertyListHandler) throws {
        self.handler = handler
        parser.delegate = self
        defer {
            parser.delegate = nil
            self.handler = nil
            stream.finish()
        }
        _ = parser.parse()
        if failure is EnoughRead { return }
        if let failure { throw failure }
        if let failure = stream.failure { throw failure }
        if isComplete, parser.parserError == nil || stream.isAtEnd { return }
        if stream.bytesRead == 0 {
            throw LegacyError(
                .empty,
                "The file is empty.",
                advice: "Export the library again."
            )
        }
        throw unfinished()
    }

    /// Ends the parse; only the first failure counts.
    func fail(_ error: any Error) {
        guard failure == nil else { return }
        if let error = error as? LegacyError, error.line == nil {
            failure = error.at(line: line)
        } else {
            failure = error
        }
        parser.abortParsing()
    }

    /// What the XML parser found, in our words.
    func fail(parserCode: Int) {
        // The parser's codes come from libxml2: 5 is both an end that came too early and content
        // after the end.
        let endCodes = [4, 5, 77]
        guard failure == nil, stream.failure == nil else { return }
        let isEnd = stream.endsInsideMarkup || endCodes.contains(parserCode)
        if stream.isAtEnd, !isComplete, isEnd {
            fail(unfinished())
        } else {
            fail(malformed("is not well-formed XML (code \(parserCode) of the XML parser)"))
        }
    }

    /// The line of the file that the parser has come to.
    private var line: Int { stream.skippedLineCount + parser.lineNumber }

    func unfinished() -> LegacyError {
        if levels.isEmpty, !stream.endsInsideMarkup { return FilePrefix.notXML }
        return LegacyError(
            .truncated,
            "The file ends in the middle.",
            advice: "It was not copied or exported completely: export the library again.",
            byteOffset: stream.bytesRead,
            line: line
        )
    }

    func malformed(_ what: String) -> LegacyError {
        LegacyError(
            .malformed,
            "The file \(what).",
            advice: "It was damaged or edited: export the library again.",
            line: line
        )
    }
}
