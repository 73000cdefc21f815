#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Another process, which may be killed.
package final class ChildProcess: Sendable {
    package enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
        /// It did not end in time and was killed for it.
        case hang
    }

    package let id: Int32

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
    }

    package func kill() {
        #if canImport(Glibc)
            _ = Glibc.kill(id, SIGKILL)
        #elseif canImport(Musl)
            _ = Musl.kill(id, SIGKILL)
        #else
            _ = Darwin.kill(id, SIGKILL)
        #endif
    }

    /// Waits for the end without holding a thread. Call it once.
    package func end(within limit: Duration = .seconds(60)) async -> Ending {
        let deadline = ContinuousClock.now + limit
        var status: Int32 = 0
        while unsafe waitpid(id, &status, WNOHANG) == 0 {
            if ContinuousClock.now > deadline {
                kill()
                unsafe waitpid(id, &status, 0)
                return .hang
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
        let signal = status & 0x7F
        return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
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
