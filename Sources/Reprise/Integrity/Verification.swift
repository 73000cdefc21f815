internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension LMDBError.Code {
    fileprivate var isTruncated: Bool {
        if case .truncated = self { true } else { false }
    }
}

/// Entries that come one after the other, in the order of their keys.
private protocol OrderedEntries: ~Copyable {
    var key: UnsafeRawBufferPointer { get }
    var value: UnsafeRawBufferPointer { get }
    /// Goes to the next entry, at first to the first one. Returns whether there is one.
    mutating func next() throws(LMDBError) -> Bool
}

extension Cursor: OrderedEntries {}
extension IndexBuild.Entries: OrderedEntries {}

/// One verification.
final class Verification {
    private let environment: Environment
    private let tables: StoreTables
    private let stepByteCount: Int
    private var report = VerificationReport()

    /// - Parameter stepByteCount: how much is folded in one transaction, in bytes.
    init(_ environment: Environment, _ tables: StoreTables, stepByteCount: Int) {
        self.environment = environment
        self.tables = tables
        self.stepByteCount = stepByteCount
    }

    func run(_ progress: (ReplayProgress) -> Bool) throws -> VerificationReport {
        if let damage = try structuralDamage() {
            // What the pages hold cannot be trusted any further.
            report.add(.file, damage.path ?? environment.path, damage.operation)
            return report
        }
        let transaction = try environment.beginRead()
        let report = try check(transaction.reader, progress)
        try transaction.checkUndisturbed()
        return report
    }

    /// What is wrong with the pages of the file, or nil.
    private func structuralDamage() throws(LMDBError) -> LMDBError? {
        do throws(LMDBError) {
            try environment.checkStructure()
            return nil
        } catch {
            guard error.code == .corrupted || error.code.isTruncated else { throw error }
            return error
        }
    }

    private func check(
        _ reader: TableReader,
        _ progress: (ReplayProgress) -> Bool
    ) throws -> VerificationReport {
        let state: StoreState
        do {
            state = try StoreState.read(reader, tables)
        } catch let error as StoreError {
            report.add(.state, "state", error.message)
            return report
        }
        let log = LogReader(reader, table: tables.log, head: state.log.head)
        do {
            let found = try log.verifyChain(head: state.log.head) { block in
                self.report.eventCount = Int(clamping: block.lastPosition)
            }
            report.eventCount = Int(clamping: found.head)
            if found != state.log {
                report.add(
                    .log,
                    "position \(found.head)",
                    "The log ends at position \(found.head) and the store says \(state.log.head); "
                        + "hashes or counts of commits do not agree."
                )
                return report
            }
        } catch let error as LogError {
            report.add(.log, error.position.map { "position \($0)" } ?? "log", error.sentence)
            return report
        }
        try compare(reader, log, state, progress)
        return report
    }

    /// Folds the log anew in a scratch store and compares all views.
    private func compare(
        _ reader: TableReader,
        _ log: LogReader,
        _ state: StoreState,
        _ progress: (ReplayProgress) -> Bool
    ) throws {
        let scratch = try ScratchDirectory(beside: environment.path)
        defer { scratch.remove() }
        let rules = RuleCheck()
        var options = Environment.Options()
        options.isScratch = true
        let copy: Environment
        var folded: ScratchViews.Outcome?
        do {
            var names: [String: Table] = [:]
            copy = try Environment.create(
                at: scratch.path + "/views",
                tables: StoreTables.names,
                options: options,
                populate: { names = $1 },
                complete: { target in
                    let views = ScratchViews(
                        log: log,
                        // While another process loads in bulk, the views are behind the log.
                        upTo: state.viewsPosition,
                        target: target,
                        tables: StoreTables(names)[.a],
                        stepByteCount: stepByteCount,
                        beforeEvent: rules.check
                    )
                    folded = try views.run(progress: progress)
                }
            )
        } catch {
            // Bytes with a right hash that no event has are a fault of the log like any other.
            guard let fault = StoreError.wrapping(error) as? StoreError, fault.code == .corrupted
            else { throw error }
            report.add(.replay, "log", fault.message)
            return
        }
        defer { copy.close() }
        guard let folded else { preconditionFailure("The environment is made once the views are folded.") }
        rules.finish()
        for fault in rules.faults { report.add(.rules, fault.place, fault.message) }
        let count = Int(clamping: state.viewsPosition)
        let folding = ReplayProgress(eventCount: count, totalCount: count)
        try compare(reader, tables[state.viewSet], with: copy, folded.schema) {
            guard progress(folding) else { throw StoreError.cancelled }
        }
        do {
            try checkEntries(reader, state)
        } catch {
            // A damaged view was told of above.
            guard (StoreError.wrapping(error) as? StoreError)?.code == .corrupted else { throw error }
        }
        if folded.digest != state.viewsDigest || (!state.areViewsBehind && state.headDigest != state.viewsDigest) {
            report.add(.state, "digest", "The digest of the store is not the one of its log.")
        }
        if folded.counts != state.counts, !(state.counts.isEmpty && folded.counts.allSatisfy { $0 == 0 }) {
            report.add(.state, "counts", "The counts of rows are not those of the log.")
        }
    }

    /// Makes sure that the owner of each list is there, and each entity to which an entry leads. Log and views may
    /// agree and lack them.
    private func checkEntries(_ reader: TableReader, _ state: StoreState) throws {
        let workspace = Workspace(
            schema: try CompiledSchema.inForce(in: state, reader, tables),
            tables: tables[state.viewSet],
            base: reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
        var last: (key: [UInt8], isThere: Bool, targetModel: UInt16?) = ([], true, nil)
        var edges = try reader.cursor(tables[state.viewSet].edges)
        var hasEntry = try edges.first()
        while hasEntry {
            // All but the place: the list.
            let list = unsafe [UInt8](edges.key.dropLast(8))
            if list != last.key {
                let number = list.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
                let relation = try? workspace.schema.relation(number)
                last = (list, try isOwnerThere(list, relation, workspace), nil)
                // A list that was removed keeps its entries, and has no say when what they lead to goes.
                if let relation, case .list = relation.kind,
                    let model = try? workspace.schema.model(relation.source.model),
                    model.ends.contains(where: { $0.relation.number == relation.number })
                {
                    last.targetModel = relation.target.model
                }
            }
            if !last.isThere {
                report.add(.rules, unsafe Self.name(edges.key), "This entry is in a list whose owner is not there.")
            }
            if let model = last.targetModel {
                let target = try unsafe [UInt8](EdgeValue(key: edges.key, value: edges.value).target)
                if try !workspace.contains(EntityKey(model: model, id: target)) {
                    report.add(.rules, unsafe Self.name(edges.key), "This entry leads to an entity that is not there.")
                }
            }
            hasEntry = try edges.next()
        }
    }

    private func isOwnerThere(
        _ list: [UInt8],
        _ relation: RelationDescription?,
        _ workspace: Workspace
    ) throws -> Bool {
        guard let relation, list.count > 2,
            let id = try? unsafe list.dropFirst(2).withUnsafeBytes({ try unsafe IdentifierKey.decode(escaped: $0).id })
        else { return false }
        let model: UInt16
        switch relation.kind {
        case .list: model = relation.source.model
        case .reference, .pair: model = relation.target.model
        }
        return try workspace.contains(EntityKey(model: model, id: id))
    }

    /// Compares the views of the store with those that were folded anew.
    ///
    /// - Parameter goesOn: called now and then; throws to end the work.
    private func compare(
        _ reader: TableReader,
        _ present: ViewTables,
        with scratch: Environment,
        _ schema: CompiledSchema,
        _ goesOn: () throws -> Void
    ) throws {
        let transaction = try scratch.beginRead()
        let fresh = StoreTables(scratch)[.a]
        func compare(_ kind: VerificationReport.Kind, _ table: KeyPath<ViewTables, Table>) throws -> Int {
            var left = try reader.cursor(present[keyPath: table])
            var right = try transaction.reader.cursor(fresh[keyPath: table])
            return try self.compare(kind, &left, &right)
        }
        report.rowCount = try compare(.row, \.rows)
        var index = try reader.cursor(present.index)
        var entries = try withoutActuallyEscaping(goesOn) { goesOn in
            try IndexBuild(
                schema: schema,
                tables: fresh,
                base: transaction.reader,
                memoryByteCount: Self.sortByteCount,
                progress: { _ in try goesOn() },
                makeFile: scratch.makeSpillFile
            ).entries()
        }
        _ = try self.compare(.index, &index, &entries)
        _ = try compare(.list, \.edges)
        _ = try compare(.backlink, \.backlinks)
        _ = try compare(.tombstone, \.tombstones)
        _ = try compare(.label, \.labels)
    }

    /// How much of the index entries is sorted in memory, in bytes.
    private static let sortByteCount = 32 << 20

    /// Walks entries of the store and those that follow from the log side by side. Returns how many the store has.
    private func compare(
        _ kind: VerificationReport.Kind,
        _ left: inout Cursor,
        _ right: inout some OrderedEntries & ~Copyable
    ) throws -> Int {
        var count = 0
        var hasLeft = try left.next()
        var hasRight = try right.next()
        while hasLeft || hasRight {
            let order = unsafe !hasLeft ? 1 : !hasRight ? -1 : left.key.order(against: right.key)
            if order < 0 {
                report.add(kind, unsafe Self.name(left.key), "This entry does not follow from the log.")
            } else if order > 0 {
                report.add(kind, unsafe Self.name(right.key), "This entry is missing.")
            } else if unsafe !left.value.hasSameBytes(as: right.value) {
                report.add(kind, unsafe Self.name(left.key), "This entry differs from what follows from the log.")
            }
            if order <= 0 {
                count += 1
                hasLeft = try left.next()
            }
            if order >= 0 { hasRight = try right.next() }
        }
        return count
    }

    /// A key for people: printable text as it is, other bytes in hexadecimal.
    private static func name(_ key: UnsafeRawBufferPointer) -> String {
        var text = ""
        for index in 0..<key.count {
            let byte = unsafe key[index]
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }
}

/// A directory of one's own that is removed with what is in it. What a process that was killed has left behind in the
/// same place is removed before (STO-78): it is a copy of a whole store.
struct ScratchDirectory {
    private let made: Leftover
    var path: String { made.path }

    /// Makes one beside `path`, where there is likely room for another store, or else in the temporary directory.
    init(beside path: String) throws(StoreError) {
        try self.init(in: Self.folders(beside: path))
    }

    /// The folder that holds `path`, and that of temporary files.
    static func folders(beside path: String) -> [String] {
        let parent = URL(filePath: path).deletingLastPathComponent()
        return [parent, FileManager.default.temporaryDirectory].map { $0.path(percentEncoded: false) }
    }

    /// Makes one in the first of these folders that can be written.
    init(in folders: [String]) throws(StoreError) {
        for folder in folders {
            if let made = try? Leftover.makeDirectory(in: folder, namePrefix: ".reprise-scratch-") {
                self.made = made
                return
            }
        }
        throw StoreError(
            .permissionDenied,
            "There is no place to write a scratch store, neither beside the store nor for "
                + "temporary files.",
            advice: "Make one of them writable."
        )
    }

    func remove() {
        made.remove()
    }
}
