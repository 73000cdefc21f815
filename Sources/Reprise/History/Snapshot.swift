internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A name for a position in the log, with the digest of the state there.
public struct Snapshot: Sendable, Hashable {
    public let name: String
    /// The position whose state it names.
    public let position: Position
    /// The digest of that state: what a rollback to it must arrive at.
    public let digest: StateDigest
    public let createdAt: Date

    /// The most bytes a name may have.
    public static let nameByteCountMax = 200
}

extension Store {
    /// Gives the present state a name. O(1), whatever the size of the store.
    ///
    /// - Throws: `snapshotExists`; `invalidIdentifier` for a name that is empty, longer than 200 bytes, a number, a
    ///   date or `head`, which could not be told from other points (HIS-30).
    @discardableResult
    public func createSnapshot(
        named name: String,
        context: CommitContext = CommitContext(intent: "snapshot.create")
    ) throws -> Snapshot {
        try wrapped {
            try Self.checkSnapshotName(name)
            return try writer.perform {
                try self.commit(context) { session in
                    let workspace = session.workspace
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
                    let position = session.builder.nextPosition - 1
                    let digest = workspace.digest
                    let eventPosition = try session.record(.snapshotCreated) { writer in
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
                                time: session.timeMicroseconds,
                                key: key
                            )
                    )
                    return Snapshot(
                        name: name,
                        position: Position(position),
                        digest: StateDigest(digest),
                        createdAt: Date(microsecondsSince1970: session.timeMicroseconds)
                    )
                }
            }
        }
    }

    /// Takes a name away; the log and the state are not touched.
    ///
    /// - Throws: `unknownSnapshot`.
    public func deleteSnapshot(
        named name: String,
        context: CommitContext = CommitContext(intent: "snapshot.delete")
    ) throws {
        try wrapped {
            try writer.perform {
                try self.commit(context) { session in
                    let workspace = session.workspace
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
                    _ = try session.record(.snapshotDeleted) { _ = $0.string(name) }
                    workspace.labels.set(key, to: nil)
                }
            }
        }
    }

    /// All snapshots, by position and then by name.
    public func snapshots() throws -> [Snapshot] {
        try wrapped {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            var snapshots: [Snapshot] = []
            let scan = LabelScan(transaction.reader, tables[state.viewSet].labels)
            unsafe try scan.forEach(prefix: LabelKey.snapshot("")) { key, content in
                snapshots.append(try unsafe Self.snapshot(key, content))
            }
            try transaction.checkUndisturbed()
            return snapshots.sorted { ($0.position, $0.name) < ($1.position, $1.name) }
        }
    }

    func snapshot(named name: String, _ reader: TableReader, _ state: StoreState) throws
        -> Snapshot?
    {
        let key = LabelKey.snapshot(name)
        guard key.count <= Table.keyByteCountMax else { return nil }
        let scan = LabelScan(reader, tables[state.viewSet].labels)
        return try scan.value(of: key).map { content in
            try unsafe key.withUnsafeBytes { try unsafe Self.snapshot($0, content) }
        }
    }

    private static func snapshot(_ key: UnsafeRawBufferPointer, _ content: ByteReader) throws
        -> Snapshot
    {
        var content = content
        _ = try content.u64()
        let time = Int64(bitPattern: try content.u64())
        let position = try content.u64()
        return unsafe Snapshot(
            name: String(decoding: key.dropFirst(), as: UTF8.self),
            position: Position(position),
            digest: StateDigest(Digest256(bytes: try content.bytes(32))),
            createdAt: Date(microsecondsSince1970: time)
        )
    }

    static func checkSnapshotName(_ name: String) throws(StoreError) {
        let isPoint =
            name == "head" || name.allSatisfy { $0.isASCII && $0.isNumber } || looksLikeDate(name)
        guard !isPoint, !name.utf8.contains(0), name.utf8.count <= Snapshot.nameByteCountMax else {
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

    /// Runs something that may meet errors of the layers below.
    func wrapped<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw StoreError.wrapping(error)
        }
    }
}

extension LabelValue {
    static func snapshot(
        _ content: Change.SnapshotContent,
        at position: UInt64,
        time: Int64,
        key: [UInt8]
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(position)
        writer.u64(UInt64(bitPattern: time))
        writer.u64(content.position)
        writer.digest(content.digest)
        return seal(unsafe [UInt8](writer.bytes), key: key)
    }

    static func rollback(to position: UInt64, key: [UInt8]) -> [UInt8] {
        unsafe seal(withUnsafeBytes(of: position.littleEndian) { unsafe Array($0) }, key: key)
    }

    static func annotation(
        _ payload: UnsafeRawBufferPointer,
        at position: UInt64,
        time: Int64,
        key: [UInt8]
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.u64(position)
        writer.u64(UInt64(bitPattern: time))
        unsafe writer.bytes(payload)
        return seal(unsafe [UInt8](writer.bytes), key: key)
    }
}
