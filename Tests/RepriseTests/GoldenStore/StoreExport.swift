import RepriseLog

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that can be read from a store, as lines of text that are the same for the same store on every machine: schema,
/// rows, lists, labels, every commit with its events, and the digest of every past state.
struct StoreExport {
    private(set) var lines: [String] = []

    init(_ store: Store) throws {
        let schema = try store.schema
        lines.append("schema \(short(schema.encode()))")
        try store.read { transaction in
            lines.append("head \(transaction.head) digest \(transaction.digest)")
            lines.append(
                "counts \(transaction.counts.map { "\($0.model) \($0.count)" }.joined(separator: ", "))"
            )
            for model in schema.models {
                try transaction.forEachRecord(RecordQuery(model: model.name)) { record in
                    lines.append(self.text(record))
                    return true
                }
            }
            for annotation in try transaction.annotations(named: "import") {
                lines.append(
                    "annotation \(text(annotation.key)) at \(annotation.position) \(short(annotation.payload))"
                )
            }
        }
        for snapshot in try store.snapshots() {
            lines.append(
                "snapshot \(text(snapshot.name)) of \(snapshot.position) \(snapshot.digest)"
            )
        }
        var ends: [Position] = []
        try store.read { transaction in
            try transaction.forEachCommit { commit in
                ends.append(commit.lastPosition)
                self.add(commit)
                return true
            }
        }
        for end in ends {
            let past = try store.read(asOf: .position(end)) {
                "\($0.digest) \($0.counts.map(\.count))"
            }
            lines.append("as of \(end) \(past)")
        }
    }

    private mutating func add(_ commit: CommitRecord) {
        let microseconds = commit.at.microsecondsSince1970
        lines.append(
            "commit \(commit.position)-\(commit.lastPosition) at \(microseconds) by \(commit.actor) "
                + "for \(commit.intent) \(commit.correlation) after \(commit.causation?.description ?? "-") "
                + "schema \(commit.schema) digest \(commit.digest) hash \(commit.hash)"
        )
        for event in commit.events {
            let entity = event.entity.map { "\($0.model) \(text($0.id))" } ?? "-"
            let changes = event.changes.map { "\($0.name): \(text($0.from)) > \(text($0.to))" }
            lines.append(
                "event \(event.position) \(event.type) \(event.version) \(entity) "
                    + "previous \(event.previous?.description ?? "-") cause \(event.cause?.description ?? "-") "
                    + changes.joined(separator: ", ")
            )
        }
    }

    private func text(_ record: Record) -> String {
        let values = record.values.map { "\($0.name): \(text($0.value))" }
        let lists = record.lists.map { list in
            "\(list.name): [\(list.targets.map { text($0) }.joined(separator: " "))]"
        }
        return "\(record.model) \(text(record.id)) revision \(record.revision) "
            + (values + lists).joined(separator: ", ")
    }

    /// A value without anything that depends on a formatter.
    private func text(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "double \(String(value.bitPattern, radix: 16))"
        case .float(let value): "float \(String(value.bitPattern, radix: 16))"
        case .string(let value): text(value)
        case .data(let value): "data \(short([UInt8](value)))"
        case .date(let value):
            "date \(String(value.timeIntervalSinceReferenceDate.bitPattern, radix: 16))"
        case .uuid(let value): value.uuidString
        case .decimal(let value): "decimal \(value)"
        case .reference(let id): "-> \(text(id))"
        case .list(let values): "[\(values.map { text($0) }.joined(separator: " "))]"
        case .set(let values): "{\(values.map { text($0) }.sorted().joined(separator: " "))}"
        case .map(let entries), .embedded(let entries):
            "(\(entries.map { "\(text($0.name)): \(text($0.value))" }.sorted().joined(separator: " ")))"
        }
    }

    /// ASCII as it is, everything else escaped; long text by its hash.
    private func text(_ string: String) -> String {
        guard string.utf8.count <= 60 else { return short(Array(string.utf8)) }
        var text = "\""
        for scalar in string.unicodeScalars {
            let isPlain = (0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\"
            text += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return text + "\""
    }

    private func short(_ bytes: [UInt8]) -> String {
        if bytes.count <= 32 { return hex(bytes) }
        let digest = unsafe bytes.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) }
        return "\(bytes.count) bytes \(digest.hex)"
    }
}
