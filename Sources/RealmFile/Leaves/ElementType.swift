/// What the elements of a leaf are, and what is needed to read them.
struct ElementType {
    enum Kind {
        case integers, booleans, strings, data, mixed, timestamps, floats, doubles, decimals
        /// Keys of rows plus one; 0 is none.
        case links
        /// Keys of rows, in collections.
        case keys
        /// Pairs of a class and a row, with one added to each.
        case typedLinks
        case objectIDs, uuids
        /// Seconds, in the files of old.
        case dates
    }

    let kind: Kind
    let isNullable: Bool
    /// What the numbers of an enumerated leaf mean.
    var strings: [String?]?
    /// The place of the class that links lead to.
    var targetIndex = 0
}
