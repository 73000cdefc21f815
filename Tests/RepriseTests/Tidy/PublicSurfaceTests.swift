import Foundation
import Testing

/// Every change of what users see of the library is seen in review: it is a change of a page.
struct PublicSurfaceTests {
    @Test func `the public surface is the one in Specs`() throws {
        let output = try run("Tools/api", [])
        let page = try Repository.text("Specs/api.txt")
        let stated = Set(page.split(separator: "\n"))
        let found = Set(output.split(separator: "\n"))
        try #require(found.count > 100)
        for line in found.subtracting(stated).sorted() {
            Issue.record("New in the public surface: \(line). Run Tools/api --write and look at the difference.")
        }
        for line in stated.subtracting(found).sorted() {
            Issue.record("Gone from the public surface: \(line). Run Tools/api --write and look at the difference.")
        }
    }

    @Test func `the library has fewer than 90 public types`() throws {
        let types = try run("Tools/api", ["--types"]).split(separator: "\n").filter { !$0.contains(".") }
        try #require(types.contains("Store"))
        #expect(types.count < 90, "Make package what only other targets of this package call.")
    }

    private func run(_ command: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Repository.root.appending(path: command).path] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
