internal import Dispatch
internal import RepriseLMDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Another process, which may be killed.
///
/// A thread takes it away as soon as it is over. The framework that runs the tests waits for children of its own, and
/// looks again and again, without a pause, while there is any that is over and that nobody has taken: that took a whole
/// processor while those who wait here had no thread to run on.
package final class ChildProcess: Sendable {
    package enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
        /// It did not end in time and was killed for it.
        case hang
    }

    package let id: Int32
    /// How it ended, once it was taken away.
    private let status = Guarded<Int32?>(nil)

    /// - Parameter output: where standard output and standard error go.
    package init(_ executable: String, _ arguments: [String], output: String = "/dev/null") {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(
            &actions,
            1,
            output,
            O_WRONLY | O_CREAT | O_APPEND,
            0o600
        )
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        // A trace of a crash that is expected takes seconds.
        var environment = unsafe [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        for name in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TSAN_OPTIONS", "PATH", "HOME"] {
            if let value = unsafe getenv(name) {
                unsafe environment.insert(strdup(name + "=" + String(cString: value)), at: 0)
            }
        }
        defer {
            unsafe (words + environment).forEach { unsafe free($0) }
        }
        var id: pid_t = 0
        let code = unsafe posix_spawn(&id, executable, &actions, nil, &words, &environment)
        precondition(code == 0, "\(executable) can be run (error \(code)).")
        self.id = id
        DispatchQueue(label: "child \(id)").async { [self] in takeAway() }
    }

    /// Waits for the end. The process is there to be taken away until its status is known, so that nobody kills another
    /// one that has got its number.
    private func takeAway() {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {
        }
        status.withLock { known in
            var status: Int32 = 0
            while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
            known = status
        }
    }

    /// Kills it, if it is not over yet.
    package func kill() {
        status.withLock { status in
            guard status == nil else { return }
            #if canImport(Glibc)
                _ = Glibc.kill(id, SIGKILL)
            #elseif canImport(Musl)
                _ = Musl.kill(id, SIGKILL)
            #else
                _ = Darwin.kill(id, SIGKILL)
            #endif
        }
    }

    /// Kills it a while after something has come true, and waits for the end.
    ///
    /// From a thread of its own: who waits here may have none for minutes while other tests run, in which the process
    /// would go on, and what it makes grow.
    ///
    /// - Returns: `.hang` where it does not come true within a minute.
    package func killed(
        after delay: Duration,
        once isReady: @escaping @Sendable () -> Bool
    ) async -> Ending {
        DispatchQueue(label: "killer of \(id)").async { [self] in
            while !isReady() {
                if status.withLock({ $0 != nil }) { return }
                usleep(1000)
            }
            usleep(UInt32(delay / .microseconds(1)))
            kill()
        }
        return await end()
    }

    /// Waits for the end without holding a thread.
    package func end(within limit: Duration = .seconds(60)) async -> Ending {
        let deadline = ContinuousClock.now + limit
        var isLate = false
        while true {
            if let status = status.withLock({ $0 }) {
                if isLate { return .hang }
                let signal = status & 0x7F
                return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
            }
            if !isLate, ContinuousClock.now > deadline {
                isLate = true
                kill()
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// The test-only executable with this name, which lies beside the tests.
    package static func builtExecutable(_ name: String) -> String {
        var starts = CommandLine.arguments
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            // Where there is no such file, as on Darwin, the arguments name the bundle of the tests.
            return unsafe readlink(
                "/proc/self/exe",
                base.assumingMemoryBound(to: CChar.self),
                buffer.count
            )
        }
        if count > 0 { starts.insert(String(decoding: buffer[..<count], as: UTF8.self), at: 0) }
        for start in starts {
            var directory = start[...]
            while let slash = directory.lastIndex(of: "/") {
                directory = directory[..<slash]
                let candidate = directory + "/" + name
                if unsafe access(String(candidate), X_OK) == 0 { return String(candidate) }
            }
        }
        preconditionFailure("\(name) is built together with the tests.")
    }
}
