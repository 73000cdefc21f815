import Foundation
import Testing

@testable import RepriseCLI

struct ProcessTests {
    private func shell(_ script: String) -> ChildProcess {
        ChildProcess(executable: "/bin/sh", arguments: ["-c", script])
    }

    @Test func `a child's output and exit code come back`() throws {
        let (ending, output) = try shell("printf 'a\\nb'; exit 7").run()
        #expect(ending == .exited(7))
        #expect(String(decoding: output, as: UTF8.self) == "a\nb")
    }

    @Test func `a child's death is an answer`() throws {
        #expect(try shell("kill -SEGV $$").run().ending == .killed(signal: SIGSEGV))
        #expect(try shell("kill -BUS $$").run().ending == .killed(signal: SIGBUS))
    }

    @Test func `a long output does not block`() throws {
        let (ending, output) = try shell("head -c 3000000 /dev/zero").run()
        #expect(ending == .exited(0))
        #expect(output.count == 3_000_000)
    }

    @Test func `the environment is inherited and added to`() throws {
        var child = shell("printf '%s' \"$ADDED$PATH\"")
        child.environment = ["ADDED": "x=y"]
        let output = String(decoding: try child.run().output, as: UTF8.self)
        #expect(output == "x=y" + (ProcessInfo.processInfo.environment["PATH"] ?? ""))
    }

    @Test func `an interruption is passed on`() throws {
        let child = shell("trap 'echo stopped; exit 3' INT; while :; do sleep 0.05; done")
        let start = ContinuousClock.now
        let interruption = Interruption { ContinuousClock.now - start > .milliseconds(300) }
        let (ending, output) = try child.run(interruption: interruption)
        #expect(ending == .exited(3))
        #expect(String(decoding: output, as: UTF8.self) == "stopped\n")
    }

    @Test func `a program that is not there is an error in two sentences`() throws {
        let failure = try #require(throws: CommandFailure.self) {
            try ChildProcess(executable: "/nonexistent/program", arguments: []).run()
        }
        #expect(failure.outcome == .inputOutput)
        #expect(failure.message.contains("/nonexistent/program"))
    }

    @Test func `a full buffer is handed on and a closed pipe is told`() throws {
        let sink = MemorySink()
        var output = OutputBuffer(sink)
        try output.line("short")
        #expect(sink.text.isEmpty)
        try output.write([UInt8](repeating: UInt8(ascii: "x"), count: OutputBuffer.byteCountMax))
        #expect(sink.text.utf8.count == OutputBuffer.byteCountMax + 6)
        try output.flush()
        #expect(sink.text.utf8.count == OutputBuffer.byteCountMax + 6)

        var closed = OutputBuffer(MemorySink(refusing: .closedPipe))
        try closed.line("x")
        #expect(throws: OutputError.closedPipe) { try closed.flush() }
        try closed.flush()
    }

    @Test func `a descriptor nobody reads is a closed pipe and no signal`() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        // A child that another test starts now must not hold it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        close(ends[0])
        defer { close(ends[1]) }
        let sink = FileDescriptorSink(descriptor: ends[1])
        #expect(throws: OutputError.closedPipe) { try sink.write([1]) }
        #expect(throws: OutputError.failed(errno: EBADF)) {
            try FileDescriptorSink(descriptor: -1).write([1])
        }
        #expect(OutputError.failure(errno: ENOSPC).outcome == .inputOutput)
    }
}
