import CFloor
import Foundation

/// Raw LMDB; `floor.h` says exactly what it does.
final class Floor {
    /// Behind all blocks that a load appends.
    private static let firstSingleKey: UInt64 = 1 << 32

    private let store: OpaquePointer

    init(in directory: URL) throws {
        var opened: OpaquePointer?
        try Self.check(floor_open(directory.path, &opened))
        guard let opened else { throw BenchmarkError.floor("it gave no store") }
        store = opened
    }

    deinit {
        floor_close(store)
    }

    /// Inserts batch after batch. Making the bytes is not part of the time.
    ///
    /// - Returns: the seconds that sorting and writing rows and indexes took, which is what a replay does.
    func load(_ nextBatch: () -> [Track]?, timing watch: Stopwatch) throws -> Double {
        let arena = ByteArena()
        var tables: [(name: String, entries: [floor_entry])] = [
            ("rows", []), ("genre", []), ("releaseDate", []),
        ]
        var blockNumber: UInt64 = 1
        while let tracks = nextBatch() {
            watch.pause()
            let logArena = ByteArena()
            var log: [floor_entry] = []
            var block = FloorBytes.blockHeader
            for track in tracks {
                let payload = FloorBytes.payload(track)
                let row = FloorBytes.rowValue(payload: payload)
                block += FloorBytes.event(track, payload: payload)
                tables[0].entries.append(arena.entry(key: FloorBytes.rowKey(track.id), value: row))
                tables[1].entries.append(
                    arena.entry(key: FloorBytes.genreKey(track), value: [0, 0])
                )
                tables[2].entries.append(
                    arena.entry(key: FloorBytes.dateKey(track), value: [0, 0])
                )
                if block.count >= FloorBytes.blockPayloadByteCountMax {
                    log.append(logArena.entry(key: [], value: block))
                    block = FloorBytes.blockHeader
                }
            }
            log.append(logArena.entry(key: [], value: block))
            watch.resume()
            try Self.check(floor_append_log(store, blockNumber, log, log.count))
            withExtendedLifetime(logArena) { blockNumber += UInt64(log.count) }
        }
        watch.pause()
        let logSeconds = watch.seconds
        watch.resume()
        for (name, entries) in tables {
            watch.pause()
            var entries = entries
            watch.resume()
            try Self.check(floor_load_table(store, name, &entries, entries.count))
        }
        withExtendedLifetime(arena) {}
        watch.pause()
        defer { watch.resume() }
        return watch.seconds - logSeconds
    }

    /// Keys of rows, ready-made.
    struct RowKeys {
        fileprivate let arena = ByteArena()
        fileprivate let entries: [floor_entry]

        init(_ ids: [Track.ID]) {
            let arena = arena
            entries = ids.map { arena.entry(key: FloorBytes.rowKey($0), value: []) }
        }
    }

    /// Looks rows up and reads a byte of every line of memory that they take.
    func read(_ keys: RowKeys, _ range: Range<Int>, separately: Bool) throws {
        var sum: UInt64 = 0
        try keys.entries[range].withUnsafeBufferPointer {
            let separately: Int32 = separately ? 1 : 0
            try Self.check(
                floor_read_rows(store, $0.baseAddress, $0.count, separately, &sum)
            )
        }
        precondition(sum > 0)
    }

    /// Commits each track by itself. Making the bytes is not part of the time.
    func commitSingly(_ tracks: [Track], after count: Int, timing watch: Stopwatch) throws {
        let arena = ByteArena()
        let commits = tracks.map { track in
            let payload = FloorBytes.payload(track)
            let block = FloorBytes.blockHeader + FloorBytes.event(track, payload: payload)
            return [
                arena.entry(key: [], value: block),
                arena.entry(
                    key: FloorBytes.rowKey(track.id),
                    value: FloorBytes.rowValue(payload: payload)
                ),
                arena.entry(key: FloorBytes.genreKey(track), value: [0, 0]),
                arena.entry(key: FloorBytes.dateKey(track), value: [0, 0]),
            ]
        }
        watch.resume()
        for (number, entries) in commits.enumerated() {
            try Self.check(floor_commit_row(store, Self.firstSingleKey + UInt64(count + number), entries))
        }
        watch.pause()
        withExtendedLifetime(arena) {}
    }

    func count() throws -> Int {
        var count = 0
        try Self.check(floor_count(store, "rows", &count))
        return count
    }

    private static func check(_ error: Int32) throws {
        guard error != 0 else { return }
        throw BenchmarkError.floor(String(cString: floor_message(error)))
    }
}
