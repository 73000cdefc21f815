import LegacyRecords
import Reprise

/// Names from other tables of the export.
extension MappedReader {
    /// Keeps what others have from a record.
    func remember(_ record: LegacyRecord) throws {
        guard let field = source.plan.remembered[record.className] else { return }
        switch record[field] {
        case .string(let text), .reference(let text):
            try names[record.className]?.updateValue(RecordKey(text), of: ContentKey([record.key]))
        default: break
        }
    }

    /// The name at the end of a chain of to-ones.
    func followed(_ name: FollowedName, _ record: LegacyRecord) throws -> String? {
        guard case .reference(var found)? = record[name.field] else { return nil }
        for className in name.classes {
            guard let next = try names[className]?.value(of: ContentKey([found]))?.text else { return nil }
            found = next
        }
        return found
    }
}
