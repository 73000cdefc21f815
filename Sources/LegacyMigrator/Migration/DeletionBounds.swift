/// What a deletion may take into one commit, and what is looked through to find out whether it is one.
///
/// However many rows point to one that the export lacks, go with it or are in its lists, memory and commits end there.
struct DeletionBounds: Sendable {
    /// How many others may lose what they point to, or what is in their lists, in the commit in which a row goes. Where
    /// there are more they go first, or the row is severed from them in commits of their own.
    var severedCountMax = 10_000
    /// How many entries of its own a row may have when it goes; all stand in one event, of which they take a quarter at
    /// most.
    var ownedCountMax = 1 << 16
    /// How many rows may go together, with all that they take with them and all that forbids it.
    var closureCountMax = 100_000

    /// Those of migrations that are made within `$current.withValue`.
    @TaskLocal static var current = DeletionBounds()
}
