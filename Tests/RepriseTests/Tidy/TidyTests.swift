import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What can be seen without running anything. Every message says what to do.
struct TidyTests {
    private struct Line {
        let path: String
        let number: Int
        let text: Substring
        var place: String { "\(path):\(number)" }
    }

    private static let engine = ["Sources/RepriseLMDB", "Sources/RepriseLog", "Sources/Reprise"]

    private func lines(below folders: [String], extensions: Set<String> = ["swift"]) throws
        -> [Line]
    {
        try folders.flatMap { folder in
            try Repository.files(below: folder, extensions: extensions).flatMap { path in
                try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
                    .enumerated().map { Line(path: path, number: $0.offset + 1, text: $0.element) }
            }
        }
    }

    private func fail(_ lines: [Line], _ advice: String) {
        for line in lines { Issue.record("\(line.place): \(advice)") }
    }

    @Test func `files have one job`() throws {
        for path in try Repository.files(below: "Sources", extensions: ["swift"]) {
            let count = try Repository.text(path).split(
                separator: "\n",
                omittingEmptySubsequences: false
            ).count
            if count > 401 {
                Issue.record(
                    "\(path) has \(count) lines. Split it by concern: Type+Concern.swift, 400 lines at most."
                )
            }
        }
    }

    @Test func `lines fit beside each other`() throws {
        // Put together here so that this file does not find itself.
        let fence = String(repeating: "\"", count: 3)
        var isText = false
        let long = try lines(below: ["Sources", "Tests", "Tools"]).filter { line in
            // Text that is compared as it is cannot be broken.
            if line.number == 1 { isText = false }
            if contains(line.text, fence), !line.text.ranges(of: fence).count.isMultiple(of: 2) { isText.toggle() }
            let isData = isText || line.text.drop(while: { $0 == " " }).hasPrefix("#\"")
            return line.text.utf8.count > 120 && line.text.count > 120 && !isData
        }
        fail(long, "The line is longer than 120 columns. Break it.")
    }

    @Test func `nothing is left to be done in comments`() throws {
        // Put together here so that this file does not find itself.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let found = try lines(
            below: ["Sources", "Tests", "Tools", "Specs"],
            extensions: ["swift", "md", "py"]
        )
        .filter { line in
            marks.contains { mark in contains(line.text, mark) && words(line.text).contains(Substring(mark)) }
        }
        fail(found, "Do it now, or write it down as an issue, and take the mark out.")
    }

    @Test func `sources do not stop the program on a hunch`() throws {
        let found = try lines(below: ["Sources"]).filter { line in
            guard contains(line.text, "try!") || contains(line.text, "as!") else { return false }
            let code = line.text.prefix(
                upTo: line.text.firstRange(of: "//")?.lowerBound ?? line.text.endIndex
            )
            return code.contains("try!") || code.contains("as!")
        }
        fail(found, "Throw or handle the error; say with a precondition what cannot happen.")
    }

    @Test func `the engine does not know what it is used for`() throws {
        let foreign = ["track", "album", "playlist", "realm"]
        let found = try lines(below: Self.engine).filter { line in
            let text = line.text.lowercased()[...]
            return foreign.contains { contains(text, $0) }
        }
        fail(
            found,
            "The engine speaks of models, entities and lists. Move this to MusicLibrary or use general words."
        )
    }

    @Test func `Foundation is imported in the small form where there is one`() throws {
        for folder in Self.engine + ["Sources/MusicLibrary", "Sources/RepriseCLI"] {
            for path in try Repository.files(below: folder, extensions: ["swift"]) {
                let all = try Repository.text(path).split(separator: "\n")
                for (index, line) in all.enumerated() where line.hasSuffix("import Foundation") {
                    let guarded =
                        index >= 3 && all[index - 1].hasSuffix("#else")
                        && all[index - 2].hasSuffix("import FoundationEssentials")
                        && all[index - 3].hasSuffix("#if canImport(FoundationEssentials)")
                    if !guarded {
                        Issue.record(
                            "\(path): Import FoundationEssentials if it can be imported, else Foundation."
                        )
                    }
                }
            }
        }
    }

    @Test func `no file names a place on one machine`() throws {
        // Put together here so that this file does not find itself.
        let roots = ["ho" + "me", "Us" + "ers", "wo" + "rk", "ro" + "ot", "m" + "nt"].map {
            "/\($0)/"
        }
        let found = try lines(
            below: ["Sources", "Tests", "Tools", "Specs"],
            extensions: ["swift", "md", "py", "sh", "json", "txt"]
        ).filter { line in
            roots.contains { root in
                guard contains(line.text, root), let range = line.text.firstRange(of: root) else { return false }
                guard let before = line.text[..<range.lowerBound].last else { return true }
                return " \"'`(=:".contains(before) && !line.text.contains("file:///")
            }
        }
        fail(found, "Find files from #filePath, or from a directory that the caller names.")
    }

    private func words(_ text: Substring) -> [Substring] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
}
