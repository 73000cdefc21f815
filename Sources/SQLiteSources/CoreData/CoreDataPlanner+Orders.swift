import LegacyRecords
import SQLiteFile

/// In what order records and the members of lists stand, and which orders of a store cannot be had beside it.
extension CoreDataPlanner {
    /// By the order among those that belong to the same row, where there is one: Core Data's own, or by a column with
    /// a customary name. Only one such order is surely kept: rows that have no place by it stand in that of the others.
    ///
    /// - Parameter lists: what the other sides of the to-ones are called, by their columns.
    mutating func rowOrder(_ root: Root, _ targets: [Int?], _ lists: [String: String]) throws -> [String] {
        var orders: [(column: CoreDataColumn, order: String)] = []
        var unordered: [CoreDataColumn] = []
        var positions: [CoreDataColumn] = []
        for (column, target) in zip(root.columns, targets) where root.survey[column.column.name].count > 0 {
            if let order = column.orderColumn, root.survey[order].count > 0 {
                if target != nil {
                    orders.append((column, order))
                } else {
                    warn(
                        .lostOrder,
                        "\(root.entity.name) has an order for \(column.name), which stayed a number; it was left out."
                    )
                }
            } else if target != nil {
                unordered.append(column)
            } else if RowOrder.position(column.column, called: column.name) != nil {
                positions.append(column)
            }
        }
        let customary = RowOrder.order(
            positions.map(\.name),
            unordered.map(\.name),
            isOnly: targets.count { $0 != nil } == 1,
            { $0 },
            []
        )
        func add(_ reference: String?, _ position: String?) {
            guard let column = unordered.first(where: { $0.name == reference }),
                let position = positions.first(where: { $0.name == position })
            else { return }
            orders.append((column, position.column.name))
        }
        add(customary.reference, customary.choice.first)
        for other in customary.others { add(other.reference, other.position) }
        let largeValues = root.survey.largeValues
        for column in unordered where customary.unknown.contains(column.name) {
            guard let list = lists[column.column.name] else { continue }
            try noteUnknownOrder(of: list, largeValues.expression(for: column.column.name), in: root.table.name)
        }
        guard let kept = orders.first else { return [Self.rowNumber] }
        let expressions = orders.map { largeValues.expression(for: $0.order) } + [Self.rowNumber]
        for (column, order) in orders.dropFirst() {
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

    private mutating func noteUnknownOrder(of list: String, _ reference: String, in table: String) throws {
        guard try database.hasSeveral(of: reference, in: table) else { return }
        warn(LegacyWarning(unknownOrderOf: list))
    }

    /// Says what is not known of the order of a list with rows, or cannot be had.
    mutating func noteOrders(of join: CoreDataJoin, calledList list: String) throws {
        if join.orderColumn == nil {
            warn(LegacyWarning(unknownOrderOf: list))
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
