/// The entries of annotations, as many in each as a payload has room for (Specs/format/migration.md).
struct AnnotationEntries {
    /// Well below what a payload may have.
    private static let byteCountMax = 512 << 10

    /// For each annotation the entries of its lists, by the names of these.
    private(set) var payloads: [[String: [String]]] = []
    /// How many bytes the entries of the last one have.
    private var byteCount = 0

    /// - Parameters:
    ///   - words: what the entry is an array of, as JSON.
    ///   - list: the name of the list that it is in.
    mutating func append(_ words: [String], to list: String) {
        let entry = "[\(words.joined(separator: ","))]"
        if payloads.isEmpty || byteCount + entry.utf8.count > Self.byteCountMax {
            payloads.append([:])
            byteCount = 0
        }
        payloads[payloads.count - 1][list, default: []].append(entry)
        byteCount += entry.utf8.count + 1
    }
}
