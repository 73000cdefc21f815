import Foundation
import RealmFile

/// Realm files beside the tests: made-up libraries that realm-core wrote.
enum Fixtures {
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    static func path(_ name: String) -> String {
        directory.appending(path: "\(name).realm").path
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: path(name))))
    }

    static func reader(_ name: String) throws -> RealmReader {
        try RealmReader(path: path(name))
    }

    /// The key of the encrypted ones.
    static func key() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: directory.appending(path: "encrypted.key")))
    }

    // MARK: Larger ones, which do not ship with the package

    private static let shared = directory.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "../shared/fixtures/realm/generated")
        .standardized

    static func sharedPath(_ name: String) -> String {
        shared.appending(path: "\(name).realm").path
    }

    static func sharedBytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: sharedPath(name))))
    }

    /// Files that SDKs and apps wrote.
    static func realPaths() throws -> [String] {
        let directory = shared.deletingLastPathComponent().appending(path: "real")
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".realm") }.sorted()
            .map { directory.appending(path: $0).path }
    }

    static var hasShared: Bool {
        FileManager.default.fileExists(atPath: sharedPath("alltypes_300"))
    }
}
