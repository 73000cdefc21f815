#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where bytes go: a file descriptor, or memory in a test.
protocol ByteSink: Sendable {
    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(OutputError)
}

/// Why text could not be written.
enum OutputError: Error, Equatable {
    /// Nobody reads any more: `reprise export | head`.
    case closedPipe
    /// The system's error number.
    case failed(errno: Int32)

    /// What to tell the user about an error number.
    static func failure(errno number: Int32) -> CommandFailure {
        let reason = unsafe String(cString: strerror(number))
        return CommandFailure(
            .inputOutput,
            "Writing the output failed: \(reason).",
            advice:
                "Check the disk or the program that reads the output, then run the command again."
        )
    }
}

/// A file descriptor that somebody else opened and closes.
struct FileDescriptorSink: ByteSink {
    let descriptor: Int32

    static let standardOutput = FileDescriptorSink(descriptor: STDOUT_FILENO)
    static let standardError = FileDescriptorSink(descriptor: STDERR_FILENO)

    func write(_ bytes: [UInt8]) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                #if canImport(Glibc)
                    unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
                #elseif canImport(Musl)
                    unsafe Musl.write(descriptor, $0.baseAddress, $0.count)
                #else
                    unsafe Darwin.write(descriptor, $0.baseAddress, $0.count)
                #endif
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw .closedPipe
            } else if errno == EAGAIN {
                // Standard output may share a terminal that another program made non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, 1000)
            } else if errno != EINTR {
                throw .failed(errno: errno)
            }
        }
    }
}

/// Collects text and hands it on in large pieces.
struct OutputBuffer {
    /// Bytes gathered before they are written.
    static let byteCountMax = 1 << 16

    private let sink: any ByteSink
    private var pending: [UInt8] = []

    init(_ sink: any ByteSink) {
        self.sink = sink
    }

    mutating func write(_ bytes: [UInt8]) throws(OutputError) {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.byteCountMax { try flush() }
    }

    mutating func line(_ text: String = "") throws(OutputError) {
        pending.append(contentsOf: text.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.byteCountMax { try flush() }
    }

    /// Hands on what is pending. After an error nothing is pending: what the reader missed is lost.
    mutating func flush() throws(OutputError) {
        guard !pending.isEmpty else { return }
        defer { pending.removeAll(keepingCapacity: true) }
        try sink.write(pending)
    }
}
