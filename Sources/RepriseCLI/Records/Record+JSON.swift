import LegacyMigration
import Reprise

extension JSONWriter {
    /// One entity: `{"model":"track","id":"…", attributes, lists}`. What is nil is left out.
    ///
    /// - Parameter members: what the attributes and lists are called.
    mutating func entity(_ record: Record, _ members: LineMembers) {
        object { writer in
            writer.member(LineMembers.model, record.model)
            writer.member("id", record.id)
            for (name, value) in record.values where !value.isNull {
                writer.member(members.member(name), value)
            }
            for (name, targets) in record.lists {
                writer.key(members.member(name))
                writer.array { writer in
                    for target in targets { writer.value(target) }
                }
            }
        }
    }

    /// One entity as ``entity(_:_:)``, or only the columns that were chosen, under their own names.
    mutating func entity(_ record: Record, _ members: LineMembers, _ columns: RecordColumns) {
        guard let chosen = columns.chosen else { return entity(record, members) }
        object { writer in
            for name in chosen {
                if name == "id" {
                    writer.member(name, record.id)
                } else if let list = record.lists.first(where: { $0.name == name }) {
                    writer.key(name)
                    writer.array { writer in
                        for target in list.targets { writer.value(target) }
                    }
                } else if !record[name].isNull {
                    writer.member(name, record[name])
                }
            }
        }
    }

    mutating func snapshot(_ snapshot: Snapshot) {
        object { writer in
            writer.member("name", snapshot.name)
            writer.member("position", snapshot.position.rawValue)
            writer.member("digest", snapshot.digest.description)
            writer.member("createdAt", snapshot.createdAt)
        }
    }

    /// `"model":…,"id":…`
    mutating func members(_ reference: EntityReference) {
        member("model", reference.model)
        member("id", reference.id)
    }
}
