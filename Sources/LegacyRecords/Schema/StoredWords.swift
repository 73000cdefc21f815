import SQLiteFile

/// The words of a name, in small letters: `sort` and `order` of `sortOrder`, `sort_order` and `SORT ORDER`.
package enum StoredWords {
    package static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasSmall = false
        for scalar in name.unicodeScalars {
            let isLarge = ("A"..."Z").contains(scalar)
            let isPart = isLarge || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            if !isPart || (isLarge && wasSmall) {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isPart { word.unicodeScalars.append(scalar) }
            wasSmall = isPart && !isLarge
        }
        if !word.isEmpty { words.append(word) }
        return words.map(SQLiteName.folded)
    }
}
