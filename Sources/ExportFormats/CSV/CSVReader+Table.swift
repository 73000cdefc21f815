extension CSVReader {
    /// Whether a text, or the beginning of one, can only be a table: a row of titles, and rows below it that all have
    /// as many fields.
    static func isTable(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }),
            let layout = try? layout(of: MemoryInput(text))
        else { return false }
        let reader = CSVReader(MemoryInput(text), layout)
        // The last row may be cut off, and what cannot be read of it.
        let isCut = text.last != 0x0A && text.last != 0x0D
        var rows: [[Field]] = []
        do {
            if case .below(let count) = layout.header {
                for _ in 0..<count { _ = try reader.next() }
            }
            while rows.count < sampleRowCount, let row = try reader.next() { rows.append(row) }
        } catch {
            guard isCut else { return false }
        }
        guard let titles = rows.first, titles.count > 1, areTitles(titles) else { return false }
        let counts = rows.dropFirst().map(\.count)
        let isLastCut = isCut && rows.count < sampleRowCount
        return counts.contains(titles.count)
            && counts.enumerated().allSatisfy { place, count in
                count == titles.count
                    || (isLastCut && place == counts.count - 1 && count < titles.count)
            }
    }

    private static func areTitles(_ fields: [Field]) -> Bool {
        fields.allSatisfy { !$0.text.isEmpty } && Set(fields.map(\.text)).count == fields.count
    }
}
