import Foundation
import TestSupport
import Testing

/// The documentation pages as a whole.
struct CatalogueTests {
    /// The directory of the modules that these tests were built with; nil where the build puts them elsewhere.
    private static let modules: String? = {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        return FileManager.default.fileExists(atPath: folder.appending(path: "Reprise.swiftmodule").path)
            ? folder.path : nil
    }()

    @Test(.enabled(if: modules != nil))
    func `the documentation builds without a warning, and nothing public lacks a comment`() throws {
        let directory = try TemporaryDirectory(named: "docs")
        let tool = Repository.root.appending(path: "Tools/docs").path
        let modules = try #require(Self.modules)
        let built = try Command.run([tool, "--modules", modules, "--output", directory.path])
        #expect(built.status == 0, "\(built.output)")
    }

    @Test func `the landing page has every public type in one of its groups`() throws {
        let page = try Repository.text("Sources/Reprise/Documentation.docc/Reprise.md")
        let links = page.split(separator: "\n").filter { $0.hasPrefix("- ``") }
        #expect(Set(links).count == links.count)
        let listed = Set(links.map { $0.dropFirst(4).dropLast(2) })
        let tool = Repository.root.appending(path: "Tools/api").path
        let types = try Command.run([tool, "--types"]).output.split(separator: "\n").filter { !$0.contains(".") }
        try #require(types.count > 50)
        // It exists only where SwiftUI does, so a link to it would lead nowhere elsewhere.
        for type in types where type != "LiveFetch" && !listed.contains(type) {
            Issue.record("The landing page of the documentation has no link to \(type). Put it into a group.")
        }
    }

    @Test func `pages are short`() throws {
        for path in try Repository.files(below: "Sources/Reprise/Documentation.docc", extension: "md") {
            let count = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false).count
            if count > 201 { Issue.record("\(path) has \(count) lines. Leave out what belongs on another page.") }
        }
    }
}

/// The files of this repository.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The paths of all files below a folder whose names end so, relative to the root, sorted.
    static func files(below folder: String, extension suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(".\(suffix)") && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .map { "\(folder)/\($0)" }
            .sorted()
    }
}

/// A command that is run to its end.
enum Command {
    /// - Returns: how it ended, and what it wrote to both outputs.
    static func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
