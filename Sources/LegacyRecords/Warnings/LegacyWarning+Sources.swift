/// What sources warn of.
extension LegacyWarning.Kind {
    /// A class of a damaged file that cannot be read; all its records were left out.
    public static let damagedClass = Self(rawValue: "damagedClass")
    /// Objects of a damaged file that are not provably whole; they were left out.
    public static let damagedObject = Self(rawValue: "damagedObject")
    /// Links in a damaged file that lead to what is lost or that only one end knows of; they were left out.
    public static let damagedValue = Self(rawValue: "damagedValue")
    /// Bytes of a damaged file that nothing leads to any more: what seems empty may have been there.
    public static let unclaimedBytes = Self(rawValue: "unclaimedBytes")
    /// The newest version of the data cannot be read; the one before it was taken.
    public static let olderVersion = Self(rawValue: "olderVersion")

    /// An entry of a playlist names several places of one track; the first was taken over.
    public static let furtherLocation = Self(rawValue: "furtherLocation")
    /// An entry of a playlist says another title, artist or duration of a track than the first one at its location, or
    /// than the library that has the track; what was there first counts.
    public static let differingEntry = Self(rawValue: "differingEntry")

    /// A reference leads to a row that does not exist; it was left out.
    public static let danglingReference = Self(rawValue: "danglingReference")
    /// A relationship has no order in the database, and its members stand in the order of the rows; or several columns
    /// may say it, of which one was taken.
    public static let orderUnknown = Self(rawValue: "orderUnknown")
    /// A table has nothing that tells its rows apart but their numbers, which `VACUUM` and a copy of it may change; a
    /// mapping can say what does.
    public static let rowNumberKey = Self(rawValue: "rowNumberKey")
    /// The rows of a table can no longer be told apart as in an earlier export: some may be taken for new ones, and
    /// what they were for missing.
    public static let changedKey = Self(rawValue: "changedKey")
    /// Rows have an order for a second to-one as well, and another one: records come in that of the first. Or a list
    /// has one on its other side, too.
    public static let lostOrder = Self(rawValue: "lostOrder")
    /// Values do not fit the type that their column was declared with; they were kept in a type that holds them all.
    public static let mixedTypes = Self(rawValue: "mixedTypes")
    /// Values of a column that are stored in several ways became the same in the type that holds them all, or may have:
    /// numbers and texts that spell numbers, or bytes and anything else.
    public static let mergedTypes = Self(rawValue: "mergedTypes")
    /// A value that is too large to be read, or one of a row that is; it was left out.
    public static let oversizedValue = Self(rawValue: "oversizedValue")
    /// A table that could not be examined for damage, or not all of it, because that needs what only the app has; what
    /// is stored in it was read as it is.
    public static let unexaminedTable = Self(rawValue: "unexaminedTable")
    /// Text that is no UTF-8; what is wrong in it was replaced.
    public static let invalidText = Self(rawValue: "invalidText")
    /// A column that is computed from others; it was left out.
    public static let generatedColumn = Self(rawValue: "generatedColumn")
    /// A foreign key that cannot become a relationship; its columns stayed plain values.
    public static let plainForeignKey = Self(rawValue: "plainForeignKey")
    /// A table that nothing is known of but that it has rows, one of a module, or one that cannot be read without the
    /// app; it was left out.
    public static let skippedTable = Self(rawValue: "skippedTable")
    /// A table that a framework keeps for itself; it was left out.
    public static let bookkeepingTable = Self(rawValue: "bookkeepingTable")
    /// A table became an ordered list; its own keys were left out, and a column may have become the order.
    public static let joinTable = Self(rawValue: "joinTable")
    /// A large value is kept in a file of its own that is not there, or is only a link to one; it was left out.
    public static let missingExternalData = Self(rawValue: "missingExternalData")
    /// Bytes before which Core Data may or may not have put a mark of its own; they were kept as they are.
    public static let ambiguousData = Self(rawValue: "ambiguousData")
    /// The export does not say where a relationship leads; it was told by names or values.
    public static let guessedRelationship = Self(rawValue: "guessedRelationship")
    /// The database keeps its latest changes in a log, and none is beside it; they may be missing.
    public static let missingLog = Self(rawValue: "missingLog")
    /// Numbers or texts of a column were taken for dates, and the database does not say that they are some, or in
    /// which way they count time.
    public static let guessedDate = Self(rawValue: "guessedDate")
    /// A column of 0 and 1 was taken for yes and no, because its name says so.
    public static let guessedFlag = Self(rawValue: "guessedFlag")
    /// The database breaks a rule of its own schema; its values were read as they are.
    public static let brokenRule = Self(rawValue: "brokenRule")

    /// A column of durations was taken for milliseconds.
    public static let guessedUnit = Self(rawValue: "guessedUnit")

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

    /// The first row of a table has no titles of columns: they are further down, or nowhere.
    public static let guessedHeader = Self(rawValue: "guessedHeader")

    /// A row with more or fewer fields than there are columns.
    public static let raggedRow = Self(rawValue: "raggedRow")

    /// The encoding of a text was told by a byte order mark, by what the file says, or by its letters.
    public static let guessedEncoding = Self(rawValue: "guessedEncoding")
}
