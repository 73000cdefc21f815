import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A fault of the process: what reading a damaged file can end in, where no check reaches (STO-72).
enum FaultSignal {
    /// The signals that end a process for what it did itself.
    ///
    /// Damaged memory maps end in SIGBUS and SIGSEGV, LMDB's assertions in SIGABRT, checks of Swift in SIGILL or
    /// SIGTRAP, by the processor.
    static let numbers = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE, SIGSYS]

    /// A signal's name; "a signal" for one that is not listed. Allocates nothing, for handlers.
    static func name(of number: Int32) -> StaticString {
        switch number {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGABRT: "SIGABRT"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGFPE: "SIGFPE"
        case SIGSYS: "SIGSYS"
        default: "a signal"
        }
    }

    /// Enough for the handler and for the largest set of registers that is saved beside it.
    private static let stackByteCount = 1 << 16

    /// Lets the process end with two sentences and an exit code where such a signal would kill it without a word.
    ///
    /// A check of Swift that fails is a mistake of ours. The other signals may come from a file or from a mistake,
    /// which cannot be told apart here.
    static func listen() {
        giveStack()
        // Made here, and not within a handler.
        address.store(0, ordering: .relaxed)
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

    /// Where what is said instead of the usual is in memory, while a file is mapped that another program may cut: the
    /// count of the bytes before the signal's name, that of those behind it, and all of them. Never given back, since a
    /// handler may be reading it. 0 for nothing.
    private static let address = Atomic<UInt>(0)
    private static let countByteCount = MemoryLayout<Int>.size

    /// Says from now on that it may be this file which ends where it did not when it was opened.
    ///
    /// - Parameter store: whether a store is read and written besides.
    static func isReading(export path: String, andStore store: Bool) {
        let what = store ? "\(path), or the store," : path
        let advice =
            store
            ? "Copy the file and read the copy; run `reprise verify` on the store."
            : "Copy the file and read the copy."
        let head = Array("reprise: Reading \(what) ended in ".utf8)
        let tail = Array(
            ": it was cut by another program meanwhile, or is damaged where no check reaches. \(advice)\n".utf8
        )
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * countByteCount + head.count + tail.count,
            alignment: countByteCount
        )
        unsafe bytes.storeBytes(of: head.count, as: Int.self)
        unsafe bytes.storeBytes(of: tail.count, toByteOffset: countByteCount, as: Int.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(2 * countByteCount)...]).copyBytes(from: head + tail)
        address.store(UInt(bitPattern: bytes.baseAddress), ordering: .releasing)
    }

    /// Calls nothing but what signal-safety(7) lists, and touches no memory but its own.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        if number == SIGILL || number == SIGTRAP {
            say("reprise: A check of the program itself failed (")
            say(name(of: number))
            say(
                """
                ). That is a mistake in reprise: report it with the command and the lines above. Run `reprise verify` \
                to see whether the store is sound.

                """
            )
        } else if let bytes = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
            let headCount = unsafe bytes.load(as: Int.self)
            let tailCount = unsafe bytes.load(fromByteOffset: countByteCount, as: Int.self)
            let head = unsafe bytes + 2 * countByteCount
            _ = unsafe write(STDERR_FILENO, head, headCount)
            say(name(of: number))
            _ = unsafe write(STDERR_FILENO, head + headCount, tailCount)
        } else {
            say("reprise: Reading the store's file, or an export, ended in ")
            say(name(of: number))
            say(
                """
                : it is damaged where no check reaches. Run `reprise verify` on the store to see where, and go back \
                to a copy.

                """
            )
        }
        _exit(Outcome.badData.rawValue)
    }

    private static func say(_ text: StaticString) {
        _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// A stack that has run over has no room for a handler: this thread gets another one, for good.
    private static func giveStack() {
        var stack = unsafe stack_t()
        unsafe stack.ss_sp = .allocate(byteCount: stackByteCount, alignment: 16)
        unsafe stack.ss_size = .init(stackByteCount)
        _ = unsafe sigaltstack(&stack, nil)
    }
}
