import LegacyRecords
import Reprise

/// How much of what a source gave before a newer export of it would replace.
public struct Replacement: Sendable, Hashable {
    /// How many rows of the store the export has, too. The entries of a playlist count as rows.
    public internal(set) var commonCount = 0
    /// Of these, how many would get another value in the place of one that they have.
    public internal(set) var changedCount = 0
    /// How many rows of the source the export lacks.
    public internal(set) var missingCount = 0
    /// A few of the rows that would be changed or deleted, each told in a line: ten at most.
    public var examples: [String] { changedExamples + missingExamples }

    private var changedExamples: [String] = []
    private var missingExamples: [String] = []
    private let rowCount: Int
    private let isCountedToEnd: Bool

    private static let exampleCountMax = 5

    /// - Parameters:
    ///   - rowCount: how many rows the store has of the models of the export, at least those of the source.
    ///   - isCountedToEnd: whether a single row that is deleted or changed matters.
    init(rowCount: Int, isCountedToEnd: Bool) {
        self.rowCount = rowCount
        self.isCountedToEnd = isCountedToEnd
    }

    /// Whether more than half of the rows would be deleted, or more than half of those that both have changed.
    public var replacesMost: Bool {
        missingCount * 2 > missingCount + commonCount || changedCount * 2 > commonCount
    }

    /// Whether so many rows stay as they are that it does not matter any more what else comes.
    var keepsMost: Bool { !isCountedToEnd && (commonCount - changedCount) * 2 >= rowCount }

    mutating func noteCommon(_ change: String?) {
        commonCount += 1
        guard let change else { return }
        changedCount += 1
        if changedExamples.count < Self.exampleCountMax { changedExamples.append(change) }
    }

    mutating func noteMissing(_ example: @autoclosure () -> String) {
        missingCount += 1
        if missingExamples.count < Self.exampleCountMax { missingExamples.append(example()) }
    }
}

extension MigrationComparison {
    /// Counts a row that the store and the export have, and whether it loses a value for another one.
    func noteReplacement(
        of row: MigrationPass.Row,
        _ standing: MigrationPass.Standing,
        in state: borrowing ReadTransaction
    ) throws {
        guard let counted = replacement, !counted.keepsMost else { return }
        switch standing {
        case .absent: return
        case .same: replacement?.noteCommon(nil)
        case .different:
            let record = try state.record(model: row.reference.model, id: row.id, lists: false)
            let stored = record.map(StoredValues.init)
            let place = row.values.indices.first { place in
                guard let wanted = row.values[place] else { return false }
                let had = stored?[row.shape.attributes[place].name] ?? .null
                return had != .null && had != wanted
            }
            replacement?.noteCommon(
                place.map { place in
                    let name = row.shape.attributes[place].name
                    let values = [stored?[name], row.values[place]].map { DifferenceReport.text($0 ?? .null) }
                    return "\(row.reference.told): \(name) \(values[0]) becomes \(values[1])"
                }
            )
        }
    }

    /// Counts the entries of a playlist whose tracks are the library's: they are what a playlist has of its own.
    func noteReplacement(
        of owner: EntityReference,
        _ list: ClassShape.ToMany,
        missing: [EntryID],
        among present: [EntryID]
    ) {
        guard pass.namesRowsOfStore else { return }
        replacement?.commonCount += present.count - missing.count
        for entry in missing {
            let entry = LibraryReport.quoted(entry.target)
            replacement?.noteMissing("\(list.name) of \(owner.told): \(entry) is not in the export")
        }
    }

    /// Counts the rows that the export lacks.
    func noteReplacement(byDeleting missing: RememberedRows) throws {
        guard replacement != nil else { return }
        for index in 0..<missing.count {
            let row = try missing.row(at: index)
            replacement?.noteMissing("\(row.told) is not in the export")
        }
    }
}

extension EntityReference {
    fileprivate var told: String { "\(model) \(LibraryReport.quoted(id))" }
}
