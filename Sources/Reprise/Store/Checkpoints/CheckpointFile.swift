internal import RepriseLMDB
internal import RepriseLog

/// A file beside a store that says that it is a checkpoint. Nothing of it is believed before it is checked.
struct CheckpointFile {
    let sealed: SealedFile
    let record: CheckpointRecord

    /// Reads the record.
    ///
    /// - Throws: ``Unusable``; `LMDBError` where the file cannot be read.
    init(_ sealed: SealedFile) throws {
        self.sealed = sealed
        let end = try sealed.end(CheckpointRecord.endByteCount)
        guard let byteCount = CheckpointRecord.byteCount(fromEnd: end), byteCount <= sealed.byteCount else {
            throw Unusable(fault: .damaged)
        }
        record = try CheckpointRecord(decoding: sealed.end(byteCount), fileByteCount: sealed.byteCount)
    }

    /// Compares the record with a log, which tells whether the state is one of its own (HIS-103).
    ///
    /// - Parameters:
    ///   - entry: by which the file was found.
    ///   - schema: the one in force.
    /// - Throws: ``Unusable``; `LogError` where the log is damaged there.
    /// - Complexity: O(log n).
    func check(_ entry: CheckpointFolder.Entry, _ log: LogReader, _ schema: CompiledSchema) throws {
        guard record.position == entry.position else { throw Unusable(fault: .damaged) }
        let commit = try log.commit(holding: record.position)
        guard commit.map({ $0.lastPosition == record.position }) ?? (record.position == 0),
            record.hash == commit?.hash ?? .zero, record.digest == commit?.digest ?? .zero
        else { throw Unusable(fault: .otherLog) }
        guard record.schemaPosition == schema.position,
            record.schemaHash == (try log.commit(holding: schema.position)?.hash ?? .zero)
        else { throw Unusable(fault: .otherSchema) }
        guard record.counts.count == schema.modelCount else { throw Unusable(fault: .damaged) }
    }

    /// Compares the data with its hash.
    ///
    /// - Throws: ``Unusable``; `LMDBError` where the file cannot be read.
    /// - Complexity: O(bytes).
    func checkData() throws {
        do throws(LMDBError) {
            if try sealed.hash(ofFirst: record.dataByteCount) == record.dataHash { return }
        } catch {
            // Another process is cutting the file off just now.
            guard case .truncated = error.code else { throw error }
        }
        throw Unusable(fault: .damaged)
    }
}
