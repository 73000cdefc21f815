import SQLiteFile

extension CoreDataPlanner {
    /// The form of a column's values. One that the store's own model declares stays what it is: a value of another type
    /// is left out when it is read, and changes nothing for the rest.
    mutating func form(of column: CoreDataColumn, in root: Root) -> ValueForm {
        let wanted = wantedForm(of: column, root)
        if let wanted, column.isDeclared { return wanted }
        let found = root.survey[column.column.name]
        let (form, fits) = ValueForm.form(wanted: wanted, found)
        if !fits {
            warn(LegacyWarning(misfitsOf: "\(root.entity.name).\(column.name)", "", found, form))
        }
        return form
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
