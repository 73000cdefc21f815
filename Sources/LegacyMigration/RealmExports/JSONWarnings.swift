extension LegacyWarning.Kind {
    /// Something that the format cannot say, or says with less precision: once for a file.
    public static let lossyFormat = Self(rawValue: "lossyFormat")
    /// A class whose objects have no name in the file; their places stand in, and a newer export in which others come
    /// before them changes their identifiers. In a table the content of the rows does, and a value that changes makes
    /// a row another record.
    public static let positionalKey = Self(rawValue: "positionalKey")
    /// A property whose values are of several types; it is kept as JSON text.
    public static let keptAsText = Self(rawValue: "keptAsText")
    /// A property whose texts look like dates; without a schema they stay texts.
    public static let untypedText = Self(rawValue: "untypedText")
    /// A number with more digits in the file than a number of its type holds, or a whole one beyond 2^53 that
    /// JavaScript may have rounded.
    public static let roundedNumber = Self(rawValue: "roundedNumber")
    /// A record lacks a value that the schema requires; it is empty or zero.
    public static let missingValue = Self(rawValue: "missingValue")
    /// A text with half of a surrogate pair; the half was replaced by U+FFFD.
    public static let replacedText = Self(rawValue: "replacedText")
    /// Binary data of which the export kept nothing.
    public static let lostBinary = Self(rawValue: "lostBinary")
}
