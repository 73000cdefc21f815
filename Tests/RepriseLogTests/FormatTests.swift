import RepriseLog
import Testing

/// The format is for ever: these tests fail when a byte of it changes. A new format gets a new
/// version number and new files; the old ones stay and must still be read.
struct FormatTests {
    // MARK: - The worked example of Specs/format/log.md

    private let exampleMetadata = CommitMetadata(
        timeMicroseconds: 1_700_000_000_123_456,
        actor: "ada",
        intent: "note.add",
        correlation: "r-7",
        causation: 0,
        schema: 1
    )

    private let exampleEvents = [
        SampleEvent(type: 1, version: 1, model: 2, id: Array("n1".utf8), body: Array("hello".utf8)),
        SampleEvent(
            type: 2,
            version: 300,
            model: 2,
            id: Array("n1".utf8),
            previous: 1,
            cause: 1,
            body: [0xFF]
        ),
    ]

    private var exampleDigest: Digest256 {
        let bytes = (0..<32).map { UInt8(0xA0 + $0) }
        return unsafe bytes.withUnsafeBytes { unsafe Digest256(bytes: $0) }
    }

    @Test func `the example in the specification is what is written, byte by byte`() throws {
        let example = try exampleBytes()
        let commit = try seal(
            exampleEvents,
            after: .empty,
            metadata: exampleMetadata,
            digest: exampleDigest
        )
        let written = blocks(of: commit)
        try #require(written.count == 1)
        #expect(written[0].bytes.count == example.count)
        for (offset, (written, stated)) in zip(written[0].bytes, example).enumerated()
        where written != stated {
            Issue.record("byte \(offset) is \(written) and not \(stated)")
        }
    }

    @Test func `the example in the specification is read as what it stands for`() throws {
        let example = try exampleBytes()
        let found = try decode(example, storedAt: 1)
        #expect(found.metadata == exampleMetadata)
        #expect(found.events == exampleEvents)
        try unsafe example.withUnsafeBytes { raw in
            let block = try unsafe BlockView(raw, storedAt: 1)
            #expect(block.digest == exampleDigest)
            #expect(block.previousHash == .zero)
        }
    }

    /// The bytes between the fences of the one ```hex block; a semicolon begins a remark.
    private func exampleBytes() throws -> [UInt8] {
        let text = try SourceFiles.specification()
        var bytes: [UInt8] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```hex"
            } else if isInside {
                let digits = line.prefix { $0 != ";" }
                for byte in digits.split(separator: " ") {
                    bytes.append(try #require(UInt8(byte, radix: 16), "\(line)"))
                }
            }
        }
        return bytes
    }

    @Test func `the limits in the specification are those of the code`() throws {
        let text = try SourceFiles.specification()
        for (what, limit) in [
            (
                "block payload from which on a block takes no further event",
                "\(LogFormat.blockPayloadByteCountTarget) bytes"
            ),
            ("event, its length not counted", "\(LogFormat.eventByteCountMax) bytes"),
            ("actor, intent, correlation", "\(LogFormat.textByteCountMax) bytes each"),
            ("events of one commit", "\(LogFormat.commitEventCountMax)"),
            ("position", "\(LogFormat.positionMax)"),
        ] {
            #expect(text.contains("| \(what) | \(limit) |"), "Specs/format/log.md differs")
        }
    }

    // MARK: - The golden log

    private struct GoldenCommit {
        var metadata: CommitMetadata
        var digest: Digest256
        var events: [SampleEvent]
    }

    /// What Golden/log-v1.bin holds: a small commit, one of several blocks, and one with the
    /// extremes of every field.
    private var goldenCommits: [GoldenCommit] {
        let pattern = (0..<66_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        return [
            GoldenCommit(
                metadata: CommitMetadata(timeMicroseconds: 1_750_000_000_000_001, actor: "golden"),
                digest: digest(1),
                events: [
                    SampleEvent(type: 16, body: Array("schema".utf8)),
                    SampleEvent(
                        type: 1,
                        model: 1,
                        id: Array("a".utf8),
                        body: Array(pattern[..<130])
                    ),
                ]
            ),
            GoldenCommit(
                metadata: CommitMetadata(
                    timeMicroseconds: 1_750_000_000_000_002,
                    actor: "golden",
                    intent: "many.blocks",
                    correlation: "größer",
                    causation: 2,
                    schema: 1
                ),
                digest: digest(2),
                events: [
                    SampleEvent(type: 1, model: 1, id: Array("b".utf8), body: pattern),
                    SampleEvent(type: 4, model: 1, id: Array("b".utf8), previous: 3, cause: 3),
                    SampleEvent(
                        type: 2,
                        model: 1,
                        id: Array("a".utf8),
                        previous: 2,
                        cause: 3,
                        body: [0]
                    ),
                ]
            ),
            GoldenCommit(
                metadata: CommitMetadata(
                    timeMicroseconds: .min,
                    actor: String(repeating: "x", count: 1024),
                    causation: 5,
                    schema: .max
                ),
                digest: digest(3),
                events: [
                    SampleEvent(
                        type: 255,
                        version: .max,
                        model: .max,
                        id: [UInt8](repeating: 0, count: 300),
                        previous: 1,
                        cause: 5,
                        body: Array(pattern[..<20_000])
                    ),
                    SampleEvent(type: 128),
                ]
            ),
        ]
    }

    private func digest(_ byte: UInt8) -> Digest256 {
        let bytes = [UInt8](repeating: byte, count: 32)
        return unsafe bytes.withUnsafeBytes { unsafe Digest256(bytes: $0) }
    }

    @Test func `the golden log is what is written, byte by byte`() throws {
        var state = LogState.empty
        var written: [UInt8] = []
        for golden in goldenCommits {
            let commit = try seal(
                golden.events,
                after: state,
                metadata: golden.metadata,
                digest: golden.digest
            )
            state = commit.state
            for block in blocks(of: commit) { written += block.bytes }
        }
        let stored = try SourceFiles.golden("log-v1.bin")
        #expect(written.count == stored.count)
        let firstDifference = zip(written, stored).enumerated().first {
            $0.element.0 != $0.element.1
        }
        #expect(
            firstDifference == nil,
            "bytes differ from offset \(firstDifference?.offset ?? 0) on"
        )
    }

    @Test func `the golden log is read as what it stands for`() throws {
        var rest = try SourceFiles.golden("log-v1.bin")[...]
        var position: UInt64 = 1
        var metadata: [CommitMetadata] = []
        var events: [SampleEvent] = []
        var digests: [Digest256] = []
        var previousHash = Digest256.zero
        while rest.count >= LogFormat.headerByteCount {
            let header = Array(rest.prefix(LogFormat.headerByteCount))
            let payloadByteCount = header[28..<32].reversed().reduce(0) { $0 << 8 | Int($1) }
            let bytes = Array(rest.prefix(LogFormat.headerByteCount + payloadByteCount))
            rest = rest.dropFirst(bytes.count)
            let found = try decode(bytes, storedAt: position)
            if let first = found.metadata { metadata.append(first) }
            events += found.events
            position += UInt64(found.events.count)
            try unsafe bytes.withUnsafeBytes { raw in
                let block = try unsafe BlockView(
                    raw,
                    storedAt: position - UInt64(found.events.count)
                )
                #expect(block.previousHash == previousHash)
                previousHash = block.hash
                if block.isLastOfCommit { digests.append(block.digest) }
            }
        }
        #expect(rest.isEmpty)
        #expect(metadata == goldenCommits.map(\.metadata))
        #expect(digests == goldenCommits.map(\.digest))
        #expect(events == goldenCommits.flatMap(\.events))
    }
}
