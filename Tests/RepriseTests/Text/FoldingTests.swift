import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// Text is folded as Specs/format/folding.md says.
struct FoldingTests {
    private func fold(_ text: String, _ folding: TextFolding) -> String {
        String(decoding: folding.folded(text), as: UTF8.self)
    }

    @Test(arguments: [
        ("É", "é", "E", "e"), ("e\u{301}", "e\u{301}", "e", "e"), ("ß", "ss", "ß", "ss"),
        ("ẞ", "ss", "ẞ", "ss"), ("İ", "i\u{307}", "I", "i"), ("ı", "ı", "i", "i"),
        ("Łódź", "łódź", "Lodz", "lodz"), ("Røyksopp", "røyksopp", "Royksopp", "royksopp"),
        ("Æsir", "æsir", "AEsir", "aesir"), ("Þórr", "þórr", "Thorr", "thorr"),
        ("ﬁn", "fin", "ﬁn", "fin"), ("ΌΣΣ", "όσσ", "ΟΣΣ", "οσσ"), ("ς", "σ", "ς", "σ"),
        ("Ёж", "ёж", "Еж", "еж"),
        ("한", "한", "\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}"),
        ("하", "하", "\u{1112}\u{1161}", "\u{1112}\u{1161}"), ("が", "が", "か\u{3099}", "か\u{3099}"),
        ("か\u{3099}", "か\u{3099}", "か\u{3099}", "か\u{3099}"), ("हि", "हि", "हि", "हि"),
        ("ไม่", "ไม่", "ไม่", "ไม่"),
        ("Ａ²", "ａ²", "Ａ²", "ａ²"), ("שָׁלוֹם", "שָׁלוֹם", "שלום", "שלום"), ("", "", "", ""),
        ("ỆÅKȘ", "ệåkș", "EAKS", "eaks"), ("\u{301}", "\u{301}", "", ""), ("𐐀", "𐐨", "𐐀", "𐐨"),
    ])
    func `each scalar becomes what the page says`(
        text: String,
        cases: String,
        marks: String,
        both: String
    ) {
        // Compared as bytes: Swift holds canonically equivalent texts for equal.
        #expect(TextFolding.ignoresCase.folded(text) == Array(cases.utf8))
        #expect(TextFolding.ignoresDiacritics.folded(text) == Array(marks.utf8))
        #expect(TextFolding.ignoresBoth.folded(text) == Array(both.utf8))
        #expect(TextFolding([]).folded(text) == Array(text.utf8))
    }

    /// All scalars of the first three planes, one after the other: folding looks at each alone.
    private static let everything: String = {
        var text = String.UnicodeScalarView()
        for code in UInt32(0)..<0x30000 {
            if let scalar = Unicode.Scalar(code) { text.append(scalar) }
        }
        return String(text)
    }()

    /// What stands in keys on disk depends on these bytes.
    @Test func `folding 1 never changes`() {
        let hashes = [TextFolding.ignoresCase, .ignoresDiacritics, .ignoresBoth].map { folding in
            let folded = folding.folded(Self.everything)
            return unsafe folded.withUnsafeBytes { unsafe XXH64.hash($0, seed: 0) }
        }
        #expect(
            hashes == [
                11_189_922_645_219_876_324, 12_396_521_679_465_581_329, 12_877_800_804_997_419_051,
            ]
        )
    }

    @Test(arguments: [TextFolding.ignoresCase, .ignoresDiacritics, .ignoresBoth])
    func `folding twice is folding once`(folding: TextFolding) {
        let once = folding.folded(Self.everything)
        var twice: [UInt8] = []
        unsafe once.withUnsafeBytes { unsafe folding.fold($0, into: &twice) }
        #expect(once == twice)
    }

    @Test func `case folding agrees with the runtime where that lowercases one scalar to one`() {
        // Cherokee folds to capitals, and these letters have a folding that is not their lower case.
        let others: Set<UInt32> = [0x130, 0x1E9E, 0x3F4, 0x2126, 0x212A, 0x212B]
        for code in UInt32(0x41)..<0x500 where !others.contains(code) {
            guard let scalar = Unicode.Scalar(code), scalar.properties.isUppercase else { continue }
            #expect(
                fold(String(Character(scalar)), .ignoresCase) == scalar.properties.lowercaseMapping
            )
        }
    }

    @Test func `bytes that are not UTF-8 stay as they are`() {
        let broken: [[UInt8]] = [
            [0xFF], [0xC3], [0x41, 0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0x80, 0x80], [0xE0, 0x80, 0x80],
        ]
        for bytes in broken {
            var folded: [UInt8] = []
            unsafe bytes.withUnsafeBytes { unsafe TextFolding.ignoresBoth.fold($0, into: &folded) }
            #expect(folded == bytes.map { $0 == 0x41 ? 0x61 : $0 })
        }
    }
}
