import LegacyRecords
import Reprise
import SQLiteFile

/// Lists, and in what order their members stand.
extension SQLitePlanner {
    /// Finds the tables that become lists.
    mutating func findJoinTables() throws {
        // One that another table refers to has more in it.
        let referred = Set(sources.flatMap { $0.references.map(\.reference.target) })
        let names = sources.map(\.table.name)
        let mentions = TableMentions(in: sources)
        for place in sources.indices {
            if let choice = earlier[DatabaseChoice.list(names[place])] {
                if let join = try JoinTable(sources[place], at: place, among: names, keeping: choice, in: database) {
                    joins.append(join)
                    continue
                }
                if choice == [DatabaseChoice.table] { continue }
            }
            if referred.contains(place) { continue }
            let join = try JoinTable(
                sources[place],
                at: place,
                among: names,
                mentions,
                in: database
            )
            if let join { joins.append(join) }
        }
        // A join table that joins another one would have nothing to lead to.
        let places = Set(joins.map(\.place))
        joins.removeAll { join in
            join.references.contains { places.contains($0.reference.target) }
        }
    }

    /// The list that a join table becomes.
    mutating func list(
        _ join: JoinTable,
        _ owner: LegacySchemaBuilder.ModelID,
        _ member: LegacySchemaBuilder.ModelID,
        _ builder: inout LegacySchemaBuilder
    ) -> DatabasePlan.List {
        let source = sources[join.place]
        let name = builder.addList(
            join.name,
            of: owner,
            to: member,
            onDelete: Self.rule(ofEntries: join.owner, in: source.table),
            inverse: LegacySchemaBuilder.Inverse(
                name: join.inverseName,
                onDelete: Self.rule(ofEntries: join.member, in: source.table)
            )
        ).name
        let place = "\(builder.name(of: owner)).\(name)"
        let saysOrder = join.position.map { source.survey[$0].count > 0 } ?? false
        let position = saysOrder ? join.position.map { "its column \($0) became the order" } : nil
        let ownKey = join.ownKey.map { "its own keys (\($0)) were left out" }
        let changes = [position, ownKey].compactMap { $0 }
        if !changes.isEmpty {
            warn(
                .joinTable,
                "\(source.table.name) became the list \(place); \(changes.joined(separator: ", and "))."
            )
        }
        for column in join.leftOut where source.survey[column].count > 0 {
            warn(
                .unmappedProperty,
                "\(source.table.name) was the list \(place) in an earlier export, which has no place for its column "
                    + "\(column); it was left out."
            )
        }
        noteOrder(of: join, place)
        if !saysOrder, source.survey.rowCount > 0 {
            warn(LegacyWarning(unknownOrderOf: place))
        }
        return DatabasePlan.List(
            table: source.table.name,
            model: builder.name(of: owner),
            name: name,
            ownerColumn: join.owner.column.name,
            owner: target(join.owner.reference),
            memberColumn: join.member.column.name,
            member: target(join.member.reference),
            order: order(of: join) + RowOrder.rowOrder(of: source),
            rowCount: source.survey.rowCount
        )
    }

    /// Where all are texts they come by the numbers that they begin with.
    private func order(of join: JoinTable) -> [String] {
        guard let position = join.position else { return [] }
        let name = SQLiteName.quoted(position)
        return sources[join.place].survey[position].hasOnlyTexts ? ["CAST(\(name) AS REAL)", name] : [name]
    }

    /// Says what the column that the entries of a list are sorted by does not say, or says besides.
    private mutating func noteOrder(of join: JoinTable, _ list: String) {
        guard let position = join.position, let remark = join.remark else { return }
        let table = sources[join.place].table.name
        switch remark {
        case .ties:
            warn(
                .orderUnknown,
                "\(table).\(position) has several entries of \(list) at the same place; they stand as the rows do."
            )
        case .otherValues:
            warn(
                .unmappedProperty,
                "\(table).\(position), the order of \(list) in an earlier export, says something else than where "
                    + "entries stand; they were sorted by it, and its values were left out."
            )
        }
    }

    /// Says what is not known of the order of a table's records, or cannot be had.
    ///
    /// - Parameter lists: what the other sides of the to-ones are called, by their columns.
    mutating func noteOrders(
        _ order: RowOrder.Columns,
        of table: SQLiteTable,
        _ lists: [String: String],
        without largeValues: LargeValues
    ) throws {
        if order.choice.count > 1 {
            let names = order.choice.joined(separator: ", ")
            warn(
                .orderUnknown,
                "\(table.name) has several columns that may say an order (\(names)); "
                    + "\(order.choice[0]) was taken."
            )
        }
        for reference in order.unknown {
            guard let list = lists[reference],
                try database.hasSeveral(of: largeValues.expression(for: reference), in: table.name)
            else { continue }
            warn(LegacyWarning(unknownOrderOf: list))
        }
        for (reference, position) in order.others {
            let isSame = try database.keepsOrder(
                of: largeValues.expression(for: position),
                within: largeValues.expression(for: reference),
                in: table.name,
                sortedBy: order.expressions
            )
            if isSame { continue }
            let kept = order.reference.map { " of \($0)" } ?? ""
            warn(
                .lostOrder,
                "\(table.name) has an order for \(reference) (\(position)) besides that\(kept), which was kept; the "
                    + "other side of \(reference) stands in that order."
            )
        }
    }
}
