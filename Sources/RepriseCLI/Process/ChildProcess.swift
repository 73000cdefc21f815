#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs a program and gathers its standard output; its standard error is ours.
///
/// Work on a file that may be damaged is done in a child, whose death is then an answer rather than our
/// own.
struct ChildProcess: Sendable {
    /// How a program ended.
    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The bytes of output that are kept.
    static let outputByteCountMax = 256 << 20

    let executable: String
    let arguments: [String]
    /// Variables set for the child besides the inherited ones.
    var environment: [String: String] = [:]

    /// Runs the program to its end.
    ///
    /// - Parameter interruption: when requested, the child is sent SIGINT, once.
    /// - Throws: `CommandFailure` when the program cannot be started or its output not be read.
    func run(interruption: Interruption = .never) throws -> (ending: Ending, output: [UInt8]) {
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        let child: pid_t
        do {
            defer { close(writing) }
            child = try start(giving: writing, as: STDOUT_FILENO)
        }
        var output: [UInt8] = []
        do {
            try gather(from: reading, of: child, into: &output, interruption: interruption)
        } catch {
            kill(child, SIGKILL)
            _ = Self.wait(for: child)
            throw error
        }
        return (Self.wait(for: child), output)
    }

    /// A running program that reads what is written to it.
    struct Reader: Sendable {
        /// The end of the pipe to write to.
        let input: Int32
        fileprivate let child: pid_t

        /// Closes the pipe and waits for the program's end.
        func finish() {
            close(input)
            _ = ChildProcess.wait(for: child)
        }
    }

    /// Starts the program with a pipe as its standard input; standard output and error are ours.
    ///
    /// - Throws: `CommandFailure` when it cannot be started.
    func startReading() throws -> Reader {
        let ends = try makePipe()
        defer { close(ends.reading) }
        do {
            return Reader(input: ends.writing, child: try start(giving: ends.reading, as: STDIN_FILENO))
        } catch {
            close(ends.writing)
            throw error
        }
    }

    /// A pipe that no other child, started at the same time, holds open.
    private func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw failure("A pipe could not be made", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func start(giving end: Int32, as descriptor: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, end, descriptor)
        var attributes = Self.cleanSignals()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let argv = CStringArray([executable] + arguments)
        let envp = CStringArray(Self.inheritedEnvironment(setting: environment))
        defer {
            argv.free()
            envp.free()
        }
        var child: pid_t = 0
        let code = unsafe posix_spawn(
            &child,
            executable,
            &actions,
            &attributes,
            argv.pointers,
            envp.pointers
        )
        guard code == 0 else { throw failure("\(executable) could not be started", code) }
        return child
    }

    #if canImport(Darwin)
        private typealias SpawnAttributes = posix_spawnattr_t?
    #else
        private typealias SpawnAttributes = posix_spawnattr_t
    #endif

    /// No signal blocked or ignored: threads of a pool block most of them, and a child would inherit that.
    private static func cleanSignals() -> SpawnAttributes {
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
        #else
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGPIPE, SIGXFSZ] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    private func gather(
        from descriptor: Int32,
        of child: pid_t,
        into output: inout [UInt8],
        interruption: Interruption
    ) throws {
        var hasPassedOn = false
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if !hasPassedOn, interruption.isRequested() {
                kill(child, SIGINT)
                hasPassedOn = true
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw failure("The output of \(executable) could not be read", errno)
            }
            guard output.count + count <= Self.outputByteCountMax else {
                throw failure("The output of \(executable) is too long", EFBIG)
            }
            output.append(contentsOf: chunk[..<count])
        }
    }

    private static func wait(for child: pid_t) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        // The encoding of the wait status, which C offers as macros that Swift does not import.
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }

    private func failure(_ what: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "\(what): \(unsafe String(cString: strerror(number))).",
            advice: "Free some memory and processes, then run the command again."
        )
    }

    private static func inheritedEnvironment(setting added: [String: String]) -> [String] {
        var entries: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            let name = text.prefix { $0 != "=" }
            if added[String(name)] == nil { entries.append(text) }
            unsafe next += 1
        }
        return entries + added.map { "\($0.key)=\($0.value)" }.sorted()
    }
}

/// A null-terminated array of C strings, freed by hand.
@safe
private struct CStringArray {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        unsafe pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() {
            unsafe (pointers + index).initialize(to: strdup(string))
        }
        unsafe (pointers + count).initialize(to: nil)
    }

    func free() {
        for index in 0..<count {
            #if canImport(Glibc)
                unsafe Glibc.free(pointers[index])
            #elseif canImport(Musl)
                unsafe Musl.free(pointers[index])
            #else
                unsafe Darwin.free(pointers[index])
            #endif
        }
        unsafe pointers.deallocate()
    }
}
