import ExportFormats
import LegacyRecords
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The differences that a comparison finds, with a sentence for the first of them.
struct DifferenceReport {
    var verification: MigrationVerification
    private let pass: MigrationPass
    private let differenceCountMax: Int

    init(_ pass: MigrationPass, differenceCountMax: Int) {
        self.pass = pass
        self.differenceCountMax = differenceCountMax
        verification = MigrationVerification(source: pass.source)
    }

    mutating func add(
        _ kind: MigrationDifference.Kind,
        _ row: EntityReference,
        _ name: String?,
        _ message: @autoclosure () -> String,
        isChangedHere: Bool = false
    ) {
        if isOnlyCounted(kind) { return }
        verification.differenceCounts[kind, default: 0] += 1
        verification.differences.append(
            MigrationDifference(
                kind: kind,
                model: row.model,
                id: row.id,
                name: name,
                message: message(),
                isChangedHere: isChangedHere
            )
        )
    }

    /// Counts a difference where enough is said of others; then whether it was changed here need not be found out.
    private mutating func isOnlyCounted(_ kind: MigrationDifference.Kind) -> Bool {
        guard verification.differences.count >= differenceCountMax else { return false }
        verification.differenceCounts[kind, default: 0] += 1
        return true
    }

    mutating func addValue(
        _ name: String,
        found: Value,
        wanted: Value,
        _ record: Record,
        in state: borrowing ReadTransaction
    ) throws {
        if isOnlyCounted(.differentValue) { return }
        let row = EntityReference(model: record.model, id: record.id)
        let message =
            "The \(name) of \(row.model) \(LibraryReport.quoted(row.id)) is \(Self.text(found))"
            + " where the export has \(Self.text(wanted))."
        let isChangedHere = try pass.isChangedHere(row, to: name, in: state)
        add(.differentValue, row, name, message, isChangedHere: isChangedHere)
    }

    /// - Parameter wanted: the members that the export has of the list.
    mutating func addList(
        _ list: ClassShape.ToMany,
        _ difference: ListComparison,
        _ owner: EntityReference,
        _ wanted: RememberedIdentifiers,
        in state: borrowing ReadTransaction
    ) throws {
        if isOnlyCounted(.differentList) { return }
        let place = difference.firstDifference
        let entry = (place ?? min(difference.foundCount, difference.wantedCount)) + 1
        let message =
            "The \(list.name) of \(owner.model) \(LibraryReport.quoted(owner.id)) differ from entry \(entry) on: "
            + "\(difference.foundCount) here, \(difference.wantedCount) in the export."
        let isChangedHere =
            try pass.isChangedHere(list, of: owner, in: state) || hasChangedMember(of: list, owner, wanted, in: state)
        add(.differentList, owner, list.name, message, isChangedHere: isChangedHere)
    }

    /// Whether one of the members that the export has was deleted or moved here, or one came into the list here.
    private func hasChangedMember(
        of list: ClassShape.ToMany,
        _ owner: EntityReference,
        _ wanted: RememberedIdentifiers,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        for place in 0..<wanted.count {
            let member = EntityReference(model: list.target, id: try wanted.key(at: place).text)
            if try pass.wasDeletedHere(member, in: state) { return true }
            if let toOne = list.memberToOne, try pass.isChangedHere(member, to: toOne, in: state) { return true }
        }
        guard let toOne = list.memberToOne else { return false }
        var isChanged = false
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            let member = EntityReference(model: list.target, id: entry.target)
            isChanged =
                try pass.isChangedHere(member, to: toOne, in: state)
                || pass.wasMovedHere(member, by: toOne, in: state)
            return !isChanged
        }
        return isChanged
    }

    mutating func addSurplus(
        _ row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        if isOnlyCounted(.surplus) { return }
        let message = "The export no longer has the \(row.model) \(LibraryReport.quoted(row.id))."
        add(.surplus, row, nil, message, isChangedHere: try pass.isChangedHere(row, in: state))
    }

    mutating func addOneSided(
        _ inverse: String,
        _ row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        if isOnlyCounted(.oneSided) { return }
        let message =
            "The \(inverse) of \(row.model) \(LibraryReport.quoted(row.id)) are others than those that it is in."
        add(.oneSided, row, inverse, message, isChangedHere: try pass.isChangedHere(row, in: state))
    }

    /// A value in a message, as people write it.
    /// A value in a line of a report.
    static func text(_ value: Value) -> String {
        switch value {
        case .null: "nothing"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .string(let text), .reference(let text): LibraryReport.quoted(text)
        case .date(let date):
            ExportText.date(date, .threeOrMore).map { "\($0.text) UTC" }
                ?? "\(date.timeIntervalSinceReferenceDate) s"
        case .data(let data):
            "\(data.count) bytes (\(short(data.prefix(48).base64EncodedString())))"
        case .list, .set, .map, .embedded: short("\(value)")
        }
    }

    /// What is not longer than a line.
    private static func short(_ text: String) -> String {
        text.unicodeScalars.count <= 60 ? text : String(text.unicodeScalars.prefix(60)) + "…"
    }
}
