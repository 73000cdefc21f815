import ExportFormats
import LegacyRecords
import Reprise

/// The keys of records after a mapping.
///
/// A class that shares its model with one before it gets keys made of its name and their own. Where a mapping says what
/// identifies records, the new keys are learnt in a first pass over the export, because others may name a record
/// before it comes.
struct MappedKeys {
    let isFirstPassNeeded: Bool
    /// By class, the new key of each old one.
    private var learnt: [String: RememberedMap<ContentKey>] = [:]
    private var registries: [String: KeyRegistry] = [:]
    private let memory: RecordMemory

    init(_ plan: MappedPlan, _ memory: RecordMemory) {
        self.memory = memory
        isFirstPassNeeded = !plan.remembered.isEmpty || plan.classes.values.contains { $0.identifier != nil }
    }

    /// What identifies a record by its class's rule; nil where there is no rule, or nothing that can be a key.
    static func identifier(of record: LegacyRecord, _ mapped: MappedClass) -> String? {
        var wanted: String?
        switch mapped.identifier {
        case nil: return nil
        case .field(let name): wanted = record[name].flatMap(\.identifierText)
        case .fields(let names):
            let parts = names.map { record[$0].flatMap(\.identifierText) }
            if parts.contains(where: { $0 != nil }) {
                wanted = ContentKey(["reprise record", mapped.className] + parts).text
            }
        }
        return wanted.flatMap { KeyRegistry.isUsable($0) ? $0 : nil }
    }

    /// Finds out the key of a record by its class's rule.
    mutating func learn(
        _ record: LegacyRecord,
        _ mapped: MappedClass,
        _ report: LibraryReport
    ) throws {
        guard mapped.identifier != nil else { return }
        var wanted = Self.identifier(of: record, mapped)
        if wanted == nil {
            wanted = ContentKey(["reprise record", mapped.className, record.key]).text
            try report.warn(.missingKey) {
                "\(mapped.className) \(LibraryReport.quoted(record.key)) has nothing that identifies it; it is named by"
                    + " its old key."
            }
        }
        // Another class has the plain keys.
        if mapped.isFurther {
            wanted = ContentKey(["reprise record", mapped.className, wanted]).text
        }
        let registry = registries[mapped.model] ?? KeyRegistry(in: memory)
        registries[mapped.model] = registry
        let claimed = try registry.claim(RecordKey(wanted ?? record.key))
        if claimed.isRepeated {
            try report.warn(.duplicateKey) {
                "\(mapped.className) \(LibraryReport.quoted(record.key)) has the identifier of another one; it is named"
                    + " \(LibraryReport.quoted(claimed.key.text))."
            }
        }
        let keys = learnt[mapped.className] ?? RememberedMap(in: memory)
        learnt[mapped.className] = keys
        try keys.updateValue(claimed.key, of: ContentKey([record.key]))
    }

    /// The keys are known; what only served to find them is not needed any more.
    mutating func begin() {
        registries = [:]
    }

    /// Whether a record of any class may have another key than before.
    func areUnchanged(in plan: MappedPlan) -> Bool { plan.classes.values.allSatisfy(areUnchanged) }

    /// Whether all records of a class keep their keys.
    func areUnchanged(of mapped: MappedClass) -> Bool {
        mapped.identifier == nil && !mapped.isFurther
    }

    /// The key that a record has after the mapping; nil where there is no such record to learn it from.
    func key(_ key: String, of mapped: MappedClass) throws(LegacyError) -> String? {
        if mapped.identifier != nil {
            return try learnt[mapped.className]?.value(of: ContentKey([key]))?.text
        }
        return mapped.isFurther ? ContentKey(["reprise record", mapped.className, key]).text : key
    }
}
