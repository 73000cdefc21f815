import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct IntegrityCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private func members(_ text: String) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(parsing: text) else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    @Test func `stats counts and names what is there`() throws {
        #expect(store.run("snapshot create", "s").outcome == .done)
        let answer = store.run("stats", "--json")
        #expect(answer.outcome == .done)
        let stats = try members(answer.output)
        #expect(
            stats["models"]
                == (try JSONValue(parsing: #"{"author":1,"book":3,"series":1,"shelf":1}"#))
        )
        #expect(stats["commits"] == .number("3"))
        #expect(answer.output.contains(#""snapshots":[{"name":"s","position":"#))
        #expect(answer.output.contains(#""fileBytes":"#))
        guard case .string(let digest) = stats["digest"] else {
            Issue.record("\(answer.output)")
            return
        }
        #expect(digest.count == 64)
        let text = store.run("stats").output
        #expect(text.contains("\nbook      3\n"))
        #expect(text.contains(digest))
    }

    @Test func `replay rebuilds in place and changes nothing`() throws {
        let before = store.run("export").output
        let digest = try members(store.run("stats", "--json").output)["digest"]
        let answer = store.run("replay", "--json")
        #expect(answer.outcome == .done)
        let report = try members(answer.output)
        #expect(Set(report.keys) == ["events", "seconds", "eventsPerSecond", "digest"])
        #expect(report["digest"] == digest)
        #expect(store.run("export").output == before)
        #expect(store.run("replay").output.hasPrefix("Replayed "))
    }

    @Test func `replay into a new store stops where it is told`() throws {
        let before = store.run("export").output
        #expect(store.run("snapshot create", "s").outcome == .done)
        #expect(store.run("delete", "series", "critiques").outcome == .done)
        let new = store.directory.appendingPathComponent("new").path
        #expect(store.run("replay", "--to", "s", "--into", new).outcome == .done)
        #expect(RunOutside.run("export", new).output == before)
        #expect(store.run("replay", "--into", new).outcome == .cannotCreate)
        #expect(store.run("replay", "--to", "x", "--into", new + "2").outcome == .no)
        #expect(!FileManager.default.fileExists(atPath: new + "2"))
    }

    @Test func `a replay that is interrupted leaves the store as it was`() {
        let before = store.run("export").output
        let diagnostics = MemorySink()
        var console = Console(
            output: MemorySink(),
            diagnostics: diagnostics,
            interruption: Interruption { true }
        )
        #expect(Tool.run(["replay", store.path], in: &console) == .interrupted)
        #expect(diagnostics.text.hasPrefix("Error: "))
        #expect(store.run("export").output == before)
    }

    @Test func `verify finds a sound store sound`() throws {
        let answer = store.run("verify", "--in-this-process", "--json")
        #expect(answer.outcome == .done)
        let verdict = try members(answer.output)
        #expect(verdict["ok"] == .bool(true))
        #expect(verdict["faults"] == .array([]))
        #expect(verdict["rows"] == .number("6"))
        #expect(store.run("verify", "--in-this-process").output.hasPrefix("Sound: "))
    }

    @Test func `verify finds changed bytes`() throws {
        let file = URL(fileURLWithPath: store.path).appendingPathComponent("data.mdb")
        var bytes = try Data(contentsOf: file)
        var places = 0
        var from = bytes.startIndex
        while let range = bytes.range(of: Data("Practical".utf8), in: from..<bytes.endIndex) {
            bytes[range.lowerBound] = UInt8(ascii: "p")
            from = range.upperBound
            places += 1
        }
        try #require(places > 0)
        try bytes.write(to: file)
        let answer = store.run("verify", "--in-this-process", "--json")
        #expect(answer.outcome == .no)
        #expect(try members(answer.output)["ok"] == .bool(false))
        #expect(answer.output.contains(#""kind":""#))
        #expect(store.run("verify", "--in-this-process").lines.last?.contains("fault") == true)
    }

    @Test func `a store cut short is a fault, no store at all is no input`() throws {
        let file = URL(fileURLWithPath: store.path).appendingPathComponent("data.mdb")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 9000)
        try handle.close()
        let answer = store.run("verify", "--in-this-process", "--json")
        #expect(answer.outcome == .no)
        #expect(answer.output.contains(#""ok":false"#))
        let missing = RunOutside.run("verify", "--in-this-process", store.path + "x")
        #expect(missing.outcome == .noInput)
        #expect(missing.output.isEmpty)
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `the command as users run it verifies in a child`() throws {
        let executable = try #require(Program.path)
        let verify = ChildProcess(
            executable: executable,
            arguments: ["verify", store.path, "--json", "-q"]
        )
        let sound = try verify.run()
        #expect(sound.ending == .exited(0))
        #expect(String(decoding: sound.output, as: UTF8.self).hasPrefix(#"{"ok":true,"#))
        // Every page but the two that are read first becomes noise.
        let file = URL(fileURLWithPath: store.path).appendingPathComponent("data.mdb")
        var bytes = try Data(contentsOf: file)
        var random = SeededGenerator(seed: 7)
        for index in bytes.indices.dropFirst(8192) {
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        try bytes.write(to: file)
        let damaged = try verify.run()
        #expect(damaged.ending == .exited(1))
        #expect(String(decoding: damaged.output, as: UTF8.self).hasPrefix(#"{"ok":false,"#))
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `a reader that leaves early is no crash`() throws {
        let executable = try #require(Program.path)
        let pipe = ChildProcess(
            executable: "/bin/sh",
            arguments: [
                "-c",
                "(\"$0\" export \"$1\"; echo $? >&3) 3>&1 | true; \"$0\" export \"$1\" | head -n 1",
                executable, store.path,
            ]
        )
        let (ending, output) = try pipe.run()
        #expect(ending == .exited(0))
        #expect(String(decoding: output, as: UTF8.self).contains(#"{"model":"author","#))
    }
}
