#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A fault of memory: what reading a damaged file can end in, where no check reaches.
enum FaultSignal {
    /// LMDB's assertions end in SIGABRT. Swift's traps (SIGILL, SIGTRAP) are mistakes of ours and kill the process.
    private static let numbers = [SIGSEGV, SIGBUS, SIGABRT]

    /// Enough for the handler and for the largest set of registers that is saved beside it.
    private static let stackByteCount = 1 << 16

    /// Lets the process end with two sentences and an exit code where such a signal would kill it without a word.
    ///
    /// The signals need not come from a file: what else they come from is a mistake of ours, and cannot be told apart
    /// here.
    static func listen() {
        giveStack()
        for number in numbers {
            var action = sigaction()
            #if canImport(Glibc)
                unsafe action.__sigaction_handler.sa_handler = handler
            #elseif canImport(Musl)
                unsafe action.__sa_handler.sa_handler = handler
            #else
                unsafe action.__sigaction_u.__sa_handler = handler
            #endif
            action.sa_flags = SA_ONSTACK
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Calls nothing but what signal-safety(7) lists, and touches no memory but its own.
    private static let handler: @convention(c) (Int32) -> Void = { _ in
        let text: StaticString = """
            reprise: The store's file, or an export, is damaged where no check reaches: reading it ended in a fault \
            of memory. Run `reprise verify` on the store to see where, and go back to a copy.

            """
        _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        _exit(Outcome.badData.rawValue)
    }

    /// A stack that has run over has no room for a handler: this thread gets another one, for good.
    private static func giveStack() {
        var stack = unsafe stack_t()
        unsafe stack.ss_sp = .allocate(byteCount: stackByteCount, alignment: 16)
        unsafe stack.ss_size = .init(stackByteCount)
        _ = unsafe sigaltstack(&stack, nil)
    }
}
