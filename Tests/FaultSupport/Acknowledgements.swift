package import Reprise

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What a worker was told to be durable: after which step, with which head and digest.
package struct Acknowledgement: Equatable, Sendable {
    package let step: Int
    package let head: UInt64
    package let digest: String
}

/// An append-only file of records of one size, which outlives the process that writes it.
package struct AcknowledgementFile: Sendable {
    package let path: String
    private static let recordByteCount = 20 + 1 + 20 + 1 + 64 + 1

    package init(path: String) {
        self.path = path
    }

    package func append(step: Int, head: Position, digest: StateDigest) {
        let line =
            Self.padded(String(step)) + " " + Self.padded(head.description) + " "
            + digest.description + "\n"
        precondition(line.utf8.count == Self.recordByteCount, "Records have one size.")
        append(line)
    }

    /// Appends in one call to the system, which a signal cannot cut.
    package func append(_ line: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "The file of acknowledgements can be written.")
        defer { close(descriptor) }
        let written = unsafe write(descriptor, line, line.utf8.count)
        precondition(written == line.utf8.count, "A record is written whole.")
    }

    /// The lines so far, without one that is not complete.
    package var lines: [String] {
        var lines = contents(ofFile: path).split(separator: 10, omittingEmptySubsequences: false)
        if !lines.isEmpty { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    package var all: [Acknowledgement] {
        lines.compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 3, let step = Int(fields[0]), let head = UInt64(fields[1]) else {
                return nil
            }
            return Acknowledgement(step: step, head: head, digest: String(fields[2]))
        }
    }

    private static func padded(_ text: String) -> String {
        String(repeating: "0", count: 20 - text.utf8.count) + text
    }
}

/// The bytes of a file; empty when there is none.
package func contents(ofFile path: String) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        if count <= 0 { return bytes }
        bytes += chunk[..<count]
    }
}

/// Replaces a file's content.
package func replaceContents(ofFile path: String, with bytes: [UInt8]) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "The file \(path) can be written.")
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
            unsafe write(descriptor, $0.baseAddress, $0.count)
        }
        precondition(count > 0, "The file \(path) can be written.")
        rest = rest.dropFirst(count)
    }
}
