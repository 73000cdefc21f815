internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A name for a position in the log, with the digest of the state there.
public struct Snapshot: Sendable, Hashable {
    /// The name, unique in the store.
    public let name: String
    /// The position whose state it names.
    public let position: Position
    /// The digest of that state: what a rollback to it must arrive at.
    public let digest: StateDigest
    /// The time of the commit that made it.
    public let createdAt: Date

    /// The most bytes a name may have.
    public static let nameByteCountMax = 200
}

extension Snapshot {
    /// All snapshots, by position and then by name.
    static func all(_ reader: TableReader, _ tables: ViewTables) throws -> [Snapshot] {
        var snapshots: [Snapshot] = []
        let scan = LabelScan(reader, tables.labels)
        unsafe try scan.forEach(prefix: LabelKey.snapshot("")) { key, content in
            snapshots.append(try unsafe Snapshot(label: key, content))
        }
        return snapshots.sorted { ($0.position, $0.name) < ($1.position, $1.name) }
    }

    static func find(
        _ name: String,
        _ reader: TableReader,
        _ tables: ViewTables
    ) throws -> Snapshot? {
        let key = LabelKey.snapshot(name)
        guard key.count <= Table.keyByteCountMax else { return nil }
        let scan = LabelScan(reader, tables.labels)
        return try scan.value(of: key).map { content in
            try unsafe key.withUnsafeBytes { try unsafe Snapshot(label: $0, content) }
        }
    }

    private init(label key: UnsafeRawBufferPointer, _ content: ByteReader) throws {
        var content = content
        _ = try content.u64()
        let time = Int64(bitPattern: try content.u64())
        let position = try content.u64()
        unsafe self.init(
            name: String(decoding: key.dropFirst(), as: UTF8.self),
            position: Position(position),
            digest: StateDigest(Digest256(bytes: try content.bytes(32))),
            createdAt: Date(microsecondsSince1970: time)
        )
    }

    static func checkName(_ name: String) throws(StoreError) {
        let isPoint =
            name == "head" || name.allSatisfy { $0.isASCII && $0.isNumber } || looksLikeDate(name)
        guard !isPoint, !name.utf8.contains(0), name.utf8.count <= nameByteCountMax else {
            throw StoreError(
                .invalidIdentifier,
                "\"\(name.prefix(40))\" cannot be the name of a snapshot.",
                advice: "Use 1 to 200 bytes that are not a number, a date or \"head\"."
            )
        }
    }

    /// Whether a text begins like an ISO 8601 date: yyyy-mm-dd.
    private static func looksLikeDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(10))
        guard bytes.count == 10 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            return index == 4 || index == 7 ? byte == UInt8(ascii: "-") : digits.contains(byte)
        }
    }
}

extension WriteSession {
    /// Gives the present state a name.
    func createSnapshot(named name: String) throws -> Snapshot {
        let key = LabelKey.snapshot(name)
        guard
            try LabelScan(workspace.base, workspace.tables.labels).value(of: key) == nil
        else {
            throw StoreError(
                .snapshotExists,
                "There already is a snapshot \"\(name)\".",
                advice: "Choose another name, or delete that one."
            )
        }
        let position = builder.nextPosition - 1
        let digest = workspace.digest
        let eventPosition = try record(.snapshotCreated) { writer in
            writer.varint(position)
            writer.digest(digest)
            _ = writer.string(name)
        }
        let content = Change.SnapshotContent(
            position: position,
            digest: digest,
            name: name
        )
        workspace.labels.set(
            key,
            to:
                LabelValue.snapshot(
                    content,
                    at: eventPosition,
                    time: timeMicroseconds,
                    key: key
                )
        )
        return Snapshot(
            name: name,
            position: Position(position),
            digest: StateDigest(digest),
            createdAt: Date(microsecondsSince1970: timeMicroseconds)
        )
    }

    /// Takes a name away.
    func deleteSnapshot(named name: String) throws {
        let key = LabelKey.snapshot(name)
        guard
            try LabelScan(workspace.base, workspace.tables.labels).value(of: key) != nil
        else {
            throw StoreError(
                .unknownSnapshot,
                "There is no snapshot \"\(name)\".",
                advice: "List the snapshots to see their names."
            )
        }
        _ = try record(.snapshotDeleted) { _ = $0.string(name) }
        workspace.labels.set(key, to: nil)
    }
}
