import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Shows a long answer a page at a time, through the program that `PAGER` names.
///
/// It starts with the first bytes of the answer, so that an answer of nothing shows nothing, and errors before it stay
/// plain. From then on Ctrl-C is the pager's: a reader who quits the pager closes the pipe.
final class Pager: ByteSink {
    /// What is run where `PAGER` says nothing. `-F` lets a short answer stay where it is, `-R` keeps bold, and `-X`
    /// leaves the answer on the screen.
    static let standard = "if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi"

    private enum State {
        case waiting
        case running(ChildProcess.Reader)
        case finished
    }

    private let command: String
    private let whenStarted: @Sendable () -> Void
    private let state = Mutex(State.waiting)

    /// - Parameters:
    ///   - environment: nil is returned where `PAGER` is empty or `cat`, since nothing is to be paged then.
    ///   - whenStarted: called when the program runs.
    init?(
        environment: (String) -> String?,
        whenStarted: @escaping @Sendable () -> Void = { InterruptSignal.leaveToChild() }
    ) {
        self.whenStarted = whenStarted
        guard let chosen = environment("PAGER") else {
            command = Self.standard
            return
        }
        if ["", "cat"].contains(chosen) { return nil }
        command = chosen
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        guard let reader = start() else { return try FileDescriptorSink.standardOutput.write(bytes) }
        try FileDescriptorSink(descriptor: reader.input).write(bytes)
    }

    /// Ends the answer and waits until the reader has left the pager.
    func finish() {
        state.withLock { state in
            if case .running(let reader) = state { reader.finish() }
            state = .finished
        }
    }

    /// The running pager; nil where it cannot be started.
    private func start() -> ChildProcess.Reader? {
        state.withLock { state in
            switch state {
            case .running(let reader): return reader
            case .finished: return nil
            case .waiting:
                let shell = ChildProcess(executable: "/bin/sh", arguments: ["-c", command])
                guard let reader = try? shell.startReading() else {
                    state = .finished
                    return nil
                }
                whenStarted()
                state = .running(reader)
                return reader
            }
        }
    }
}
