import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Numbered rules run from `Specs/behaviour` through the code to the tests.
struct RuleCitationTests {
    /// A rule's number, such as the three letters and the number of `HIS` and `21`.
    private struct Rule: Hashable, Comparable, CustomStringConvertible {
        let prefix: Substring
        let number: Int

        static func < (left: Rule, right: Rule) -> Bool {
            (left.prefix, left.number) < (right.prefix, right.number)
        }

        var description: String { "\(prefix)-\(number < 10 ? "0" : "")\(number)" }
    }

    @Test func `every rule that is cited exists, and every rule is cited`() throws {
        var stated: [Rule: String] = [:]
        for path in try Repository.files(below: "Specs/behaviour", extensions: ["md"]) {
            for line in try Repository.text(path).split(separator: "\n") where line.contains("**") {
                // A rule is stated in bold: `1. **HIS-01** …`.
                for rule in Self.rules(in: line) where line.contains("**\(rule)**") {
                    if let other = stated.updateValue(path, forKey: rule) {
                        Issue.record(
                            "\(rule) is stated in \(other) and again in \(path). Give one another number."
                        )
                    }
                }
            }
        }
        try #require(!stated.isEmpty)
        let prefixes = Set(stated.keys.map(\.prefix))
        var cited: Set<Rule> = []
        for folder in ["Sources", "Tests"] {
            for path in try Repository.files(below: folder, extensions: ["swift"]) {
                let text = try Repository.text(path)
                for rule in Self.rules(in: text[...]) where prefixes.contains(rule.prefix) {
                    cited.insert(rule)
                    if stated[rule] == nil {
                        Issue.record(
                            "\(path) cites \(rule), which no page states. Correct the number."
                        )
                    }
                }
            }
        }
        for rule in stated.keys.sorted() where !cited.contains(rule) {
            let page = stated[rule] ?? ""
            Issue.record(
                "\(rule) (\(page)) is cited nowhere. Name it in the test that holds it, or where it is kept."
            )
        }
    }

    /// Every number in a text; `HIS-20 to HIS-22` names those between as well.
    private static func rules(in text: Substring) -> [Rule] {
        var found: [Rule] = []
        for match in text.matches(of: /\b([A-Z]{3})-([0-9]{2,3})\b(?: to ([A-Z]{3})-([0-9]{2,3})\b)?/) {
            guard let first = Int(match.output.2) else { continue }
            let last =
                match.output.3 == match.output.1
                ? match.output.4.flatMap { Int($0) } ?? first : first
            for number in first...max(first, last) {
                found.append(Rule(prefix: match.output.1, number: number))
            }
        }
        return found
    }
}
