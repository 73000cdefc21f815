#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A directory of its own for a test, removed with everything in it when the value goes away.
///
///     let directory = try TemporaryDirectory()
///     let store = try Store.open(at: directory.path("store"), schema: schema)
///
/// A class, so that several helpers of one test can hold it; keep it alive as long as the files are used
/// (`withExtendedLifetime`, or a property).
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String

    /// - Throws: when the directory cannot be made.
    package init(named name: String = "test") throws {
        let parent = FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "reprise-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.path(percentEncoded: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something inside.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
