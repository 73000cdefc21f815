import Foundation
import TestSupport
import Testing

/// Every Swift sample of the pages is compiled: its lines stand, one after the other, in a file that the tests compile.
struct SampleTests {
    private static let catalogue = "Sources/Reprise/Documentation.docc"
    private static let compiled = ["Tests/DocumentationTests", "Tests/ReadmeTests", "Tools/examples"]

    /// The Swift files that a build compiles, or that are the manifest of a package, as lines without indentation.
    private func compiledFiles() throws -> [[Substring]] {
        try Self.compiled.flatMap { try Repository.files(below: $0, extension: "swift") }
            .map { Sample.lines(of: try Repository.text($0)) }
    }

    @Test func `every sample of the pages is compiled`() throws {
        var pages = try Repository.files(below: Self.catalogue, extension: "md")
        try #require(pages.count > 12)
        pages.append("README.md")
        let files = try compiledFiles()
        var count = 0
        for page in pages {
            for sample in Sample.all(in: try Repository.text(page)) {
                count += 1
                if files.contains(where: sample.stands) { continue }
                Issue.record(
                    """
                    A sample of \(page), line \(sample.line), is compiled nowhere. Put its lines, one after the other, \
                    into a file in \(Self.compiled.joined(separator: " or ")):
                    \(sample.text)
                    """
                )
            }
        }
        // So that a test that reads nothing cannot pass.
        try #require(count > 40)
    }

    @Test func `the lines of a sample must follow each other`() throws {
        let page = """
            Text.

            ```swift
            let first = 1

            let second = 2
            ```
            """
        let sample = try #require(Sample.all(in: page).first)
        #expect(sample.line == 3)
        #expect(sample.stands(in: Sample.lines(of: "    let first = 1\n    let second = 2\n    print(first)")))
        #expect(!sample.stands(in: Sample.lines(of: "let first = 1\nprint(first)\nlet second = 2")))
        #expect(!sample.stands(in: Sample.lines(of: "let second = 2")))
    }

    @Test func `the manifest of the sample app can be read`() throws {
        let directory = try TemporaryDirectory(named: "manifest")
        let manifest = Repository.root.appending(path: "Tests/DocumentationTests/Fixtures/Todo/Package.swift")
        try FileManager.default.copyItem(atPath: manifest.path, toPath: directory.path("Package.swift"))
        let described = try Command.run(["swift", "package", "dump-package", "--package-path", directory.path])
        #expect(described.status == 0, "\(described.output)")
        #expect(described.output.contains("RepriseTestSupport"))
    }
}

/// A fence of Swift on a page.
struct Sample {
    let line: Int
    let text: String
    private let lines: [Substring]

    static func all(in page: String) -> [Sample] {
        let marker = "```"
        var samples: [Sample] = []
        var open: (line: Int, isSwift: Bool, text: [Substring])?
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix(marker) {
                if let sample = open {
                    if sample.isSwift { samples.append(Sample(line: sample.line, sample.text)) }
                    open = nil
                } else {
                    open = (index + 1, line == marker + "swift", [])
                }
            } else {
                open?.text.append(line)
            }
        }
        return samples
    }

    private init(line: Int, _ text: [Substring]) {
        self.line = line
        self.text = text.joined(separator: "\n")
        lines = Self.lines(of: self.text)
    }

    /// The lines that are not blank, without indentation.
    static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    }

    /// Whether the lines follow each other in a file.
    func stands(in file: [Substring]) -> Bool {
        guard let first = lines.first, lines.count <= file.count else { return false }
        return (0...file.count - lines.count).contains { start in
            file[start] == first && file[start..<start + lines.count].elementsEqual(lines)
        }
    }
}
