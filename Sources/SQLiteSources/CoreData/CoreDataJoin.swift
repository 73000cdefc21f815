import SQLiteFile

/// The table of a many-to-many relationship: `Z_<number><NAME>`, with the columns `Z_<number><INVERSE>` and
/// `Z_<number><NAME>`, or `REFLEXIVE`; and `Z_FOK_<number><NAME>` where the relationship is ordered.
struct CoreDataJoin {
    let table: SQLiteTable
    let ownerColumn: String
    let ownerNumber: Int64
    let memberColumn: String
    let memberNumber: Int64
    /// What the members are sorted by.
    let orderColumn: String?
    /// What the owners of a member are sorted by, where the other side has an order too.
    let secondOrderColumn: String?
    let isReflexive: Bool

    init?(_ table: SQLiteTable, _ entities: CoreDataEntities) {
        guard table.kind == .table, let (_, relation) = Self.parts(table.name) else { return nil }
        var sides: [(column: String, number: Int64, name: String)] = []
        var orders: [String] = []
        var reflexive: String?
        for column in table.readableColumns {
            if column.name == "REFLEXIVE" {
                reflexive = column.name
            } else if column.name.hasPrefix("Z_FOK_") {
                orders.append(column.name)
            } else if let (number, name) = Self.parts(column.name), entities[number] != nil {
                sides.append((column.name, number, name))
            } else {
                return nil
            }
        }
        func order(of column: String) -> String? {
            orders.first { $0.dropFirst("Z_FOK_".count) == column.dropFirst("Z_".count) }
        }
        self.table = table
        if let reflexive {
            guard sides.count == 1 else { return nil }
            isReflexive = true
            ownerColumn = reflexive
            ownerNumber = sides[0].number
            memberColumn = sides[0].column
            memberNumber = sides[0].number
            let own = order(of: sides[0].column)
            orderColumn = own
            secondOrderColumn = orders.first { $0 != own }
            return
        }
        guard sides.count == 2 else { return nil }
        isReflexive = false
        // The members are those that have an order; otherwise those that the table is named after.
        let ordered = sides.firstIndex { order(of: $0.column) != nil }
        let named = sides.firstIndex { $0.name == relation }
        let member = orders.count == 1 ? ordered ?? named ?? 1 : named ?? ordered ?? 1
        memberColumn = sides[member].column
        memberNumber = sides[member].number
        ownerColumn = sides[1 - member].column
        ownerNumber = sides[1 - member].number
        let own = order(of: memberColumn)
        orderColumn = own
        secondOrderColumn = orders.first { $0 != own }
    }

    /// The number and the name in `Z_<number><NAME>`.
    static func parts(_ text: String) -> (number: Int64, name: String)? {
        guard text.hasPrefix("Z_") else { return nil }
        let rest = text.dropFirst(2)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), digits.count < rest.count else { return nil }
        return (number, String(rest.dropFirst(digits.count)))
    }
}

extension SQLiteDatabase {
    /// How many rows a table has.
    func rowCount(of table: SQLiteTable) throws -> Int {
        let rows = try prepare("SELECT count(*) FROM \(SQLiteName.quoted(table.name))")
        guard try rows.step(), case .integer(let count) = rows.value(at: 0) else { return 0 }
        return Int(clamping: count)
    }
}
