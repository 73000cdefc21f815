/// What mappings and migrations warn of.
extension LegacyWarning.Kind {
    /// Records of the export say different things about the partners in a one-to-one; the first counts.
    public static let disputedPartner = Self(rawValue: "disputedPartner")
    /// The export no longer has a record that was changed in the store since; it was kept.
    public static let deletedInSourceButChanged = Self(rawValue: "deletedInSourceButChanged")
    /// The export no longer has a record that holds others which stay; it was kept.
    public static let deletedInSourceButInUse = Self(rawValue: "deletedInSourceButInUse")
    /// A record, or a list, keeps what was changed in the store, or stays deleted: the export says of that what the
    /// source had said before.
    public static let localChangeKept = Self(rawValue: "localChangeKept")
    /// What was changed in the store got the export's values, because the source has changed it, too.
    public static let localChangeOverwritten = Self(rawValue: "localChangeOverwritten")
    /// A list has an entry that was added in the store; it was kept.
    public static let entryAddedHere = Self(rawValue: "entryAddedHere")
    /// Another source's record has the same identifier; this one was given another.
    public static let identifierTaken = Self(rawValue: "identifierTaken")
    /// The export has no class and no record: the app had written nothing when the file was copied.
    public static let emptyExport = Self(rawValue: "emptyExport")
    /// A record of a class that the store does not have; it was left out.
    public static let unknownClass = Self(rawValue: "unknownClass")
    /// A record refers to one that does not exist; the reference was left out.
    public static let missingTarget = Self(rawValue: "missingTarget")
    /// A record lacks a value that is required; it was given zero, false or nothing.
    public static let defaultedValue = Self(rawValue: "defaultedValue")
    /// A model needs a value that nothing in the export becomes: new rows have zero, false or empty there. A note.
    public static let requiredUnsaid = Self(rawValue: "requiredUnsaid")
    /// The store cannot hold a record as it is: a key twice, a value too large, nothing where something is required; it
    /// was left out or is as it was.
    public static let refusedRecord = Self(rawValue: "refusedRecord")
    /// A record has a value that must be unique and that another row has; it was left out or as it was.
    public static let uniqueValueTaken = Self(rawValue: "uniqueValueTaken")

    /// The export no longer has a class that an earlier one of the source had; the rows that came from it stay.
    public static let vanishedClass = Self(rawValue: "vanishedClass")
    /// The export no longer has an attribute or list that an earlier one of the source had. Rows keep what is in it;
    /// only where the schema is what an export happens to hold, it is taken out of those that the export has.
    public static let vanishedProperty = Self(rawValue: "vanishedProperty")

    /// A rule of a mapping for what is lost of a damaged export; nothing became of it.
    public static let unusedRule = Self(rawValue: "unusedRule")
}
