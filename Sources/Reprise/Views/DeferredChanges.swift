internal import RepriseLMDB
internal import RepriseLog

/// What a bulk load has put into the log, and neither keeps in memory nor has in the views yet.
///
/// Only what the next insert asks for is here: which entities exist, where their last events are, where lists end, and
/// who holds the values of unique indexes. Everything else is in the log, from which the views are built in the end.
@safe
final class DeferredChanges {
    /// The views have everything up to here.
    let viewsPosition: UInt64
    private let logTable: Table
    /// The position of the last event of each entity, doubled, plus one when the entity exists; by the key of its row.
    private var entities = KeyTable()
    /// For entities whose last event left their row as it was, the position of the last one that did not; 0 when the
    /// views have the row. Owners of long lists are among them, whose events are many.
    private var contents = KeyTable()
    /// The order key of the last entry of each list, by what the keys of its entries begin with.
    private var lists = KeyTable()
    /// For the values of a unique index, the position of an event of the entity that had them last.
    private var claims = KeyTable()
    private static let lookAheadCount = 32
    /// What was looked at ahead of its time.
    private var seen: UInt64 = 0
    private var key = KeyBuffer()
    private let fold: RowFold
    /// The keys of the rows in the views, so that most of what is new is known to be without a look at a table that
    /// may be larger than the memory.
    private var rowsInViews: KeyFilter

    /// Makes a row of what it was before and of events of its entity, oldest first; nil where there is none then.
    /// The bytes are valid until the next call.
    typealias RowFold = (_ row: RowView?, _ events: [EventView]) throws -> (
        created: UInt64, payload: UnsafeRawBufferPointer
    )?

    /// - Complexity: O(rows in the views).
    init(
        after viewsPosition: UInt64,
        log: Table,
        over base: TableReader,
        _ tables: ViewTables,
        fold: @escaping RowFold
    ) throws {
        unsafe self.fold = fold
        self.viewsPosition = viewsPosition
        logTable = log
        rowsInViews = KeyFilter(count: try base.entryCount(tables.rows))
        var cursor = try base.cursor(tables.rows)
        var isThere = try cursor.first()
        while isThere {
            unsafe rowsInViews.insert(cursor.key)
            isThere = try cursor.next()
        }
    }

    /// Roughly the memory that this takes and that grows.
    var byteCount: Int {
        entities.byteCount + contents.byteCount + lists.byteCount + claims.byteCount
    }

    /// False when the views have certainly no row under `key`.
    func mayBeInViews(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe rowsInViews.mayContain(key)
    }

    // MARK: Entities

    struct Standing {
        /// The position of the entity's last event.
        let revision: UInt64
        let isLive: Bool
    }

    func standing(of key: UnsafeRawBufferPointer) -> Standing? {
        unsafe standing(of: key, hash: XXH64.hash(key, seed: 0))
    }

    /// As ``standing(of:)``, for who knows the hash of the key (XXH64 with the seed 0).
    func standing(of key: UnsafeRawBufferPointer, hash: UInt64) -> Standing? {
        unsafe entities.find(key, hash: hash).map {
            Standing(revision: $0 >> 1, isLive: $0 & 1 != 0)
        }
    }

    /// Takes over what is to be known of changed rows.
    func note(_ rows: borrowing PendingRows) {
        var start = 0
        while start < rows.count {
            let end = min(rows.count, start + Self.lookAheadCount)
            for index in start..<end { seen ^= entities.look(rows.hash(at: index)) }
            for index in start..<end { note(rows[index], hash: rows.hash(at: index)) }
            start = end
        }
    }

    private func note(_ record: PendingRows.Record, hash: UInt64) {
        let key = unsafe record.keyBytes
        let number = record.revision << 1 | (record.isLive ? 1 : 0)
        unsafe entities.set(key, hash: hash, to: number)
        if unsafe record.contentPosition != record.revision || contents.find(key) != nil {
            unsafe contents.set(key, to: record.contentPosition)
        }
    }

    /// The position of the last event that changed the row of an entity; 0 when the views have the row.
    func contentPosition(of key: UnsafeRawBufferPointer, _ standing: Standing) -> UInt64 {
        unsafe contents.find(key) ?? standing.revision
    }

    /// Folds the row of an existing entity from its events in the log, and from the views where it was before.
    ///
    /// - Returns: the row, valid until the next call.
    /// - Complexity: O(events of the entity since the views, without those after the last change of the row).
    func row(
        _ key: UnsafeRawBufferPointer,
        _ standing: Standing,
        over base: TableReader,
        _ tables: ViewTables
    ) throws -> RowView {
        let log = LogReader(base, table: logTable, head: .max)
        var events: [EventView] = []
        var position = unsafe contentPosition(of: key, standing)
        while position > viewsPosition {
            guard let event = try log.event(at: position) else {
                throw StoreError.damage("The log has no event at position \(position).")
            }
            // Those about list entries do not count, and there may be millions.
            if event.type.rawValue <= EventType.deleted.rawValue { events.append(event) }
            if event.type == .inserted { break }
            position = event.previous
        }
        var before: RowView?
        if events.last?.type != .inserted, let value = try unsafe base.get(tables.rows, key) {
            before = unsafe try RowView(key: key, value: value)
        }
        guard let folded = try unsafe fold(before, events.reversed()) else {
            throw StoreError.damage("An entity does not follow from its events in the log.")
        }
        return unsafe RowView(
            created: folded.created,
            revision: standing.revision,
            payload: folded.payload
        )
    }

    // MARK: Lists

    /// The order key of the last entry of a list; nil when nothing is known of the list here.
    func lastOrderKey(of list: ListKey) -> UInt64?? {
        key.setList(list)
        guard let number = unsafe lists.find(key.bytes) else { return nil }
        return .some(number == 0 ? nil : number)
    }

    func noteLastOrderKey(_ orderKey: UInt64?, of list: ListKey) {
        key.setList(list)
        unsafe lists.set(key.bytes, to: orderKey ?? 0)
    }

    // MARK: Unique values

    /// The key of the row of the entity that had these values last; it may have others by now.
    func holder(of claim: UniqueClaim, in base: TableReader) throws -> [UInt8]? {
        let position = unsafe Self.short(claim.bytes).withUnsafeBytes { unsafe claims.find($0) }
        guard let position else { return nil }
        guard let event = try LogReader(base, table: logTable, head: .max).event(at: position) else {
            throw StoreError.damage("The log has no event at position \(position).")
        }
        return unsafe [UInt8](event.id)
    }

    func noteClaim(_ claim: [UInt8], at position: UInt64) {
        unsafe Self.short(claim).withUnsafeBytes { unsafe claims.set($0, to: position) }
    }

    /// What stands for the values of a unique index in the table: themselves, or the hash of long ones.
    static func short(_ claim: [UInt8]) -> [UInt8] {
        if claim.count <= 64 { return claim }
        let hash = unsafe claim.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) }
        var bytes = [UInt8](repeating: 0, count: Digest256.byteCount)
        unsafe bytes.withUnsafeMutableBytes { unsafe hash.write(into: $0) }
        return bytes
    }
}
