/// How the command ends, as in `sysexits.h`: scripts rely on these numbers.
enum Outcome: Int32, Sendable {
    /// Done.
    case done = 0
    /// The answer is no: a fault was found, a delete is denied, an identifier is not there.
    case no = 1
    /// The command was used wrongly.
    case usage = 64
    /// The data given is wrong.
    case badData = 65
    /// An input does not exist or cannot be read.
    case noInput = 66
    /// The store is in use in a way that forbids this.
    case inUse = 69
    /// An output cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Ctrl-C. The process then ends by the signal itself, which a shell shows as this number.
    case interrupted = 130
}

/// Why a command could not do its work: one sentence on what happened, one on what to do.
struct CommandFailure: Error, Equatable, Sendable {
    var outcome: Outcome
    /// What happened, a whole sentence.
    var message: String
    /// What to do about it, a whole sentence.
    var advice: String
    /// Lines to show between the two, already laid out.
    var detail: String?

    init(_ outcome: Outcome, _ message: String, advice: String, detail: String? = nil) {
        self.outcome = outcome
        self.message = message
        self.advice = advice
        self.detail = detail
    }

    /// The text for standard error, without the last line break.
    func text(in traits: TerminalTraits) -> String {
        let label = TextStyle.red.applied(to: "Error:", in: traits)
        guard let detail else { return "\(label) \(message) \(advice)" }
        return "\(label) \(message)\n\(detail)\n\(advice)"
    }
}
