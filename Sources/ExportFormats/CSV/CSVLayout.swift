extension CSVReader {
    /// How the rows of a file are written.
    package struct Layout: Sendable, Equatable {
        /// What parts the fields.
        var delimiter: UInt8
        /// Whether a line comes first that says what parts the fields, as Excel reads and writes it: `sep=;`.
        var hasSeparatorLine = false
        /// Where the titles of the columns are.
        package var header = Header.firstRow
    }

    /// Where a table has the titles of its columns.
    package enum Header: Sendable, Equatable {
        case firstRow
        /// Below rows with one field at most, which are titles of the whole.
        case below(rowCount: Int)
        /// Nowhere: the first row has values. There are so many columns.
        case none(columnCount: Int)
    }

    /// What an earlier export of the same table has decided about its titles.
    package enum EarlierTitles {
        /// There is no earlier export.
        case unknown
        /// It had none.
        case none
        /// It had some: whether a text was one of them.
        case known((String) -> Bool)
    }

    /// How many rows are looked at.
    static let sampleRowCount = 64
    /// The most rows above the titles.
    private static let headRowCountMax = 16

    /// How a file is written, from how it begins.
    ///
    /// - Parameter earlier: what an earlier export has decided about the titles.
    package static func layout(
        of input: any ByteInput,
        asIn earlier: EarlierTitles = .unknown
    ) throws -> Layout {
        var buffer = [UInt8](repeating: 0, count: InputPiece.byteCount)
        let count = try input.fill(&buffer)
        var text = buffer[..<count]
        if text.starts(with: FilePrefix.byteOrderMark) { text = text.dropFirst(3) }
        let isWhole = count < buffer.count
        if let delimiter = separatorLine(text) {
            var layout = Layout(delimiter: delimiter, hasSeparatorLine: true)
            layout.header = header(sample(text, layout, isWhole: isWhole), asIn: earlier)
            return layout
        }
        var best = (layout: Layout(delimiter: UInt8(ascii: ",")), fitting: -1, columns: 1)
        for delimiter in [",", ";", "\t", "|"] as [Unicode.Scalar] {
            var layout = Layout(delimiter: UInt8(ascii: delimiter))
            let rows = sample(text, layout, isWhole: isWhole)
            layout.header = header(rows, asIn: earlier)
            let below = if case .below(let count) = layout.header { count } else { 0 }
            let counts = rows.dropFirst(below).map(fieldCount)
            guard let columns = counts.first, columns > 1 else { continue }
            let fitting = counts.dropFirst().count { $0 == columns }
            if (fitting, columns) > (best.fitting, best.columns) {
                best = (layout, fitting, columns)
            }
        }
        return best.layout
    }

    /// Where the titles are: below rows with one field at most, where most rows have more; nowhere where the first row
    /// has a number or a date, but for years, in a column of numbers or dates.
    private static func header(_ rows: [[Field]], asIn earlier: EarlierTitles) -> Header {
        let counts = rows.reduce(into: [:]) { $0[$1.count, default: 0] += 1 }
        guard let first = rows.first,
            let usual = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
        else { return .firstRow }
        if case .none = earlier { return .none(columnCount: usual) }
        guard usual > 1 else { return .firstRow }
        let above = rows.prefix(headRowCountMax).prefix { row in
            row.count { !$0.text.isEmpty } <= 1 && (row.count < usual || usual > 2)
        }
        // What was the title of a column stays one.
        let wasTitle = if case .known(let isTitle) = earlier { isTitle(first[0].text) } else { false }
        if !above.isEmpty, above.count < rows.count - 1, !wasTitle {
            return .below(rowCount: above.count)
        }
        guard above.isEmpty, rows.count > 1, case .unknown = earlier else { return .firstRow }
        let hasValue = first.indices.contains { place in
            kind(first[place]) != nil && !isYear(first[place])
                && rows.dropFirst().allSatisfy {
                    place < $0.count && kind($0[place]) == kind(first[place])
                }
        }
        return hasValue ? .none(columnCount: usual) : .firstRow
    }

    private enum ValueKind { case number, date }

    private static func kind(_ field: Field) -> ValueKind? {
        if CanonicalText.double(field.text) != nil || LocalText.isNumber(field.text) { return .number }
        return DateText.instant(field.text) != nil || LocalText.isDate(field.text) ? .date : nil
    }

    private static func isYear(_ field: Field) -> Bool {
        Int(field.text).map { (1000...2999).contains($0) } ?? false
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

    /// The first rows.
    private static func sample(_ text: ArraySlice<UInt8>, _ layout: Layout, isWhole: Bool)
        -> [[Field]]
    {
        let reader = CSVReader(MemoryInput(text), layout)
        var rows: [[Field]] = []
        // What cannot be read so, or is cut off, has been looked at as far as it goes.
        do {
            while rows.count < sampleRowCount, let row = try reader.next() { rows.append(row) }
        } catch {}
        if !isWhole, rows.count < sampleRowCount, rows.count > 1 { rows.removeLast() }
        return rows
    }

    /// How many fields a row has. A quote in the middle of a field opened a field where another byte parts them.
    private static func fieldCount(_ row: [Field]) -> Int {
        row.contains { !$0.isQuoted && $0.text.utf8.contains(UInt8(ascii: "\"")) } ? 0 : row.count
    }

    /// The titles of the columns, and the rows above them: the first that is read of a file. Nil where there are none.
    package func head() throws -> (titles: [Field], above: [[Field]])? {
        var above: [[Field]] = []
        switch layout.header {
        case .firstRow: break
        case .below(let count):
            while above.count < count, let row = try next() { above.append(row) }
        case .none(let count):
            return ((1...count).map { Field(text: "column\($0)", isQuoted: false) }, [])
        }
        return try next().map { ($0, above) }
    }
}
