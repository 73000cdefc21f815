import LegacyRecords
import Reprise

/// What an export names and does not have.
extension MigrationPass {
    func warnOfMissing(_ name: String, of row: EntityReference) {
        warn(
            .missingTarget,
            "The \(name) of \(row.model) \(LibraryReport.quoted(row.id)) does not exist; it has none."
        )
    }

    func warnOfMissingOwner(of list: String, _ owner: EntityReference) {
        warn(
            .missingTarget,
            "The \(list) of \(owner.model) \(LibraryReport.quoted(owner.id)) are left out, because it does not exist."
        )
    }

    func warnOfMissing(entry target: String, of owner: EntityReference) {
        warn(
            .missingTarget,
            "\(owner.model) \(LibraryReport.quoted(owner.id)) has an entry \(LibraryReport.quoted(target)) that does"
                + " not exist; it was left out."
        )
    }
}
