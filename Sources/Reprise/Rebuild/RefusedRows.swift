/// The rows that functions refuse.
struct RefusedRows {
    /// How many of them are named.
    private static let shownCount = 10

    private(set) var count = 0
    private var shown: [String] = []
    private var attributes: Set<String> = []

    /// Adds a row and why its function refuses it.
    mutating func add(_ key: UnsafeRawBufferPointer, _ attribute: String, _ error: any Error) {
        count += 1
        attributes.insert(attribute)
        guard shown.count < Self.shownCount else { return }
        let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
        shown.append("\(id) (\(error))")
    }

    /// What is wrong, with the first ten of them; nil where there are none.
    func error(_ model: CompiledModel) -> StoreError? {
        if count == 0 { return nil }
        let more = count > shown.count ? " and \(count - shown.count) more" : ""
        return StoreError(
            .invalidValue,
            "\(model.name).\(attributes.sorted().joined(separator: ", ")) cannot be made of the values of "
                + "\(shown.joined(separator: ", "))\(more).",
            advice: "Let the function take them, or return nil for an optional attribute. Nothing was changed."
        )
    }
}
