#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `reprise verify` as users run it: the work is done by a child, so that a file that kills the process
/// reading it is reported as a fault.
struct SupervisedVerifyCommand: Command {
    var store: StoreLocation
    var isJSON = false
    /// Runs ``VerifyCommand`` on the same store with the same options.
    var child: ChildProcess

    func run(in console: inout Console) throws -> Outcome {
        let (ending, output) = try child.run(interruption: console.interruption)
        switch ending {
        case .exited(let code):
            guard let outcome = Outcome(rawValue: code) else {
                throw CommandFailure(
                    .inputOutput,
                    "The process that verifies ended with the unknown code \(code).",
                    advice: "Run the command again, and report it if it happens again."
                )
            }
            // What the child had to say about a failure is on standard error already.
            try console.output.write(output)
            return outcome
        case .killed(let signal) where FaultSignal.numbers.contains(signal):
            let verdict = Verdict(faults: [fault(signal)])
            try verdict.show(isJSON: isJSON, in: &console)
            return .no
        case .killed(SIGINT), .killed(SIGTERM):
            throw CommandFailure.interrupted
        case .killed(let signal):
            throw CommandFailure(
                .inputOutput,
                "The process that verifies was killed by signal \(signal) before it had an answer.",
                advice: "Free some memory and run the command again."
            )
        }
    }

    private func fault(_ signal: Int32) -> Verdict.Fault {
        Verdict.Fault(
            kind: "crash",
            place: store.path,
            message: "Reading the file killed the process that verifies (\(FaultSignal.name(of: signal))): "
                + "the file is damaged where no check reaches."
        )
    }
}
