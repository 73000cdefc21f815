import Foundation

@testable import RepriseCLI

/// `Specs/cli.md`, taken apart.
enum ContractPage {
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text() throws -> String {
        try String(contentsOf: repository.appendingPathComponent("Specs/cli.md"), encoding: .utf8)
    }

    /// The lines of the first code block behind a text.
    static func block(after mark: String) throws -> [String] {
        let text = try text()
        guard let start = text.firstRange(of: mark) else { return [] }
        let parts = text[start.upperBound...].components(separatedBy: "```\n")
        return parts.count > 1 ? parts[1].split(separator: "\n").map(String.init) : []
    }

    /// The rows of the first table behind a text, without its head, as cells without their quotation marks for code.
    static func table(after mark: String) throws -> [[String]] {
        let text = try text()
        guard let start = text.firstRange(of: mark) else { return [] }
        let lines = text[start.upperBound...].split(separator: "\n").drop { !$0.hasPrefix("|") }
        return lines.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.replacing("\\|", with: "\u{1}").split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast()
                .map { $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces) }
        }
    }

    /// What stands in quotation marks for code.
    static func codes(in cell: String) -> [String] {
        cell.matches(of: #/`([^`]*)`/#).map { String($0.1) }
    }
}

/// A subcommand with all that it takes, as a line of the contract says it or as the help of the command does.
struct ContractLine: Hashable {
    var path: [String]
    var options: Set<String>
    var positionalCount: Int

    /// From a line such as `reprise fetch <store> [--json]`.
    init(contract line: String) {
        path = Array(
            line.split(separator: " ").map(String.init)
                .prefix { !"<[-".contains($0.first ?? " ") && $0 != $0.uppercased() }
        )
        options = Set(line.matches(of: #/--[a-z-]+/#).map { String($0.0) })
        positionalCount = 0
        var words = line.split(separator: " ")[...]
        while let word = words.popFirst() {
            if word.hasPrefix("[--") {
                // An option with its value is in brackets.
                var last = word
                while !last.hasSuffix("]"), let next = words.popFirst() { last = next }
            } else if word.hasPrefix("--") {
                _ = words.popFirst()
            } else if word.hasPrefix("<") || word.hasPrefix("[") {
                positionalCount += 1
            }
        }
    }

    init(path: [String], options: Set<String>, positionalCount: Int) {
        self.path = path
        self.options = options
        self.positionalCount = positionalCount
    }
}
