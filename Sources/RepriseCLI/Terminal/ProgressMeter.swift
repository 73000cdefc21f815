import Synchronization

/// Shows on standard error how far a long work is.
///
/// On a terminal one line is drawn again and again, with a bar where the end is known; elsewhere a line is
/// added every few seconds. Calls may come from any thread and as often as is convenient: only
/// some of them draw.
final class ProgressMeter: Sendable {
    /// The time between two drawings on a terminal.
    static let redrawInterval: Duration = .milliseconds(100)
    /// The time between two lines elsewhere.
    static let lineInterval: Duration = .seconds(5)

    private struct State {
        var lastDrawing: Duration?
        var isLineOpen = false
        var rate = ProgressRate()
    }

    private let title: String
    private let unit: String
    private let sink: (any ByteSink)?
    private let traits: TerminalTraits
    private let uptime: @Sendable () -> Duration
    private let start: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - title: what is being done: `Verifying`.
    ///   - unit: one of the things that are counted: `event`.
    ///   - sink: nil to show nothing.
    ///   - uptime: a clock that only goes forward.
    init(
        title: String,
        unit: String,
        sink: (any ByteSink)?,
        traits: TerminalTraits,
        uptime: @escaping @Sendable () -> Duration
    ) {
        self.title = title
        self.unit = unit
        self.sink = sink
        self.traits = traits
        self.uptime = uptime
        start = uptime()
    }

    /// Reports that `done` things are finished, of `total` if the end is known.
    func update(done: UInt64, total: UInt64? = nil) {
        guard let sink else { return }
        let now = uptime()
        state.withLock { state in
            let interval = traits.isTerminal ? Self.redrawInterval : Self.lineInterval
            guard now - (state.lastDrawing ?? start) >= interval else { return }
            state.lastDrawing = now
            state.rate.note(done: done, at: now - start)
            let text = ProgressLine(
                title: title,
                unit: unit,
                done: done,
                total: total,
                perSecond: state.rate.perSecond
            )
            if traits.isTerminal {
                state.isLineOpen = true
                show("\r\u{1B}[K" + text.bar(width: (traits.width ?? 80) - 1), on: sink)
            } else {
                show(text.sentence + "\n", on: sink)
            }
        }
    }

    /// Removes the bar, so that what follows starts on a clean line. Lines stay.
    func finish() {
        guard let sink else { return }
        state.withLock { state in
            if state.isLineOpen { show("\r\u{1B}[K", on: sink) }
            state.isLineOpen = false
        }
    }

    private func show(_ text: String, on sink: any ByteSink) {
        // Progress that nobody can see must not stop the work.
        try? sink.write(Array(text.utf8))
    }
}

/// The current speed: a mean in which the last ten seconds weigh most, so that the time left
/// neither jumps nor clings to a slow start.
struct ProgressRate: Sendable {
    /// The time in which the weight of the past falls to 1/e, in seconds.
    static let memory = 10.0

    private var last: (done: UInt64, at: Duration) = (0, .zero)
    private var mean: Double?
    /// The time that the mean is one of, the past weighed less: a short first step, such as reading a file before work
    /// begins, counts for no more than it took.
    private var measuredSeconds = 0.0

    /// Things a second; nil before the first measurement.
    var perSecond: Double? { mean }

    mutating func note(done: UInt64, at time: Duration) {
        let seconds = Quantity.seconds(time - last.at)
        guard seconds > 0 else { return }
        // A count that went back is a new phase: measure from there.
        guard done >= last.done else {
            last = (done, time)
            mean = nil
            measuredSeconds = 0
            return
        }
        let current = Double(done - last.done) / seconds
        // e^-x without importing a mathematics library: 1/(1+x) has the same slope and limit.
        measuredSeconds = measuredSeconds / (1 + seconds / Self.memory) + seconds
        mean = mean.map { $0 + (current - $0) * seconds / measuredSeconds } ?? current
        last = (done, time)
    }
}

/// One moment of a long work, in words.
struct ProgressLine: Sendable {
    var title: String
    var unit: String
    var done: UInt64
    var total: UInt64?
    var perSecond: Double?

    /// Share done in 0...1; nil where the end is not known.
    var share: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(done) / Double(total))
    }

    /// The time left at the current speed; nil where it cannot be told.
    var timeLeft: Duration? {
        guard let total, total >= done, let perSecond, perSecond > 0 else { return nil }
        let seconds = Double(total - done) / perSecond
        return seconds < 360_000 ? .seconds(seconds.rounded(.up)) : nil
    }

    /// For a log: `Verifying: 420,000 of 1,000,000 events (42 %), 210,000/s, 0:03 left`
    var sentence: String {
        title + ": "
            + ([amount + percent.map { " (\($0))" }.joined()] + speed)
            .joined(separator: ", ")
    }

    /// For a terminal: `Verifying [########------------] 42 %  420,000 events  210,000/s  0:03 left`
    func bar(width: Int) -> String {
        guard let share, let percent = percent.first else {
            return DisplayWidth.truncated(
                ([title, amount] + speed).joined(separator: "  "),
                to: width
            )
        }
        let tail = ([" \(percent)", Quantity.count(done, unit)] + speed).joined(separator: "  ")
        let room = min(30, width - DisplayWidth.of(title) - DisplayWidth.of(tail) - 3)
        // On a narrow screen the figures matter more than the picture.
        guard room >= 5 else { return DisplayWidth.truncated(title + tail, to: width) }
        let filled = Int(share * Double(room))
        let picture =
            String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
        return "\(title) [\(picture)]\(tail)"
    }

    private var amount: String {
        guard let total else { return Quantity.count(done, unit) }
        return "\(Quantity.count(done)) of \(Quantity.count(total, unit))"
    }

    private var percent: [String] {
        share.map { ["\(Int(($0 * 100).rounded(.down))) %"] } ?? []
    }

    private var speed: [String] {
        let rate = perSecond.map { ["\(Quantity.count(UInt64(max(0, min($0, 1e18)))))/s"] } ?? []
        return rate + (timeLeft.map { ["\(Quantity.clock($0)) left"] } ?? [])
    }
}
