#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A directory of a test's own, removed with the value.
package final class Scratch: Sendable {
    package let path: String

    /// - Parameter inMemory: on a file system in memory where there is one, for tests to which the disk means nothing.
    package init(inMemory: Bool = false) throws {
        let shared = "/dev/shm"
        let isThere = FileManager.default.isWritableFile(atPath: shared)
        let disk = ProcessInfo.processInfo.environment["REPRISE_TEST_DISK"]
        let parent = inMemory && isThere ? shared : disk ?? FileManager.default.temporaryDirectory.path()
        let name = "reprise-faults-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        path = parent + (parent.hasSuffix("/") ? "" : "/") + name
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a store or file in it.
    package func callAsFunction(_ name: String) -> String { path + "/" + name }
}
