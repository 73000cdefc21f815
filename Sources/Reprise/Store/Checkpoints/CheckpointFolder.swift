internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The directory beside a store that has its kept checkpoints, whether it is there or not
/// (Specs/format/checkpoints.md).
struct CheckpointFolder: Sendable {
    private static let nameEnd = ".checkpoint"
    private static let makingPrefix = ".making-"
    private static let attemptCountMax = 8

    /// A file by its name.
    struct Entry: Sendable {
        let name: String
        let path: String
        let position: UInt64
    }

    let path: String

    init(beside storePath: String) {
        path = storePath + ".checkpoints"
    }

    /// What has the name of a checkpoint, by position. None where the directory cannot be read.
    ///
    /// - Complexity: O(files in the directory).
    func entries() -> [Entry] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        return names.compactMap(entry).sorted { ($0.position, $0.name) < ($1.position, $1.name) }
    }

    /// The entry of a checkpoint of a position.
    func entry(at position: UInt64, hash: Digest256) -> Entry {
        let name = "\(position)-\(hash.hex.prefix(16))\(Self.nameEnd)"
        return Entry(name: name, path: "\(path)/\(name)", position: position)
    }

    private func entry(_ name: String) -> Entry? {
        guard name.hasSuffix(Self.nameEnd) else { return nil }
        let parts = name.utf8.dropLast(Self.nameEnd.utf8.count).split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let position = UInt64(String(decoding: parts[0], as: UTF8.self)),
            "\(position)".utf8.elementsEqual(parts[0]), parts[1].count == 16,
            parts[1].allSatisfy({ Self.digits.contains($0) })
        else { return nil }
        return Entry(name: name, path: "\(path)/\(name)", position: position)
    }

    private static let digits = Set("0123456789abcdef".utf8)

    /// Makes a directory in which a checkpoint is made, and the one of all checkpoints where there is none. What was
    /// cut off is removed (HIS-104).
    ///
    /// - Throws: `permissionDenied` where something else has the name of the directory; what making one can meet.
    func makePlace() throws -> Leftover {
        var attemptsLeft = Self.attemptCountMax
        while true {
            do throws(LMDBError) {
                try Folder.make(path)
                return try Leftover.makeDirectory(in: path, namePrefix: Self.makingPrefix)
            } catch {
                if error.code == .notAStore {
                    throw StoreError(
                        .permissionDenied,
                        "There is no place for a checkpoint: \"\(path)\" is no directory.",
                        advice: "Move away what is there."
                    )
                }
                // Who has removed the last checkpoint removes the directory as well.
                attemptsLeft -= 1
                guard error.code == .noSuchStore, attemptsLeft > 0 else { throw error }
            }
        }
    }

    /// Removes what was cut off, and the directory where it is empty.
    func tidy() {
        Leftover.removeAll(in: path, namePrefix: Self.makingPrefix)
        Folder.removeIfEmpty(path)
    }
}
