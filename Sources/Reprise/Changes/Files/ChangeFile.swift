internal import RepriseLMDB
internal import RepriseLog

/// A file of changes that was opened, and has the hash that it says (Specs/format/changes.md).
final class ChangeFile: Sendable {
    let header: ChangeFileHeader
    let schema: CompiledSchema
    private let file: SealedFile
    /// Where the changes begin, and where they end.
    private let records: Range<Int>
    private let check: DeltaCheck

    /// - Throws: `notAChangeSet`, `newerFormat`, `corrupted`; `inputOutput` where the file cannot be read.
    /// - Complexity: O(bytes); nothing of the changes is kept in memory.
    init(at path: String) throws {
        file = try Self.open(path)
        let start = try Self.bytes(of: file, ChangeFileHeader.startByteCount, at: 0)
        guard let start, start.u32(at: 0) == ChangeFileHeader.magic else { throw Self.other(path) }
        guard start.u32(at: 4) == ChangeFileHeader.version else {
            throw StoreError(
                .newerFormat,
                "The changes in \"\(path)\" are of version \(start.u32(at: 4)), which this version does not know.",
                advice: "Read them with the version of Reprise that has written them."
            )
        }
        let byteCount = Int(start.u32(at: 8))
        let end = file.byteCount - Digest256.byteCount
        guard byteCount <= ChangeFileHeader.byteCountMax, end >= start.count + byteCount,
            let body = try Self.bytes(of: file, byteCount, at: start.count),
            try Self.hasSeal(file, at: end)
        else { throw Self.damage(path, "It does not have the hash that it says.") }
        header = try Self.header(body, path)
        schema = CompiledSchema(header.schema, position: 0, number: 0)
        records = (start.count + byteCount)..<end
        check = DeltaCheck(schema: schema, serialMax: header.home.ownPoints.first?.position ?? 0)
    }

    /// Hands over what becomes of each entity, checked.
    ///
    /// - Parameters:
    ///   - makeFile: makes the file for entries that do not fit into memory; nil where that does not matter.
    ///   - body: returns false to stop.
    func forEachDelta(
        _ makeFile: (() throws(LMDBError) -> SpillFile)?,
        _ body: (EntityDelta) throws -> Bool
    ) throws {
        var offset = records.lowerBound
        var count = 0
        var last: EntityKey?
        while offset < records.upperBound {
            let delta: EntityDelta
            let end: Int
            do {
                (delta, end) = try self.delta(at: offset, makeFile)
                try check.check(delta, behind: last)
                count += 1
                if count > header.recordCount { throw LogError(.corrupt, detail: "there are too many changes") }
            } catch let error as LMDBError {
                throw error
            } catch {
                let detail = (error as? LogError)?.detail ?? "a value is not of the type that the schema says"
                throw Self.damage(file.path, "At byte \(offset): \(detail).")
            }
            offset = end
            last = delta.entity
            guard try body(delta) else { return }
        }
        guard count == header.recordCount else { throw Self.damage(file.path, "Some changes are missing.") }
    }

    private func delta(
        at offset: Int,
        _ makeFile: (() throws(LMDBError) -> SpillFile)?
    ) throws -> (EntityDelta, end: Int) {
        guard let head = try Self.bytes(of: file, 4, at: offset) else { throw LogError.cutOff }
        let byteCount = Int(head.u32(at: 0))
        guard byteCount <= EntityDelta.byteCountMax, byteCount <= records.upperBound - offset - 4,
            let bytes = try Self.bytes(of: file, byteCount, at: offset + 4)
        else { throw LogError.cutOff }
        let delta = try unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            let delta = try EntityDelta(decoding: &reader, makeFile)
            try reader.requireEnd()
            return delta
        }
        return (delta, offset + 4 + byteCount)
    }

    private static func open(_ path: String) throws -> SealedFile {
        do {
            return try SealedFile(opening: path, followsLink: true)
        } catch {
            if error.code == .notAStore { throw other(path) }
            guard error.code == .noSuchStore else { throw error }
            throw StoreError(.inputOutput, "There is no file \"\(path)\".", advice: "Check the path.")
        }
    }

    private static func header(_ body: [UInt8], _ path: String) throws -> ChangeFileHeader {
        do {
            return try unsafe body.withUnsafeBytes { bytes in
                var reader = unsafe ByteReader(bytes)
                return try ChangeFileHeader(decoding: &reader)
            }
        } catch {
            if let error = error as? StoreError, error.code == .newerFormat { throw error }
            throw damage(path, "The header is not as it must be.")
        }
    }

    // MARK: Bytes

    /// Nil where the file ends before.
    private static func bytes(of file: SealedFile, _ count: Int, at offset: Int) throws -> [UInt8]? {
        guard count <= file.byteCount - offset else { return nil }
        let bytes = try file.bytes(count, at: offset)
        return bytes.count == count ? bytes : nil
    }

    /// Whether the hash behind `end` is that of all bytes before it.
    private static func hasSeal(_ file: SealedFile, at end: Int) throws -> Bool {
        let seal = try bytes(of: file, Digest256.byteCount, at: end)
        return try unsafe seal?.withUnsafeBytes { unsafe Digest256(bytes: $0) } == file.hash(ofFirst: end)
    }

    // MARK: Errors

    private static func other(_ path: String) -> StoreError {
        StoreError(.notAChangeSet, "\"\(path)\" is no file of changes.", advice: "Choose one that Reprise has written.")
    }

    private static func damage(_ path: String, _ detail: String) -> StoreError {
        StoreError(
            .corrupted,
            "The changes in \"\(path)\" are damaged. \(detail)",
            advice: "Nothing was changed. Get the file again."
        )
    }
}

extension LogError {
    fileprivate static let cutOff = LogError(.corrupt, detail: "the file ends within a change")
}

extension Array where Element == UInt8 {
    fileprivate func u32(at offset: Int) -> UInt32 {
        unsafe withUnsafeBytes {
            unsafe UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }
}
