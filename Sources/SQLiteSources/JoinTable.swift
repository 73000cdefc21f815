import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A table that says nothing but which rows of two tables belong together, and perhaps where they stand: it becomes an
/// ordered list.
struct JoinTable {
    typealias Side = (column: SQLiteColumn, reference: SQLitePlanner.Reference)

    /// The table's place among the tables.
    let place: Int
    let owner: Side
    let member: Side
    /// The column that the entries are sorted by.
    let position: String?
    /// What the values of that column do not say, or say besides.
    let remark: Remark?
    /// The name of a primary key of its own.
    let ownKey: String?
    /// The names of other columns, which a list has no place for.
    let leftOut: [String]
    /// The names of the list and of its other side.
    let name: String
    let inverseName: String

    /// What is to be known of the column that entries are sorted by.
    enum Remark {
        /// Several entries of a list stand at the same place.
        case ties
        /// It has other things than numbers, or says something else than where entries stand.
        case otherValues
    }

    var references: [Side] { [owner, member] }

    /// Nil where the table has more in it: a key that is more than a number or a UUID, or by which another table names
    /// its rows, is.
    init?(
        _ source: SQLitePlanner.Source,
        at place: Int,
        among names: [String],
        _ mentions: TableMentions,
        in database: SQLiteDatabase
    ) throws {
        guard source.references.count == 2, source.survey.largeValues.isEmpty,
            source.table.columns.count == source.table.readableColumns.count
        else {
            return nil
        }
        let sides = source.references
        guard !sides.contains(where: { $0.reference.target == place }) else { return nil }
        var others = source.table.columns.filter { column in
            !sides.contains { SQLiteName.areSame($0.column.name, column.name) }
        }
        var ownKey: String?
        if source.table.primaryKey.count == 1,
            let key = others.firstIndex(where: { $0.primaryKeyPlace > 0 })
        {
            let column = others.remove(at: key)
            guard TableMentions.isConventional(column.name, in: source.table.name),
                try Self.areMadeUp(column, source, database),
                try !mentions.has(source.table.name, key: column.name, at: place, in: database)
            else { return nil }
            ownKey = column.name
        }
        guard others.count <= 1 else { return nil }
        var sureness = RowOrder.Sureness.sure
        if let other = others.first {
            guard source.survey[other.name].hasOnlyNumbers,
                let found = RowOrder.position(other)
            else { return nil }
            sureness = found
        }
        self.place = place
        self.ownKey = ownKey
        position = others.first?.name
        leftOut = []
        let isExported = Self.exportedList(source.table.name, sides, names) != nil
        (owner, member) = isExported ? (sides[0], sides[1]) : Self.sides(source.table.name, sides, names)
        (name, inverseName) = Self.listNames(source.table.name, owner, member, names)
        let isRepeated = try Self.isRepeated(position, of: owner.column.name, in: source.table.name, database)
        if isRepeated, sureness == .perhaps { return nil }
        remark = isRepeated ? .ties : nil
    }

    /// One that was a list in an earlier export and stays it; nil where it cannot.
    ///
    /// - Parameter choice: as ``choice`` had it then.
    init?(
        _ source: SQLitePlanner.Source,
        at place: Int,
        among names: [String],
        keeping choice: [String],
        in database: SQLiteDatabase
    ) throws {
        guard choice.count > 2, choice[0] == DatabaseChoice.list, source.survey.largeValues.isEmpty else {
            return nil
        }
        let sides = choice[1...2].compactMap { name in
            source.references.first {
                SQLiteName.areSame($0.column.name, name) && $0.reference.target != place
            }
        }
        guard sides.count == 2 else { return nil }
        (owner, member) = (sides[0], sides[1])
        var others = source.table.columns.filter { column in
            !sides.contains { SQLiteName.areSame($0.column.name, column.name) }
        }
        let kept = others.firstIndex { choice.count > 3 && SQLiteName.areSame($0.name, choice[3]) }
        let found = kept ?? others.firstIndex { RowOrder.position($0) == .sure && $0.primaryKeyPlace == 0 }
        let order = found.map { others.remove(at: $0) }
        let isRepeated = try Self.isRepeated(order?.name, of: owner.column.name, in: source.table.name, database)
        let hasOthers = order.map { column in
            !source.survey[column.name].hasOnlyNumbers || isRepeated && RowOrder.position(column) != .sure
        }
        remark = hasOthers == true ? .otherValues : isRepeated ? .ties : nil
        position = order?.name
        let key = try others.firstIndex { column in
            try column.primaryKeyPlace > 0 && source.table.primaryKey.count == 1
                && Self.areMadeUp(column, source, database)
        }
        ownKey = key.map { others.remove(at: $0).name }
        leftOut = others.map(\.name)
        self.place = place
        (name, inverseName) = Self.listNames(source.table.name, owner, member, names)
    }

    /// Which side the list belongs to.
    private static func sides(_ table: String, _ sides: [Side], _ names: [String]) -> (owner: Side, member: Side) {
        let ownsSecond =
            isOwner(names[sides[1].reference.target], of: table)
            && !isOwner(names[sides[0].reference.target], of: table)
        return ownsSecond ? (sides[1], sides[0]) : (sides[0], sides[1])
    }

    /// What a list and its other side are called.
    private static func listNames(
        _ table: String,
        _ owner: Side,
        _ member: Side,
        _ names: [String]
    ) -> (name: String, inverseName: String) {
        if let list = exportedList(table, [owner, member], names) {
            return (list, names[owner.reference.target])
        }
        if owner.reference.target == member.reference.target {
            return (RowOrder.stem(of: member.column.name), RowOrder.stem(of: owner.column.name))
        }
        return (names[member.reference.target], names[owner.reference.target])
    }

    /// Whether all values of a key of its own are such as are made for a row that needs one: whole numbers and UUIDs.
    private static func areMadeUp(
        _ key: SQLiteColumn,
        _ source: SQLitePlanner.Source,
        _ database: SQLiteDatabase
    ) throws -> Bool {
        let found = source.survey[key.name]
        // What texts an empty table will have is not known.
        if found.count == 0 { return DeclaredType.form(key.declaredType) == .int }
        if found.hasOnlyIntegers { return true }
        guard found.realCount == 0, found.blobCount == 0 || found.areUUIDs else { return false }
        let rows = try database.prepare(
            "SELECT \(SQLiteName.quoted(key.name)) FROM \(SQLiteName.quoted(source.table.name)) NOT INDEXED"
        )
        while try rows.step() {
            if case .text(let text) = rows.value(at: 0), UUID(uuidString: text) != nil { continue }
            if rows.storageClass(at: 0) == .text { return false }
        }
        return true
    }

    /// Whether two entries of a list have the same value: then it says something else than where they stand.
    private static func isRepeated(
        _ position: String?,
        of owner: String,
        in table: String,
        _ database: SQLiteDatabase
    ) throws -> Bool {
        guard let position else { return false }
        let columns = "\(SQLiteName.quoted(owner)), \(SQLiteName.quoted(position))"
        let rows = try database.prepare(
            "SELECT 1 FROM \(SQLiteName.quoted(table)) WHERE \(SQLiteName.quoted(position)) IS NOT NULL "
                + "GROUP BY \(columns) HAVING count(*) > 1 LIMIT 1"
        )
        return try rows.step()
    }

    /// The list that a store's own export calls the table after (``SQLiteExport``): `tracks` of `playlist_tracks` with
    /// the columns `owner` and `target`.
    private static func exportedList(_ table: String, _ sides: [Side], _ names: [String]) -> String?
    {
        let prefix = names[sides[0].reference.target] + "_"
        guard sides.map(\.column.name) == ["owner", "target"], table.hasPrefix(prefix),
            table.utf8.count > prefix.utf8.count
        else { return nil }
        return String(table.dropFirst(prefix.count))
    }

    /// Whether a join table is named after a table first: `playlistTracks` and `playlist_tracks` after `playlists`.
    private static func isOwner(_ table: String, of join: String) -> Bool {
        var stem = SQLiteName.folded(table)
        if stem.hasSuffix("ies") {
            stem.removeLast(3)
        } else if stem.hasSuffix("s") {
            stem.removeLast()
        }
        return !stem.isEmpty && SQLiteName.folded(join).hasPrefix(stem)
    }
}
