/// What a character is to words (Specs/format/folding.md).
enum WordClass: UInt8 {
    case nothing = 0
    /// Part of a word.
    case letter = 1
    /// Part of the word before it.
    case mark = 2
    /// A word of its own, in scripts that put nothing between words.
    case word = 3

    static func of(_ scalar: ScalarReader) -> WordClass {
        WordTable.shared[scalar.code]
    }
}

/// The class of each code point: pages of code points, equal pages only once.
private final class WordTable: Sendable {
    static let shared = WordTable()

    private static let pageBits: UInt32 = 8
    private let pages: [UInt16]
    private let classes: [WordClass]

    init() {
        var every = [WordClass](repeating: .nothing, count: 0x110000)
        for code in 0x30...0x39 { every[code] = .letter }
        for code in 0x41...0x5A {
            every[code] = .letter
            every[code | 0x20] = .letter
        }
        var reader = PackedNumbers(WordData.classes)
        var first = 0
        while let distance = reader.next(), let run = reader.next() {
            first += Int(distance)
            let end = min(first + Int(run >> 2), every.count)
            guard first < end, let kind = WordClass(rawValue: UInt8(run & 3)) else { continue }
            for code in first..<end { every[code] = kind }
        }
        var pages: [UInt16] = []
        var classes: [WordClass] = []
        var known: [ArraySlice<WordClass>: UInt16] = [:]
        let size = 1 << Int(Self.pageBits)
        for start in stride(from: 0, to: every.count, by: size) {
            let page = every[start..<(start + size)]
            if let number = known[page] {
                pages.append(number)
                continue
            }
            let number = UInt16(classes.count / size)
            known[page] = number
            pages.append(number)
            classes += page
        }
        self.pages = pages
        self.classes = classes
    }

    subscript(code: UInt32) -> WordClass {
        let page = Int(pages[Int(code >> Self.pageBits)])
        return classes[page << Int(Self.pageBits) | Int(code & 0xFF)]
    }
}
