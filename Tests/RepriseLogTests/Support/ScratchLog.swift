import RepriseLMDB
import RepriseLog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A log in a directory of its own that vanishes with it, and a plain list of what was written into
/// it.
final class ScratchLog {
    private let directory: URL
    let environment: Environment
    let table: Table
    private(set) var state = LogState.empty
    private(set) var events: [SampleEvent] = []
    private(set) var commits: [CommitView] = []

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "reprise-log-\(UUID().uuidString)",
            directoryHint: .isDirectory
        )
        environment = try Environment.create(at: directory.path, tables: ["log"]) { _, _ in }
        table = environment.table("log")
    }

    deinit {
        environment.close()
        try? FileManager.default.removeItem(at: directory)
    }

    func commit(
        _ new: [SampleEvent],
        metadata: CommitMetadata = CommitMetadata(timeMicroseconds: 7),
        digest: Digest256 = .zero
    ) throws {
        var builder = CommitBuilder(after: state, metadata: metadata)
        for event in new { try builder.append(event) }
        let transaction = try environment.beginWrite()
        let first = state.head + 1
        state = try builder.finish(digest: digest, in: transaction, table: table)
        try transaction.commit()
        events += new
        if !new.isEmpty {
            commits.append(
                CommitView(
                    firstPosition: first,
                    lastPosition: state.head,
                    metadata: metadata,
                    digest: digest,
                    hash: state.lastHash
                )
            )
        }
    }

    /// Commits random events, `eventCountMax` at most each.
    func commitRandomly(_ commitCount: Int, eventCountMax: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<commitCount {
            var new: [SampleEvent] = []
            for offset in 0..<Int.random(in: 1...eventCountMax, using: &random) {
                new.append(.random(at: state.head + 1 + UInt64(offset), using: &random))
            }
            let metadata = CommitMetadata(
                timeMicroseconds: .random(in: .min ... .max, using: &random),
                actor: "actor \(number)",
                intent: number.isMultiple(of: 3) ? "" : "intent.\(number)",
                correlation: "ö\(number)",
                causation: .random(in: 0...state.head, using: &random),
                schema: UInt32(number)
            )
            let digest = unsafe random.bytes(32).withUnsafeBytes { unsafe Digest256(bytes: $0) }
            try commit(new, metadata: metadata, digest: digest)
        }
    }

    func read<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        let transaction = try environment.beginRead()
        return try body(LogReader(transaction.reader, table: table, head: .max))
    }

    // MARK: - Damage

    /// The blocks as they are stored.
    func storedBlocks() throws -> [(position: UInt64, bytes: [UInt8])] {
        try read { reader in
            var blocks: [(UInt64, [UInt8])] = []
            try reader.forEachBlock(from: 0) { block in
                blocks.append((block.firstPosition, unsafe Array(block.bytes)))
                return true
            }
            return blocks
        }
    }

    /// Stores `bytes` under `position`, or removes what is there.
    func replaceBlock(at position: UInt64, with bytes: [UInt8]?) throws {
        let transaction = try environment.beginWrite()
        let key = position.bigEndian
        try unsafe withUnsafeBytes(of: key) { key in
            if let bytes {
                try unsafe bytes.withUnsafeBytes { value in
                    try unsafe transaction.put(table, key: key, value: value)
                }
            } else {
                _ = try unsafe transaction.delete(table, key: key)
            }
        }
        try transaction.commit()
    }

    /// What `verifyChain` finds.
    func fault() throws -> LogError? {
        do {
            _ = try read { try $0.verifyChain() }
            return nil
        } catch let error as LogError {
            return error
        }
    }
}
