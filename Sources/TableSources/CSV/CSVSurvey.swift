import ExportFormats
import LegacyRecords
import MusicVocabulary

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
        private var areNumbers = true
        private var largeCount = 0
        /// Hashes of the texts that can be identifiers; nil in a column that cannot hold the keys.
        private let keys: RememberedSet<UInt64>?

        init(name: String, keys: RememberedSet<UInt64>?) {
            self.name = name
            self.keys = keys
        }

        /// Whether it is called as keys are.
        var mayBeKey: Bool { keys != nil }

        /// How many different texts that can be identifiers there are, in a column that may hold the keys.
        var keyCount: Int { keys?.count ?? 0 }

        mutating func add(_ field: CSVReader.Field?) throws(LegacyError) {
            if let keys, let field, KeyRegistry.isUsable(field.text) {
                try keys.insert(TextHash.of(field.text))
            }
            // A field that is empty without quotes has no value.
            guard let field, field.isQuoted || !field.text.isEmpty else { return }
            valueCount += 1
            if isBool, CanonicalText.bool(field.text) == nil { isBool = false }
            if areNumbers, CanonicalText.doubleWithZeros(field.text) == nil { areNumbers = false }
            guard isInt || isDouble else { return }
            if CanonicalText.double(field.text) ?? 0 > DurationUnit.secondsMax { largeCount += 1 }
            if let number = CanonicalText.integer(field.text) {
                hasWhole = true
                if Double(exactly: number) == nil { isDouble = false }
            } else {
                isInt = false
                if let number = CanonicalText.double(field.text) {
                    hasPointZero = hasPointZero || number == number.rounded()
                } else {
                    isDouble = false
                }
            }
        }

        /// Whether the median of its numbers is too large to be seconds of a track.
        var isMostlyLarge: Bool { (isInt || isDouble) && largeCount * 2 > valueCount }

        /// The narrowest type from whose values the texts can be written again exactly.
        var type: ScalarType {
            guard valueCount > 0 else { return .string }
            if isBool { return .bool }
            if isInt { return .int }
            // Of 1 and 1.0 in one column only one could be written again.
            return isDouble && !(hasWhole && hasPointZero) ? .double : .string
        }

        /// The type of an earlier export, or the narrowest wider one that holds the texts of both.
        func type(asIn earlier: ScalarType) -> ScalarType {
            switch earlier {
            case .bool: isBool ? .bool : .string
            case .int where !isInt: isDouble && !hasPointZero ? .double : .string
            case .double: areNumbers ? .double : .string
            default: earlier
            }
        }
    }

    /// Names of columns that may hold keys, the likeliest first.
    static let keyNames = ["id", "_id", "uuid", "identifier", "key"]

    private(set) var columns: [Column]
    private(set) var rowCount = 0

    init(header: [CSVReader.Field], _ memory: RecordMemory) {
        columns = header.enumerated().map { place, field in
            let mayBeKey =
                Self.keyNames.contains(field.text.lowercased()) || place == 0 && Self.namesIdentifiers(field.text)
            return Column(name: field.text, keys: mayBeKey ? RememberedSet(in: memory) : nil)
        }
    }

    /// Whether the last word of a title is `id`: `Book Id`, `apple_music_id`.
    private static func namesIdentifiers(_ title: String) -> Bool { StoredWords.words(of: title).last == "id" }

    mutating func add(_ row: [CSVReader.Field]) throws(LegacyError) {
        rowCount += 1
        for place in columns.indices {
            try columns[place].add(place < row.count ? row[place] : nil)
        }
    }

    /// The column that holds the keys: one of a customary name that tells more than half of the rows apart, or all
    /// where it is called `key`, which may be that of a song; otherwise the first, if it is called after identifiers
    /// and each row has its own. It stays the one when a newer export repeats some of them or lacks them. Nil where
    /// none does.
    var keyPlace: Int? {
        for name in Self.keyNames {
            let place = columns.firstIndex { column in
                guard column.name.lowercased() == name else { return false }
                return name == "key" ? column.keyCount == rowCount : column.keyCount * 2 > rowCount || rowCount == 0
            }
            if let place { return place }
        }
        guard let first = columns.first, Self.namesIdentifiers(first.name) else { return nil }
        return first.keyCount == rowCount ? 0 : nil
    }

    /// The column that held the keys in an earlier export, be it that its letters are of another case now; nil inside
    /// where none did. Nil where it is gone.
    func keyPlace(asIn choice: [String]?) -> Int?? {
        guard let choice else { return nil }
        if choice == [TextChoice.none] || choice == [TextChoice.playlist] { return .some(nil) }
        guard let name = TextChoice.member(of: choice) else { return nil }
        let place =
            columns.firstIndex { $0.mayBeKey && $0.name.hasSameBytes(as: name) }
            ?? columns.firstIndex { $0.mayBeKey && $0.name.lowercased() == name.lowercased() }
        return place.map { .some($0) }
    }

    /// Whether each row has a key of its own in a column: then an attribute would only repeat it.
    func isExactKey(_ place: Int) -> Bool { columns[place].keyCount == rowCount }
}
