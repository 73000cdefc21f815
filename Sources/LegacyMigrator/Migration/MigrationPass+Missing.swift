import LegacyRecords
import Reprise

/// What an export names and does not have.
extension MigrationPass {
    func warnOfMissing(_ reference: LateReference) {
        warn(
            .missingTarget,
            "The \(reference.name) of \(reference.row.model) \(LibraryReport.quoted(reference.row.id)) does not exist;"
                + " it has none."
        )
    }

    func warnOfMissingOwner(of list: ClassShape.ToMany, _ owner: EntityReference) {
        warn(
            .missingTarget,
            "The \(list.name) of \(owner.model) \(LibraryReport.quoted(owner.id)) are left out, because it does not"
                + " exist."
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
