import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C: the first one asks the work to stop at the next batch, the second one ends the process. A command that only
/// asks ends by the first one in any case.
enum InterruptSignal {
    /// The signal that came, 0 before.
    private static let received = Atomic<Int32>(0)
    /// How long the work has to stop by itself before the process ends; 0 is for ever.
    private static let graceSeconds = Atomic<UInt32>(0)

    /// Set by the first signal.
    static let interruption = Interruption { received.load(ordering: .relaxed) != 0 }

    /// Starts to listen for SIGINT and SIGTERM, and ignores SIGPIPE and SIGXFSZ, so that a reader that
    /// leaves and a file that may not grow are errors of `write` instead of a sudden death.
    ///
    /// The handler gives the signal its default action back: the second one needs no code of ours,
    /// which could hang. `signal` restarts interrupted system calls on all platforms used here, which
    /// spares the libraries below.
    static func listen() {
        // The handler must not be the one to initialise the atomic.
        _ = received.load(ordering: .relaxed)
        _ = graceSeconds.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            _ = signal(number) { number in
                InterruptSignal.received.store(number, ordering: .relaxed)
                _ = signal(number, SIG_DFL)
                let grace = InterruptSignal.graceSeconds.load(ordering: .relaxed)
                if grace > 0 { alarm(grace) }
            }
        }
        _ = signal(SIGALRM) { _ in raise(InterruptSignal.received.load(ordering: .relaxed)) }
        for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
    }

    /// Says that the work only asks: one signal then ends the process a second later, wherever the work is (QRY-34).
    ///
    /// Such work looks for a signal between two results only, and there may be none for long; nothing of it is lost.
    static func endsWorkAfterGrace() {
        graceSeconds.store(1, ordering: .relaxed)
    }

    /// Leaves Ctrl-C to a child process that has the terminal.
    static func leaveToChild() {
        _ = signal(SIGINT, SIG_IGN)
        graceSeconds.store(0, ordering: .relaxed)
    }

    /// Ends the process by the signal that came, so that a shell script running it stops too.
    static func endProcess() -> Never {
        let number = received.load(ordering: .relaxed)
        _ = signal(number == 0 ? SIGINT : number, SIG_DFL)
        raise(number == 0 ? SIGINT : number)
        exit(Outcome.interrupted.rawValue)
    }
}
