/// What the first bytes of a file tell.
package enum FilePrefix {
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
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
