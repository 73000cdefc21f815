/// How events of another store are said in the terms of this one.
struct ForeignTerms {
    /// Gives entries the serials that they have here.
    let entries: EntryTranslation
    /// Gives models, attributes and lists the numbers that they have here; nil where these are the same.
    let numbers: Renumbering?
    /// Reads events that are older than a conversion; nil where nothing was converted.
    let upcaster: EventUpcaster?
}
