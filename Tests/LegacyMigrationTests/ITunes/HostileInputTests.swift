import Foundation
import LegacyMigration
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct HostileInputTests {
    private static let library = "<dict><key>Tracks</key><dict/></dict>"

    /// The error's code, what it says being checked on the way.
    private func refusal(_ bytes: some Sequence<UInt8>) throws -> LegacyError.Code? {
        do {
            _ = try Readout(bytes)
            return nil
        } catch let error as LegacyError {
            #expect(
                error.message.hasSuffix(".") && error.advice.hasSuffix(".")
                    || error.advice.hasSuffix(").")
            )
            return error.code
        }
    }

    @Test(arguments: [
        ("", LegacyError.Code.empty), ("hello", .unknownFormat), ("<", .truncated),
        ("bplist00\u{0}", .binaryPropertyList), ("<rss/>", .notALibrary),
        ("<plist/>", .notALibrary),
        ("<plist><array/></plist>", .notALibrary), ("<plist><dict/></plist>", .notALibrary),
        ("<plist><string>x</string></plist>", .notALibrary),
        ("<plist><dict><key>Tracks</key><array/></dict></plist>", .notALibrary),
        ("<plist", .truncated), ("<plist><dict><key>Tracks</key><dict>", .truncated),
        ("<plist>\(library)</plist>x", .malformed),
        ("<plist>\(library)\(library)</plist>", .malformed),
        ("<plist><dict><key>A</key></dict></plist>", .malformed),
        ("<plist><dict><integer>1</integer></dict></plist>", .malformed),
        ("<plist><dict>x</dict></plist>", .malformed), ("<plist>&undefined;</plist>", .malformed),
        ("<plist><dict><key>a</key><array><key>x</key></array></dict></plist>", .malformed),
        ("<plist><dict><key>a</key><string><b/></string></dict></plist>", .malformed),
        (
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist>\(library)</plist>",
            .unsupportedEncoding
        ),
        ("<?x?><plist>\(library)</plist>", .forbiddenDeclaration),
        ("<plist><?php x ?>\(library)</plist>", .forbiddenDeclaration),
        ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist>&a;</plist>", .forbiddenDeclaration),
        (
            "<!DOCTYPE plist SYSTEM \"x\" [<!NOTATION n SYSTEM \"x\">]><plist/>",
            .forbiddenDeclaration
        ),
        ("<plist><!ENTITY a \"b\"></plist>", .forbiddenDeclaration),
        ("<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist>&x;</plist>", .malformed),
    ])
    func `what is no library is refused by name`(text: String, expected: LegacyError.Code) throws {
        #expect(try refusal(text.utf8) == expected)
    }

    @Test(arguments: [
        ([0x3C, 0x70, 0xFF], .truncated), (Array("<plist><!-- ".utf8) + [0xC3, 0x28], .truncated),
        (Array("<plist>&".utf8) + [0xED, 0xA0, 0x80], .malformed),
        (Array("<plist a".utf8) + [0xF5, 0x80], .truncated),
        (Array("<plist>".utf8) + [0xE2, 0x82], .malformed), (Array("<pli\u{0}st></plist>".utf8), .notALibrary),
    ] as [([UInt8], LegacyError.Code)])
    func `bytes that are no text are no names and no values`(bytes: [UInt8], expected: LegacyError.Code) throws {
        #expect(try refusal(bytes) == expected)
    }

    @Test func `UTF-16 is refused, a byte order mark of UTF-8 is not`() throws {
        let text = String(decoding: LibraryText.library([LibraryText.track(1, "A")]), as: UTF8.self)
        #expect(try refusal(text.data(using: .utf16) ?? Data()) == .unsupportedEncoding)
        #expect(try refusal(text.data(using: .utf16LittleEndian) ?? Data()) == .unsupportedEncoding)
        #expect(try refusal([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == nil)
    }

    @Test func `a library may hold comments, CDATA and unknown values`() throws {
        let more =
            "<!-- <?x?> <!ENTITY> --><key>X</key>"
            + "<array><dict><key>a</key><real>1</real></dict></array>"
            + "<key>Artist</key><string>a<![CDATA[<b>&amp;]]>c</string>"
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", more)]))
        #expect(readout.record("track", "A")?["artist"] == .string("a<b>&amp;c"))
    }

    @Test func `values are refused deeper than 64 levels, and 200,000 levels end as soon`() throws {
        func nested(_ count: Int) -> [UInt8] {
            let more =
                "<key>X</key>" + String(repeating: "<array>", count: count)
                + String(repeating: "</array>", count: count)
            return LibraryText.library([LibraryText.track(1, "A", more)], id: nil)
        }
        #expect(try refusal(nested(60)) == nil)
        #expect(try refusal(nested(61)) == .limitExceeded)
        #expect(try refusal(nested(200_000)) == .limitExceeded)
        #expect(
            try refusal(
                Array("<plist><dict><key>Tracks</key>".utf8)
                    + Array(repeatElement("<dict><key>1</key>", count: 200_000).joined().utf8)
            ) == .limitExceeded
        )
    }

    @Test func `lengths have limits`() throws {
        func library(_ more: String) -> [UInt8] {
            LibraryText.library([LibraryText.track(1, "A", more)])
        }
        let long = longText("x", count: (16 << 20) + 1)
        #expect(try refusal(library(LibraryText.string("Artist", String(long.dropLast())))) == nil)
        #expect(try refusal(library(LibraryText.string("Artist", long))) == .limitExceeded)
        #expect(try refusal(library("<key>\(long.prefix(4097))</key><true/>")) == .limitExceeded)
        #expect(try refusal(library("<!--\(long.prefix(2 << 20))-->")) == .limitExceeded)
        #expect(try refusal("<plist a=\"\(long.prefix(8000))\"/>".utf8) == .limitExceeded)
        #expect(
            try refusal("<!DOCTYPE plist SYSTEM \"\(long.prefix(2000))\"><plist/>".utf8)
                == .limitExceeded
        )
    }

    @Test func `a directory, a pipe and nothing at all are refused without waiting`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let pipe = directory + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(try code { _ = try ITunesLibrarySource(path: directory) } == .notAFile)
        #expect(try code { _ = try ITunesLibrarySource(path: pipe) } == .notAFile)
        #expect(try code { _ = try ITunesLibrarySource(path: "/dev/zero") } == .notAFile)
        #expect(try code { _ = try ITunesLibrarySource(path: directory + "/none") } == .noSuchFile)
        #expect(
            try code { _ = try ITunesLibrarySource(path: directory + "/none/x") } == .noSuchFile
        )
    }

    @Test func `every beginning of a library is refused as unfinished`() throws {
        let library = LibraryText.library(
            [LibraryText.track(1, "A", LibraryText.string("Artist", "é&#38;x"))],
            playlists: [LibraryText.playlist("P", [1])]
        )
        let root = try #require(library.firstRange(of: Array("<plist".utf8))).lowerBound
        let reference = try #require(library.firstRange(of: Array("&#38;".utf8)))
        for count in 0..<library.count {
            let refused = try #require(
                try refusal(library.prefix(count)),
                "\(count) bytes were accepted"
            )
            let expected: Set<LegacyError.Code> =
                switch count {
                case ...root: [.empty, .unknownFormat, .truncated]
                // Inside a character, or a reference, which XML calls malformed and not unfinished.
                case reference.lowerBound - 1: [.truncated]
                case reference.lowerBound + 1..<reference.upperBound: [.malformed, .truncated]
                default: [.truncated]
                }
            #expect(expected.contains(refused), "\(count) bytes")
        }
    }

    @Test(arguments: 0..<20)
    func `mutants of the sample give a result or a typed error`(series: Int) throws {
        let sample = try [UInt8](Data(contentsOf: URL(filePath: Repository.sample)))
        // The head with a few tracks, and the playlists: small enough for many mutants.
        let tail = try #require(sample.firstRange(of: Array("\t</dict>\n\t<key>Playlists".utf8)))
        let cut = try #require(sample[9000...].firstRange(of: Array("\t\t</dict>\n".utf8)))
        let seed = Array(sample[..<cut.upperBound] + sample[tail.lowerBound...])
        var generator = SeededGenerator(seed: UInt64(series))
        var refusals = 0
        for _ in 0..<100 {
            let mutant = Mutation.mutate(seed, using: &generator)
            do {
                #expect(try Readout(mutant).brokenReferences.isEmpty)
            } catch is LegacyError {
                refusals += 1
            }
        }
        #expect(refusals > 10 && refusals < 100)
    }
}

/// Damages a file a little.
private enum Mutation {
    private static let tokens = [
        "<", ">", "&", "<!--", "-->", "<![CDATA[", "]]>", "<?x?>", "<!DOCTYPE plist [", "&#0;",
        "&a;", "\"",
        "<key>", "</key>", "<dict>", "</dict>", "<array>", "<string>", "</plist>", "<true/>",
        "\u{0}", "]>",
        "99999999999999999999", "<key>Tracks</key>", "<key>Persistent ID</key>", "xmlns=\"x\"",
        "\u{FFFE}",
    ].map { Array($0.utf8) }

    static func mutate(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...200, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.removeSubrange(place...)
            case 5:
                let other = Int.random(in: 0..<bytes.count, using: &generator)
                bytes.insert(contentsOf: bytes[place..<end], at: other)
            default:
                let token = tokens.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: token, at: place)
            }
        }
        return bytes
    }
}
