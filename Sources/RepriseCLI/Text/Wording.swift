/// Names in a sentence.
enum Wording {
    /// `a`, `a and b`, `a, b and c`.
    ///
    /// - Parameters:
    ///   - conjunction: the word before the last name.
    ///   - limit: how many names are said; the rest is counted.
    static func list(_ names: [String], _ conjunction: String, limit: Int = .max) -> String {
        var parts = names.prefix(limit).map { DisplayWidth.visible($0) }
        if names.count > limit { parts.append("\(Quantity.count(names.count - limit)) more") }
        guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
