import Foundation

/// How much memory something takes at its peak. Only of a process of its own: what other tests do beside it counts as
/// well.
enum PeakMemory {
    /// What a reading may take of any file: the code's own pages, the allocator's, and buffers of fixed size.
    static let fixedByteCount = 6 << 20

    /// What may be taken for a file.
    static func limit(_ bytes: [UInt8]) -> Int { max(fixedByteCount, 4 * bytes.count) }

    #if os(Linux)
        /// - Returns: bytes beyond those that were taken before.
        static func byteCount(_ body: () throws -> Void) throws -> Int {
            // The peak so far is forgotten (proc_pid_clear_refs(5)).
            try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
            let before = try value("VmRSS")
            try body()
            return try value("VmHWM") - before
        }

        private static func value(_ name: String) throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
            let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            guard let number, let count = Int(number) else { throw CocoaError(.fileReadUnknown) }
            return count << 10
        }
    #endif
}
