import Reprise
import Testing

@testable import RepriseCLI

struct OutcomeTests {
    @Test func `every error of the store has its exit code`() {
        let expected: [StoreError.Code: Int32] = [
            .storeNotFound: 66, .storeExists: 73, .notAStore: 65, .newerFormat: 65, .truncated: 65,
            .corrupted: 65, .alreadyOpen: 69, .permissionDenied: 66, .diskFull: 74,
            .inputOutput: 74,
            .mapFull: 69, .tooManyReaders: 69, .closed: 74, .poisoned: 74, .schemaMismatch: 65,
            .invalidSchema: 65, .unknownModel: 64, .unknownAttribute: 64, .unknownRelationship: 64,
            .unknownSnapshot: 1, .snapshotExists: 73, .unknownPosition: 1, .notABranch: 1, .notAChangeSet: 65,
            .invalidIdentifier: 65,
            .invalidValue: 65, .valueTooLarge: 65, .invalidQuery: 64, .entityExists: 1,
            .entityMissing: 1, .targetMissing: 1, .entryMissing: 1, .uniqueViolation: 1,
            .deleteDenied: 1, .revisionConflict: 1, .writeInCallback: 69, .writeStalled: 69,
            .cancelled: 130, .storeInUse: 69, .writerBusy: 69, .lockFileUnusable: 69,
            .readOnly: 73, .storeMoved: 74, .unsupportedLMDB: 74, .newerSchema: 65, .schemaChanged: 65,
        ]
        for code in StoreError.Code.allCases {
            #expect(code.outcome.rawValue == expected[code], "\(code)")
        }
    }

    private func run(
        refusing error: OutputError? = nil,
        _ body: (inout Console) throws -> Outcome
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink(refusing: error)
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics)
        let outcome = Tool.run(in: &console, body)
        return (outcome, output.text, diagnostics.text)
    }

    @Test func `an error is two sentences on standard error, after what was found so far`() {
        let result = run { console in
            try console.output.line("first")
            throw StoreError(.storeNotFound, "There is no store at x.", advice: "Check the path.")
        }
        #expect(result.outcome == .noInput)
        #expect(result.output == "first\n")
        #expect(result.diagnostics == "Error: There is no store at x. Check the path.\n")
    }

    @Test func `a detail stands between the two sentences`() {
        let failure = CommandFailure(
            .usage,
            "Wrong.",
            advice: "Do it right.",
            detail: "  a ?\n    ^"
        )
        #expect(failure.text(in: .plain) == "Error: Wrong.\n  a ?\n    ^\nDo it right.")
    }

    @Test func `a closed pipe is silent and keeps the answer`() {
        let no = run(refusing: .closedPipe) { console in
            try console.output.line("x")
            return .no
        }
        #expect(no.outcome == .no)
        #expect(no.diagnostics.isEmpty)
        let long = run(refusing: .closedPipe) { console in
            for _ in 0..<100_000 { try console.output.line("a line of an export") }
            Issue.record("The work went on for nobody.")
            return .done
        }
        #expect(long.outcome == .done)
        #expect(long.diagnostics.isEmpty)
    }

    @Test func `a full disk behind standard output is an input/output error`() {
        let result = run(refusing: .failed(errno: 28)) { console in
            try console.output.line("x")
            return .done
        }
        #expect(result.outcome == .inputOutput)
        #expect(result.diagnostics.hasPrefix("Error: Writing the output failed:"))
    }

    @Test func `an unforeseen error still has two sentences`() {
        struct Odd: Error {}
        let result = run { _ in throw Odd() }
        #expect(result.outcome == .inputOutput)
        #expect(result.diagnostics.hasPrefix("Error: Something unexpected went wrong: Odd()."))
    }
}

struct SupervisedVerifyTests {
    private func run(
        _ script: String,
        isJSON: Bool = true
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics)
        let command = SupervisedVerifyCommand(
            store: StoreLocation(path: "music"),
            isJSON: isJSON,
            child: ChildProcess(executable: "/bin/sh", arguments: ["-c", script])
        )
        let outcome = Tool.run(in: &console) { try command.run(in: &$0) }
        return (outcome, output.text, diagnostics.text)
    }

    @Test func `the child's answer is passed on`() {
        let sound = run("echo '{\"ok\":true}'")
        #expect(sound.outcome == .done)
        #expect(sound.output == "{\"ok\":true}\n")
        #expect(run("echo x; exit 1").outcome == .no)
        #expect(run("exit 66").outcome == .noInput)
        #expect(run("exit 66").output.isEmpty)
    }

    @Test(arguments: ["SEGV", "BUS", "ILL", "ABRT", "TRAP", "FPE"])
    func `a file that kills the process is a fault`(_ signal: String) throws {
        let result = run("echo partial; kill -\(signal) $$")
        #expect(result.outcome == .no)
        let text = String(result.output.dropLast())
        guard case .object(let members) = try JSONValue(parsing: text) else {
            Issue.record("\(text)")
            return
        }
        #expect(members.map(\.name) == ["ok", "events", "rows", "faults"])
        #expect(members.first?.value == .bool(false))
        #expect(text.contains("\"kind\":\"crash\",\"where\":\"music\""))
        #expect(
            run("kill -\(signal) $$", isJSON: false).output.hasPrefix("crash at music: Reading")
        )
    }

    @Test func `a child that was stopped has no answer`() {
        #expect(run("kill -INT $$").outcome == .interrupted)
        #expect(run("kill -KILL $$").outcome == .inputOutput)
        #expect(run("exit 99").outcome == .inputOutput)
    }
}
