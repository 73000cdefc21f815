/// What a comparison of text leaves out of account.
///
/// Folding 1: the tables come from Unicode 15.0.0 and are part of this library, not of the system, because folded text
/// stands in keys on disk (Specs/format/folding.md).
struct TextFolding: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Upper and lower case are the same, by full case folding: "ß" is "ss".
    static let ignoresCase = TextFolding(rawValue: 1)
    /// Letters are the same with and without diacritics: "Ø" is "O", "é" is "e" in whatever form it is written.
    static let ignoresDiacritics = TextFolding(rawValue: 2)
    static let ignoresBoth: TextFolding = [.ignoresCase, .ignoresDiacritics]

    /// The table of these options; nil when nothing is folded.
    var table: FoldingTable? {
        switch (contains(.ignoresCase), contains(.ignoresDiacritics)) {
        case (false, false): nil
        case (true, false): .cases
        case (false, true): .marks
        case (true, true): .both
        }
    }

    /// The folded form of UTF-8 text. Bytes that are not UTF-8 stay as they are. O(bytes).
    func fold(_ text: UnsafeRawBufferPointer, into folded: inout [UInt8]) {
        folded.removeAll(keepingCapacity: true)
        unsafe append(text, to: &folded)
    }

    /// Appends the folded form of text.
    func append(_ text: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
        guard let table else { return unsafe folded.append(contentsOf: text) }
        var offset = 0
        while offset < text.count {
            unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { room in
                let count = unsafe table.fold(text, from: &offset, into: room)
                unsafe folded.append(contentsOf: room[..<count])
            }
        }
    }

    func folded(_ text: String) -> [UInt8] {
        var text = text
        var folded: [UInt8] = []
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0), to: &folded) }
        return folded
    }
}
