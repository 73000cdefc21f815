import ExportFormats
import SQLiteFile

/// What a pass over an export, or one reading of it, may remember of the records: so many bytes in memory, and a
/// temporary database for the rest.
///
/// Each ``RememberedSet``, ``RememberedMap`` and ``LateReferences`` of the pass asks before it grows. One that is
/// refused keeps what it has and puts what is new into a table of its own; so whatever the number of records, memory
/// ends at the budget and the database's cache, and a migration that fits never makes the database. Not to be used by
/// two threads at once.
package final class RecordMemory {
    /// How many bytes what is made within `$byteCountMax.withValue` may take. 128 MiB have room for three million
    /// identifiers of any form, or six million of sixteen hexadecimal digits, in one set.
    @TaskLocal package static var byteCountMax = 128 << 20

    /// What the temporary database keeps in memory, beside the budget.
    static let cacheByteCount = 16 << 20

    private let byteCountMax: Int
    private let pageCountMax: Int?
    private(set) var byteCount = 0
    /// The greatest ``byteCount`` so far.
    private(set) var byteCountPeak = 0
    private var database: SQLiteTemporaryDatabase?
    private var tableCount = 0

    /// - Parameter pageCountMax: the most pages of 4096 bytes that the database may grow to; nil for as many as there
    ///   is room for.
    package init(byteCountMax: Int = RecordMemory.byteCountMax, pageCountMax: Int? = nil) {
        self.byteCountMax = byteCountMax
        self.pageCountMax = pageCountMax
    }

    /// Whether anything did not fit.
    var isExceeded: Bool { database != nil }

    /// Asks for room.
    ///
    /// - Returns: whether there is as much; if so it is taken.
    package func take(_ count: Int) -> Bool {
        guard count <= byteCountMax - byteCount else { return false }
        byteCount += count
        byteCountPeak = max(byteCountPeak, byteCount)
        return true
    }

    /// Gives back what was taken.
    package func giveBack(_ count: Int) { byteCount -= count }

    /// The database, which is made when it is first needed, and a name in it that nobody has.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput`.
    func newTable() throws(LegacyError) -> (database: SQLiteTemporaryDatabase, name: String) {
        tableCount += 1
        let name = "t\(tableCount)"
        if let database { return (database, name) }
        do throws(SQLiteFileError) {
            let made = try SQLiteTemporaryDatabase(
                cacheByteCount: Self.cacheByteCount,
                pageCountMax: pageCountMax
            )
            database = made
            return (made, name)
        } catch {
            throw LegacyError(remembering: error)
        }
    }
}

/// The room that one hash table takes of a ``RecordMemory``.
struct HashTableRoom {
    private let stride: Int
    private(set) var byteCount = 0

    /// - Parameter stride: the bytes of an element.
    init(stride: Int) {
        self.stride = stride
    }

    /// Asks for the room that a table needs to hold `count` elements. While it grows the old one is still there.
    mutating func grow(to count: Int, in memory: RecordMemory) -> Bool {
        // Swift's tables have a power of two of places, of which three quarters are used, and a bit for each.
        var placeCount = 2
        while placeCount / 4 * 3 < count { placeCount *= 2 }
        let wanted = placeCount * stride + placeCount / 8
        guard memory.take(wanted) else { return false }
        memory.giveBack(byteCount)
        byteCount = wanted
        return true
    }

    mutating func giveBack(to memory: RecordMemory) {
        memory.giveBack(byteCount)
        byteCount = 0
    }
}

extension SQLiteTemporaryDatabase {
    /// Takes a table away, so that others can have its room. That this fails is of no consequence.
    func drop(_ table: String) {
        do throws(SQLiteFileError) {
            try run("DROP TABLE \(table)")
        } catch {}
    }
}

extension LegacyError {
    /// What does not fit into memory could not be put aside, or not be found again.
    init(remembering error: SQLiteFileError) {
        self.init(
            .inputOutput,
            error.message,
            advice: "Make room in the directory for temporary files, or set TMPDIR to another one."
        )
    }
}
