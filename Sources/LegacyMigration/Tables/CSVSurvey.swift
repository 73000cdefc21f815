/// Finds out what the columns of a table hold.
struct CSVSurvey {
    /// What was seen in one column.
    struct Column {
        let name: String
        private(set) var valueCount = 0
        private var isBool = true
        private var isInt = true
        private var isDouble = true
        private var hasWhole = false
        private var hasPointZero = false
        /// Whether no value is missing, none is twice there, and each can be an identifier.
        private(set) var isUnique = true
        private var hashes: Set<UInt64> = []

        init(name: String, mayBeKey: Bool) {
            self.name = name
            isUnique = mayBeKey
        }

        mutating func add(_ field: CSVReader.Field?) {
            if isUnique {
                isUnique =
                    field.map {
                        KeyRegistry.isUsable($0.text) && hashes.insert(Self.hash($0.text)).inserted
                    }
                    ?? false
                if !isUnique { hashes = [] }
            }
            // A field that is empty without quotes has no value.
            guard let field, field.isQuoted || !field.text.isEmpty else { return }
            valueCount += 1
            if isBool, field.text != "true", field.text != "false" { isBool = false }
            guard isInt || isDouble else { return }
            if let number = Int64(field.text), String(number) == field.text {
                hasWhole = true
                if Double(exactly: number) == nil { isDouble = false }
            } else {
                isInt = false
                if let number = Double(field.text), number.isFinite, "\(number)" == field.text {
                    hasPointZero = hasPointZero || number == number.rounded()
                } else {
                    isDouble = false
                }
            }
        }

        /// The narrowest type from whose values the texts can be written again exactly.
        var type: ScalarType {
            guard valueCount > 0 else { return .string }
            if isBool { return .bool }
            if isInt { return .int }
            // Of 1 and 1.0 in one column only one could be written again.
            return isDouble && !(hasWhole && hasPointZero) ? .double : .string
        }

        /// FNV-1a: the same from run to run.
        private static func hash(_ text: String) -> UInt64 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            return hash
        }
    }

    /// Names of columns that may hold keys, the first of which counts.
    static let keyNames = ["id", "_id", "uuid", "key", "identifier"]

    private(set) var columns: [Column]
    private(set) var rowCount = 0

    init(header: [CSVReader.Field]) {
        columns = header.map {
            Column(name: $0.text, mayBeKey: Self.keyNames.contains($0.text.lowercased()))
        }
    }

    mutating func add(_ row: [CSVReader.Field]) {
        rowCount += 1
        for place in columns.indices { columns[place].add(place < row.count ? row[place] : nil) }
    }

    /// The column that holds the keys; nil where none does.
    var keyPlace: Int? {
        for name in Self.keyNames {
            if let place = columns.firstIndex(where: { $0.isUnique && $0.name.lowercased() == name }
            ) {
                return place
            }
        }
        return nil
    }
}
