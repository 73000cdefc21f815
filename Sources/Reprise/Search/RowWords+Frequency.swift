extension RowWords {
    /// How often a word of a query occurs, with the weights of the attributes.
    func frequency(of wanted: SearchQuery.Word, field: Int?) -> Int {
        var frequency = 0
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe wanted.bytes.withUnsafeBytes { wantedBytes in
                for index in words.indices {
                    let word = words[index]
                    guard
                        wanted.isPrefix
                            ? word.count >= wantedBytes.count : word.count == wantedBytes.count,
                        field == nil || field == word.field
                    else { continue }
                    let beginning = unsafe UnsafeRawBufferPointer(
                        rebasing: bytes[word.start..<(word.start + wantedBytes.count)]
                    )
                    if unsafe beginning.hasSameBytes(as: wantedBytes) { frequency += word.weight }
                }
            }
        }
        return frequency
    }
}
