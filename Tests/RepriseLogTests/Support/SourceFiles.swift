#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files that are part of the repository, found from where this file is.
enum SourceFiles {
    private static var tests: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    }

    /// The normative text of the log's format.
    static func specification() throws -> String {
        let repository = tests.deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: repository.appending(path: "Specs/format/log.md"),
            encoding: .utf8
        )
    }

    static func golden(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: tests.appending(path: "Golden/\(name)")))
    }
}
