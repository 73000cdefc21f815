import Foundation

/// A fresh directory that goes when the benchmark ends, well or badly.
///
/// It lies where `TMPDIR` says. The script points that at a directory which it removes itself, so that nothing stays
/// behind when the program is killed.
struct TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "reprise-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A new directory inside this one.
    func make(_ name: String) throws -> URL {
        let made = url.appending(path: name)
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        return made
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
