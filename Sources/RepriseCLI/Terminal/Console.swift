/// Everything a command touches besides its store: what it says, to whom, and whether to go on.
///
/// Commands know no global state, so that a test can hold all of it in memory.
struct Console {
    /// The answer: standard output.
    var output: OutputBuffer
    /// What standard output can show.
    var outputTraits: TerminalTraits
    /// Progress, warnings and errors: standard error, written at once.
    let diagnostics: any ByteSink
    /// What standard error can show.
    let diagnosticsTraits: TerminalTraits
    /// Whether progress is unwanted. Warnings and errors are shown nevertheless.
    var isQuiet: Bool
    /// Whether the user asked to stop.
    let interruption: Interruption
    /// The time passed since some fixed moment.
    let uptime: @Sendable () -> Duration
    /// The pager of long answers; nil where standard output is no terminal.
    let pager: Pager?
    /// Reads the line that the user types; nil where nobody can be asked.
    let readAnswer: (@Sendable () -> String?)?

    init(
        output: any ByteSink,
        outputTraits: TerminalTraits = .plain,
        diagnostics: any ByteSink,
        diagnosticsTraits: TerminalTraits = .plain,
        isQuiet: Bool = false,
        interruption: Interruption = .never,
        pager: Pager? = nil,
        readAnswer: (@Sendable () -> String?)? = nil,
        uptime: (@Sendable () -> Duration)? = nil
    ) {
        self.output = OutputBuffer(output)
        self.outputTraits = outputTraits
        self.diagnostics = diagnostics
        self.diagnosticsTraits = diagnosticsTraits
        self.isQuiet = isQuiet
        self.interruption = interruption
        self.pager = pager
        self.readAnswer = readAnswer
        let start = ContinuousClock.now
        self.uptime = uptime ?? { ContinuousClock.now - start }
    }

    /// Has the rest of the answer go through the pager, where there is one (CLI-14).
    mutating func usePager() {
        if let pager { output = OutputBuffer(pager) }
    }

    /// Shows a line on standard error. That nobody reads it is no reason to stop working.
    func note(_ text: String) {
        try? diagnostics.write(Array((text + "\n").utf8))
    }

    /// Whether a user sits at the terminal who can answer.
    var canAsk: Bool { readAnswer != nil }

    /// Asks a question that is answered with yes or no; anything else than yes is no.
    func ask(_ question: String) -> Bool {
        try? diagnostics.write(Array((question + " [y/N] ").utf8))
        let answer = readAnswer?()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Starts to show how far a long work is.
    func progress(_ title: String, unit: String) -> ProgressMeter {
        ProgressMeter(
            title: title,
            unit: unit,
            sink: isQuiet ? nil : diagnostics,
            traits: diagnosticsTraits,
            uptime: uptime
        )
    }
}

/// Asks whether the user wants long work to stop at the next batch.
struct Interruption: Sendable {
    let isRequested: @Sendable () -> Bool

    static let never = Interruption { false }
}
