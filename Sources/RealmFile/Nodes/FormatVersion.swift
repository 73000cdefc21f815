/// The version of a file's format.
struct FormatVersion: Sendable {
    /// 0 for a file without content, 2 to 24 otherwise.
    let number: Int

    /// - Throws: `.unsupportedFormat`.
    init(_ number: Int) throws(RealmFileError) {
        guard Self.supported.contains(number) else {
            throw RealmFileError(
                .unsupportedFormat,
                "The file has version \(number) of the Realm format; versions 2 to 11, 20 and 22 to 24 are read.",
                advice: number > Self.newest
                    ? "Have the app write its data as JSON, or read a copy from before the app was updated." : nil
            )
        }
        self.number = number
    }

    private static let newest = 24
    private static let supported: Set<Int> = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 22, 23, 24]

    /// Rows lie in clusters, and have keys (10 and later). Before, each column is a tree over all rows.
    var hasClusters: Bool { number >= 10 }
    /// Of strings of middle length a one says that there is one, and not that there is none.
    var invertsNulls: Bool { number < 10 }
    /// Dictionaries are two trees, of keys and of values. Before, they are rows in clusters.
    var hasSortedDictionaries: Bool { number >= 23 }
    /// Decimals may have 4 or 8 bytes.
    var hasNarrowDecimals: Bool { number >= 24 }
    /// Origins of a link that are several lie in a tree: in the columns of before version 10, where each list is a
    /// column of its own, and from version 24 on. Between, they lie in one array. Source: `column_backlink.cpp` of
    /// realm-core before version 6 (Apache-2.0), and two files of version 2 whose objects have 1,004 origins.
    var hasBacklinkTrees: Bool { number < 10 || number >= 24 }
}
