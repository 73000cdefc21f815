import ExportFormats
import LegacyRecords

/// Places of to-ones that were noted after one of a later record, in the order of the export's records: sixteen bytes
/// each, and half as many again while they are sorted; beyond a ``RecordMemory`` on disk.
final class Stragglers {
    /// Where one is in the order: by its rank among the export's to-ones, and by its place among those of one rank.
    struct Straggler: Comparable {
        let rank: Int
        let place: Int

        static func < (left: Straggler, right: Straggler) -> Bool {
            (left.rank, left.place) < (right.rank, right.place)
        }
    }

    private let memory: RecordMemory
    private var kept: [Straggler] = []
    private var room = ArrayRoom(stride: MemoryLayout<Straggler>.stride * 3 / 2)
    /// Those that there was no room for: once there is none, all that come.
    private var table: PlaceTable?

    init(in memory: RecordMemory) {
        self.memory = memory
    }

    deinit {
        room.giveBack(to: memory)
    }

    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything that may ask a table.
    func append(_ straggler: Straggler) throws(LegacyError) {
        if table == nil, room.prepare(&kept, for: 1, in: memory) {
            kept.append(straggler)
            return
        }
        let table = try openTable()
        try table.insert(straggler.place, of: straggler.rank)
    }

    private func openTable() throws(LegacyError) -> PlaceTable {
        if let table { return table }
        let made = try PlaceTable(in: memory)
        table = made
        return made
    }

    /// Brings them into their order, when all are there.
    func sort() { kept.sort() }

    /// The first one after another; nil for the first of all. O(log n).
    func first(after last: Straggler?) throws(LegacyError) -> Straggler? {
        var start = 0
        var end = last == nil ? 0 : kept.count
        while start < end, let last {
            let middle = (start + end) / 2
            if kept[middle] <= last { start = middle + 1 } else { end = middle }
        }
        let inMemory = start < kept.count ? kept[start] : nil
        guard let table else { return inMemory }
        let after = last ?? Straggler(rank: -1, place: 0)
        guard let (rank, place) = try table.first(after: after.rank, after.place) else {
            return inMemory
        }
        let onDisk = Straggler(rank: rank, place: place)
        guard let inMemory else { return onDisk }
        return min(inMemory, onDisk)
    }
}
