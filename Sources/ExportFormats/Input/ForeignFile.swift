/// Files that are taken for exports, told by how they begin: what each is, and what to do with it.
enum ForeignFile {
    private struct Kind {
        let starts: [[UInt8]]
        let message: String
        let advice: String

        init(_ starts: String..., says message: String, advice: String) {
            self.init(starts.map { Array($0.utf8) }, message, advice)
        }

        init(_ starts: [[UInt8]], _ message: String, _ advice: String) {
            self.starts = starts
            self.message = message
            self.advice = advice
        }
    }

    private static let playlistAdvice = "Export its playlists as M3U8 there, and name those files."
    private static let unpacking = "Unpack the file, and name the file that comes out."

    private static let kinds = [
        Kind([[0x1F, 0x8B, 0x08]], "The file is packed with gzip.", unpacking),
        Kind("BZh", says: "The file is packed with bzip2.", advice: unpacking),
        Kind([[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]], "The file is packed with xz.", unpacking),
        Kind([[0x28, 0xB5, 0x2F, 0xFD]], "The file is packed with Zstandard.", unpacking),
        Kind([[0x37, 0x7A, 0xBC, 0xAF]], "The file is a 7z archive.", unpacking),
        Kind("Rar!", says: "The file is a RAR archive.", advice: unpacking),
        Kind("PK\u{3}\u{4}", "PK\u{5}\u{6}", says: "The file is a zip archive.", advice: unpacking),
        Kind(
            "hdfm",
            "hfma",
            says: "The file is the database of iTunes or Music, which only iTunes and Music read.",
            advice:
                "Export the library as XML in iTunes or Music (File, Library, Export Library), and name that file."
        ),
        Kind(
            "[playlist]",
            says: "The file is a playlist in the form PLS, which Reprise does not read.",
            advice: "Save the playlist as M3U8 or XSPF in a player, and name that file."
        ),
        Kind(
            "version https://git-lfs.github.com/spec/",
            says:
                "The file is a pointer of Git LFS: it stands in for the file, whose content is elsewhere.",
            advice: "Get the content with `git lfs pull`, and migrate the file then."
        ),
        Kind(
            "<HealthData",
            "<!DOCTYPE HealthData",
            says: "The file is an export of Apple Health, which Reprise does not read.",
            advice: "Make a CSV or lines of JSON of the records that you need, and name that file."
        ),
        Kind(
            "<DJ_PLAYLISTS",
            says: "The file is a collection of rekordbox, which Reprise does not read.",
            advice: playlistAdvice
        ),
        Kind(
            "<NML VERSION",
            says: "The file is a collection of Traktor, which Reprise does not read.",
            advice: playlistAdvice
        ),
        Kind(
            "<rhythmdb",
            says: "The file is the library of Rhythmbox, which Reprise does not read.",
            advice: playlistAdvice
        ),
        Kind(
            "<opml",
            says: "The file is a list of subscriptions (OPML), which Reprise does not read.",
            advice: "Make a CSV of it, a row for each subscription, and name that file."
        ),
        Kind(
            "<!doctype html",
            "<html",
            says: "The file is a web page.",
            advice: "Download the export again: a page came in the place of the file."
        ),
    ]

    private static let workbook = Kind(
        says: "The file is an Excel workbook.",
        advice: "Save the sheet as CSV UTF-8 in Excel (File, Save As), and name that file."
    )

    /// Throws where a file begins as one of these. White space and an XML declaration before that make no difference.
    ///
    /// - Complexity: O(prefix).
    static func refuse(_ prefix: [UInt8], path: String) throws(LegacyError) {
        guard
            var kind = kinds.first(where: { $0.starts.contains(where: prefix.starts) })
                ?? byText(prefix)
        else {
            return
        }
        let isWorkbook =
            path.lowercased().hasSuffix(".xlsx") || prefix.firstRange(of: Array("xl/".utf8)) != nil
        if prefix.first == UInt8(ascii: "P"), isWorkbook { kind = workbook }
        throw LegacyError(.unknownFormat, kind.message, advice: kind.advice)
    }

    private static func byText(_ prefix: [UInt8]) -> Kind? {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var text = prefix.dropFirst(prefix.starts(with: FilePrefix.byteOrderMark) ? 3 : 0).drop(
            while: isSpace
        )
        if text.starts(with: "<?xml".utf8), let end = text.firstIndex(of: UInt8(ascii: ">")) {
            text = text[(end + 1)...].drop(while: isSpace)
        }
        let start = String(decoding: text.prefix(64), as: UTF8.self).lowercased().utf8
        return kinds.first { kind in
            kind.starts.contains {
                $0.count > 4
                    && start.starts(with: String(decoding: $0, as: UTF8.self).lowercased().utf8)
            }
        }
    }
}
