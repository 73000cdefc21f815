import LegacyRecords
import SQLiteFile

extension CoreDataPlanner {
    /// The form of a column's values. One that the store's own model declares stays what it is: a value of another type
    /// is left out when it is read, and changes nothing for the rest. So does one that an earlier export had.
    ///
    /// - Returns: the form, and whether a value that does not fit is left out.
    mutating func form(of column: CoreDataColumn, in root: Root) -> (form: ValueForm, leavesOut: Bool) {
        let wanted = wantedForm(of: column, root)
        if let wanted, column.isDeclared { return (wanted, leavesOut: true) }
        let found = root.survey[column.column.name]
        let form: ValueForm
        let fits: Bool
        var leavesOut = column.isDeclared
        if let kept = earlier.form(of: column.column.name, in: root.table.name) {
            (form, fits, leavesOut) = ValueForm.form(kept: kept, found)
        } else {
            (form, fits) = ValueForm.form(wanted: wanted, found)
        }
        if !fits {
            warn(LegacyWarning(misfitsOf: "\(root.entity.name).\(column.name)", "", found, form))
        }
        // Whether large values are in files of their own is not known before one is.
        let mayHaveFiles = column.form == .externalData && form == .data
        if found.count > 0, !mayHaveFiles {
            interpretation[DatabaseChoice.form(of: column.column.name, in: root.table.name)] = form.choice(found)
        }
        return (form, leavesOut)
    }

    /// Where a column leads of which the store does not say it: to where it led in an earlier export, else to what its
    /// name or its values tell.
    mutating func guessedTarget(of column: CoreDataColumn, in root: Root) throws -> Int? {
        let subject = DatabaseChoice.form(of: column.column.name, in: root.table.name)
        var target: Int?
        if let choice = earlier[subject] {
            guard choice.count == 2, choice[0] == DatabaseChoice.reference else { return nil }
            target = roots.firstIndex { $0.entity.name == choice[1] }
        }
        target = try target ?? guessedAnew(column, root)
        if let target { interpretation[subject] = [DatabaseChoice.reference, roots[target].entity.name] }
        return target
    }

    private mutating func guessedAnew(_ column: CoreDataColumn, _ root: Root) throws -> Int? {
        let named = roots.indices.filter { isNamed(column.column.name, roots[$0]) }
        if named.count == 1 { return named[0] }
        let fitting = try fittingRoots(column, of: root)
        guard fitting.count == 1 else {
            if column.isSurelyReference {
                warn(
                    .guessedRelationship,
                    "The store does not say where \(root.entity.name).\(column.name) leads; it stayed a number."
                )
            }
            return nil
        }
        warn(
            .guessedRelationship,
            "\(root.entity.name).\(column.name) was taken for a relationship to \(roots[fitting[0]].entity.name), "
                + "because only that has rows with these numbers."
        )
        return fitting[0]
    }

    /// The form that the store wants. Without the model values say themselves whether there is a mark before them:
    /// where one of them is kept in a file.
    private mutating func wantedForm(of column: CoreDataColumn, _ root: Root) -> ValueForm? {
        let found = root.survey[column.column.name]
        guard column.form == .externalData, !column.isKnown, !found.hasExternal else {
            return column.form
        }
        if found.blobCount > 0, found.areExternal, found.hasInline {
            warn(
                .ambiguousData,
                "\(root.entity.name).\(column.name): each value begins with the byte 1, which may be a mark of Core "
                    + "Data's before the value; they were kept as they are."
            )
        }
        return .data
    }
}
