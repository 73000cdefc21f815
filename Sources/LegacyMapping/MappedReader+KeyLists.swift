import ExportFormats
import LegacyRecords

extension MappedReader {
    /// Hands on the lists whose members are named by their keys, in a pass of its own when all records have come.
    func readKeyLists(after bytesBefore: UInt64, _ passCount: UInt64) throws {
        _ = try source.base.read { event in
            switch event {
            case .record(let record):
                guard let mapped = source.plan.classes[record.className],
                    let record = try transformed(record),
                    let key = try keys.key(record.key, of: mapped)
                else { return }
                for (name, list) in mapped.keyLists {
                    let members = try keyMembers(record[name] ?? .null, of: list, name, record)
                    try report.consume(
                        .list(
                            LegacyList(
                                className: mapped.model,
                                key: key,
                                name: list.name,
                                members: try self.members(members, of: list)
                            )
                        )
                    )
                }
            case .progress(let step): try show(step, after: bytesBefore, passCount)
            case .list, .warning: break
            }
        }
    }

    /// The members that a value names.
    private func keyMembers(
        _ value: LegacyValue,
        of list: MappedClass.List,
        _ name: String,
        _ record: LegacyRecord
    ) throws -> LegacyReferences {
        var values: [LegacyValue]
        switch value {
        case .list(let elements), .set(let elements): values = elements
        case .string(let text):
            guard let separator = list.separator else { return LegacyReferences() }
            values = text.split(separator: separator).map { .string(String($0)) }
        default: return LegacyReferences()
        }
        if list.isTrimmed {
            values = values.map { value in
                guard case .string(let text) = value else { return value }
                return .string(text.withoutSpacesAround)
            }
        }
        var members = LegacyReferences()
        for value in values where value != .null && value != .string("") {
            if let key = value.identifierText {
                try members.append(RecordKey(key))
            } else {
                try leaveOut(.unexpectedType, "has a member that is no key", name, record)
            }
        }
        return members
    }
}
