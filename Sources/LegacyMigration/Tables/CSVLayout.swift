extension CSVReader {
    /// How the rows of a file are written.
    struct Layout: Sendable, Equatable {
        /// What parts the fields.
        var delimiter: UInt8
        /// Whether a line comes first that says what parts the fields, as Excel reads and writes it: `sep=;`.
        var hasSeparatorLine = false
    }

    /// How many rows are looked at.
    static let sampleRowCount = 64

    /// How a file is written, from how it begins.
    static func layout(of input: any ByteInput) throws -> Layout {
        var buffer = [UInt8](repeating: 0, count: FileInput.pieceByteCount)
        let count = try input.fill(&buffer)
        var text = buffer[..<count]
        if text.starts(with: FilePrefix.byteOrderMark) { text = text.dropFirst(3) }
        if let delimiter = separatorLine(text) {
            return Layout(delimiter: delimiter, hasSeparatorLine: true)
        }
        let isWhole = count < buffer.count
        var best = (delimiter: UInt8(ascii: ","), fitting: -1, columns: 1)
        for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
            let counts = fieldCounts(text, delimiter, isWhole: isWhole)
            guard let columns = counts.first, columns > 1 else { continue }
            let fitting = counts.dropFirst().count { $0 == columns }
            if (fitting, columns) > (best.fitting, best.columns) {
                best = (delimiter, fitting, columns)
            }
        }
        return Layout(delimiter: best.delimiter)
    }

    /// What a line such as `sep=;` names.
    private static func separatorLine(_ text: ArraySlice<UInt8>) -> UInt8? {
        let line = text.prefix(8).prefix { $0 != 0x0A && $0 != 0x0D }
        guard line.count == 5, line.count < text.count,
            String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep=",
            let delimiter = line.last, delimiter < 0x80, delimiter != UInt8(ascii: "\"")
        else { return nil }
        return delimiter
    }

    /// How many fields the first rows have, if such a byte parts them.
    private static func fieldCounts(
        _ text: ArraySlice<UInt8>,
        _ delimiter: UInt8,
        isWhole: Bool
    ) -> [Int] {
        let reader = CSVReader(MemoryInput(text), Layout(delimiter: delimiter))
        var counts: [Int] = []
        // What cannot be read so, or is cut off, has been looked at as far as it goes.
        do {
            while counts.count < sampleRowCount, let row = try reader.next() {
                // A quote in the middle of a field opened a field where another byte parts them.
                let isCut = row.contains {
                    !$0.isQuoted && $0.text.utf8.contains(UInt8(ascii: "\""))
                }
                counts.append(isCut ? 0 : row.count)
            }
        } catch {}
        if !isWhole, counts.count < sampleRowCount, counts.count > 1 { counts.removeLast() }
        return counts
    }
}
