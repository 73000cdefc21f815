#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// How several processes begin at the same moment: none of them needs the processor for looking, and they begin closer
/// together than they look.
package enum Starting {
    /// How long it takes all processes to see the file.
    private static let delayMicroseconds = 8000

    /// Tells the processes that wait for a file that they begin soon, all at one moment.
    package static func announce(_ path: String) {
        let text = String(now() + delayMicroseconds) + "\n"
        replaceContents(ofFile: path, with: Array(text.utf8))
    }

    /// Waits for the moment that a file tells.
    ///
    /// - Returns: Whether it has come; not when the parent has ended before.
    package static func wait(for path: String, whileChildOf parent: Int32) -> Bool {
        while true {
            // The line may not be there yet.
            if let line = AcknowledgementFile(path: path).lines.first, let moment = Int(line) {
                let left = min(moment - now(), delayMicroseconds)
                if left > 0 { usleep(UInt32(left)) }
                return true
            }
            if getppid() != parent { return false }
            usleep(1000)
        }
    }

    /// The microseconds of a clock that all processes share.
    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
    }
}
