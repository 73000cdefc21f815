import ExportFormats

extension LegacyWarning.Kind {
    /// What the kind means, as a clause that can follow a count: no capital at its beginning, no full stop. Nil for a
    /// kind that the library does not know.
    public var meaning: String? { Self.meanings[self] }

    private static let meanings: [Self: String] =
        recordMeanings.merging(valueMeanings) { first, _ in first }
        .merging(referenceMeanings) { first, _ in first }
        .merging(storeMeanings) { first, _ in first }
        .merging(sourceMeanings) { first, _ in first }
        .merging(damageMeanings) { first, _ in first }
        .merging(exportMeanings) { first, _ in first }

    /// Records, and how they are named.
    private static let recordMeanings: [Self: String] = [
        .missingName: "records without a name, which is empty now",
        .missingKey:
            "records without a usable key of their own, which got one made from what they are or where they stand",
        .duplicateKey: "records that repeat the key of an earlier one, which got a number after it",
        .missingTrackID: "tracks without the number by which playlists name them",
        .duplicateTrackID: "tracks with the same number, of which playlists mean the later one",
        .missingLibraryID:
            "the export does not say which library it is, and its file name stands in",
        .rowNumberKey: "tables whose rows are told apart by their numbers, which may change",
        .changedKey: "tables whose rows are told apart otherwise than in an earlier export",
        .positionalKey:
            "records that have no name of their own, which their places or their contents stand in for",
        .raggedRow: "rows with more or fewer fields than there are columns",
        .refusedRecord:
            "records that the store cannot hold as they are, left out or kept as they were",
        .uniqueValueTaken: "records with a value that must be unique and that another row has",
        .identifierTaken:
            "records whose identifier another source's row has, which got another one",
        .unknownClass: "classes that the store has no model for, left out",
        .unmappedClass: "classes that the library has no model for, left out",
        .builtInPlaylist:
            "lists that iTunes fills by itself with all that the library has of a sort, or with nothing, left out",
        .leftOutPlaylist:
            "lists that iTunes fills by itself with a choice of the tracks, left out as long as they are not asked for",
        .leftOutByMapping: "classes that the mapping leaves out, or records of them",
    ]

    /// Values of records.
    private static let valueMeanings: [Self: String] = [
        .repeatedField: "fields that a record names twice, of which the later value counts",
        .malformedNumber: "numbers that are none or do not fit 64 bits, left out",
        .malformedDate: "dates that are none, left out",
        .valueOutOfRange: "values outside of what their field allows, left out",
        .unexpectedType: "values of another type than their field has, left out",
        .unmappedProperty: "properties that the store has no place for, left out of all records",
        .roundedDate: "dates with more digits than a date holds, rounded to the nearest",
        .roundedNumber:
            "numbers with more digits than their type holds, or that may have been rounded before",
        .defaultedValue: "required values that records lack, which are zero, false or empty now",
        .missingValue: "required values that records lack, which are empty or zero now",
        .widenedType: "columns whose values no longer fit their type, which is a wider one now",
        .mixedTypes:
            "columns with values of other types than declared, kept in a type that holds them all",
        .mergedTypes:
            "columns with numbers, texts or bytes that cannot be told apart any more, kept in one type",
        .guessedEncoding: "texts that are not UTF-8, read in another encoding",
        .guessedHeader: "tables whose column titles are not in the first row",
        .guessedUnit: "columns of durations that hold milliseconds, which became seconds",
        .guessedDate: "columns that were taken for dates, unless a mapping gives them another type",
        .guessedFlag: "columns that were taken for yes and no, unless a mapping gives them another type",
        .oversizedValue: "values that are too large for a store, left out",
        .invalidText: "lines or values with bytes or characters that no text has, replaced or read in another encoding",
        .replacedText: "texts with half of a character, which was replaced",
        .lostBinary: "binary data of which the export kept nothing",
        .keptAsText: "properties with values of several types, kept as JSON text",
        .untypedText: "texts that look like dates and stay texts without a schema",
        .ambiguousData: "bytes that Core Data may have put a mark before, kept as they are",
        .missingExternalData: "large values in files of their own that are not there or only links, left out",
        .generatedColumn: "columns that are computed from others, left out",
    ]

    /// References and lists.
    private static let referenceMeanings: [Self: String] = [
        .missingTrack: "playlist entries that name a track which does not exist, left out",
        .malformedEntry: "playlist entries that name no track at all, left out",
        .missingParent: "playlists whose folder does not exist or was skipped, which are in none",
        .parentCycle: "playlists that contain each other, of which one is in none",
        .repeatedMember:
            "tracks that are in several albums or twice in one, which stay where they were first",
        .unresolvedLink: "links to objects that never arrived on the device, left out",
        .staleIdentifier:
            "texts that name records by identifiers which the mapping has changed, kept as they are",
        .missingTarget: "references to records that do not exist, left out",
        .danglingReference: "references to rows that do not exist, left out",
        .disputedPartner:
            "one-to-ones of which records say different things, of which the first counts",
        .furtherLocation:
            "playlist entries with several places of one track, of which the first was taken",
        .differingEntry:
            "playlist entries that say other things of a track than the first one or the library, which counts",
        .lostOrder: "orders of records or of lists beside the one that they come in",
        .orderUnknown:
            "relationships without an order in the database, or with another one besides it",
        .guessedRelationship:
            "relationships that the export does not spell out, told by names or values",
        .plainForeignKey: "foreign keys that cannot become relationships, kept as plain values",
        .joinTable: "tables that became ordered lists",
    ]

    /// An export and a store that both changed.
    private static let storeMeanings: [Self: String] = [
        .deletedInSourceButChanged:
            "rows that the export lacks now and that were changed here, kept",
        .deletedInSourceButInUse: "rows that the export lacks now and that others need, kept",
        .localChangeKept:
            "rows and lists that were changed or deleted here and not in the export, which stay so",
        .localChangeOverwritten:
            "rows that were changed here and in the export as well, which counts",
        .entryAddedHere: "entries of lists that were added here, kept",
        .vanishedClass:
            "classes that an earlier export had and this one does not, whose rows stay as they are",
        .requiredUnsaid: "values that the store's models need and nothing in the export becomes",
        .vanishedProperty: "properties that an earlier export had and this one does not",
    ]

    /// The export as a whole.
    private static let sourceMeanings: [Self: String] = [
        .emptyExport: "exports in which the app had written nothing yet; the next one decides what the store has",
        .lossyFormat: "what the format of the export cannot say, or not exactly",
        .skippedTable:
            "tables of which nothing is known but their names, or which need the app, left out",
        .bookkeepingTable: "tables that a framework keeps for itself, left out",
        .unexaminedTable:
            "tables that could not be examined for damage without the app, read as they are",
        .missingLog:
            "databases without the log that had their newest changes, which may be missing",
        .respelledName: "names of classes and properties in other letters, written in those of ASCII",
        .brokenRule:
            "rules of its own schema that the database breaks, with values read as they are",
        .unusedRule: "rules of the mapping for what is lost of the damaged file",
    ]

    /// A damaged file.
    private static let damageMeanings: [Self: String] = [
        .damagedClass: "classes that cannot be read, with all their records",
        .damagedObject: "losses of objects that are not provably whole",
        .damagedValue: "losses of links that lead to what is lost or that only one end knows of",
        .unclaimedBytes:
            "stretches that nothing leads to any more, where seeming emptiness may be a loss",
        .olderVersion:
            "the newest version of the data cannot be read, and the one before it was taken",
    ]

    /// What another format cannot say of a store.
    private static let exportMeanings: [Self: String] = [
        .embeddedStruct:
            "structs that became embedded objects, which are records of their own when read back",
        .keptAsMixed: "attributes with collections in collections, which became values of any type",
        .nilCollection: "collections that are nil, which are empty now",
        .lostRule: "rules of deletion or uniqueness that the format cannot say",
        .unusualName: "names that the format does not allow",
        .changedName: "names that were taken, which got a number after them",
        .unusualMapKey: "keys of maps that the format does not allow",
        .unusualKey: "identifiers that a migration does not take over as they are",
        .lostNaN: "numbers that are none, which the format tells apart no further or not at all",
        .lostSign: "negative zeros, where the format has one zero",
        .unusualDate: "dates outside of what the format can say",
        .longDecimal: "decimals with more digits than the format has",
        .collectionAsText: "attributes of structs or collections, which became JSON text",
    ]
}
