import SQLiteFile

/// In what order records and the members of lists stand, and which orders of a store cannot be had beside it.
extension CoreDataPlanner {
    /// By the order among those that belong to the same row, where there is one. Only one such order is surely kept:
    /// rows that have no place by it stand in that of the others.
    mutating func rowOrder(_ root: Root, _ targets: [Int?]) throws -> [String] {
        var kept: (column: CoreDataColumn, order: String)?
        var others: [(column: CoreDataColumn, order: String)] = []
        for (column, target) in zip(root.columns, targets) {
            guard let order = column.orderColumn, root.survey[column.column.name].count > 0,
                root.survey[order].count > 0
            else { continue }
            if target == nil {
                warn(
                    .lostOrder,
                    "\(root.entity.name) has an order for \(column.name), which stayed a number; it was left out."
                )
            } else if kept == nil {
                kept = (column, order)
            } else {
                others.append((column, order))
            }
        }
        guard let kept else { return [Self.rowNumber] }
        let largeValues = root.survey.largeValues
        let expressions = ([kept] + others).map { largeValues.expression(for: $0.order) } + [Self.rowNumber]
        for (column, order) in others {
            let isSame = try database.keepsOrder(
                of: largeValues.expression(for: order),
                within: largeValues.expression(for: column.column.name),
                in: root.table.name,
                sortedBy: expressions
            )
            if isSame { continue }
            warn(
                .lostOrder,
                "\(root.entity.name) has an order for \(column.name) besides that of \(kept.column.name), which was "
                    + "kept; the other side of \(column.name) stands in that order."
            )
        }
        return expressions
    }

    /// Says what is not known of the order of a list with rows, or cannot be had.
    mutating func noteOrders(of join: CoreDataJoin, calledList list: String) throws {
        if join.orderColumn == nil {
            warn(
                .orderUnknown,
                "\(list) has no order in the store; its members stand in the order of the rows."
            )
        }
        guard let second = join.secondOrderColumn else { return }
        // The other side follows from the lists: it has the owners by the bytes of their identifiers.
        let isSame = try database.keepsOrder(
            of: SQLiteName.quoted(second),
            within: SQLiteName.quoted(join.memberColumn),
            in: join.table.name,
            sortedBy: ["CAST(\(SQLiteName.quoted(join.ownerColumn)) AS TEXT) COLLATE BINARY"]
        )
        if isSame { return }
        warn(
            .lostOrder,
            "\(list) is ordered on both sides; the order of the other side (\(second)) was left out."
        )
    }

    private static let rowNumber = "\"Z_PK\""
}
