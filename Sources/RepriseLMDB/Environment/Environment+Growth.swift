import CLMDB
import Synchronization

extension Environment {
    enum Growth { case notNeeded, done, refusedByReaders, refusedBySystem }

    /// No address space is larger.
    private static let mapByteCountMax = 1 << 46

    /// The map and what of it is in use, in bytes.
    var extent: (mapByteCount: Int, usedByteCount: Int) {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(pointer, &info)
        return unsafe (info.me_mapsize, (info.me_last_pgno + 1) * pageByteCount)
    }

    /// Whether writes of `byteCount` bytes will fit without exchanging the map, which waits for
    /// readers. A hint: other processes write too.
    package func hasRoom(for byteCount: Int) -> Bool {
        let (map, used) = extent
        let headroom = options.headroomByteCount ?? map / 4
        return !mapWasFull && map - used >= headroom + byteCount
    }

    /// How many bytes of the map no commit has used yet.
    package var roomByteCount: Int {
        let (map, used) = extent
        return map - used
    }

    /// Doubles the map when it has little room. For the writer, before LMDB's transaction begins.
    func growIfNeeded(room: Int) throws(LMDBError) -> Growth {
        let (map, used) = extent
        let headroom = max(options.headroomByteCount ?? map / 4, room)
        if !mapWasFull && map - used >= headroom { return .notNeeded }
        // Early growth can wait for a moment without readers; when the room runs out, it insists.
        let isUrgent = mapWasFull || map - used < headroom / 4 || map - used < room
        let growth = try exchangeMap(
            free: headroom,
            isLarger: true,
            within: isUrgent ? options.readerWait : .zero
        )
        if growth == .done { mapWasFull = false }
        return growth
    }

    /// Maps as much as another process has made of the file. For the writer before its transaction,
    /// or for a thread whose reader could not begin.
    func adoptGrowth() throws(LMDBError) {
        let growth = try exchangeMap(free: 0, isLarger: false, within: options.readerWait)
        if growth == .refusedByReaders {
            throw LMDBError(
                code: .mapFullWhileReading,
                rawCode: MDB_MAP_RESIZED,
                operation: "adopt a larger file",
                path: path
            )
        }
    }

    /// Exchanges the map for one with `free` bytes of room, doubling it as often as that takes (at
    /// least once if `isLarger`).
    private func exchangeMap(
        free: Int,
        isLarger: Bool,
        within limit: Duration
    ) throws(LMDBError) -> Growth {
        var isRefusedBySystem = false
        let ran = try gate.exclusively(within: limit) { () throws(LMDBError) in
            let (map, used) = extent
            var larger = isLarger ? map * 2 : map
            while larger - used < free && larger <= Self.mapByteCountMax { larger *= 2 }
            while larger < used { larger *= 2 }
            if larger > Self.mapByteCountMax {
                isRefusedBySystem = true
                return
            }
            // The next reader finds out where the new one is.
            mapAddress.store(0, ordering: .relaxed)
            let result = unsafe mdb_env_set_mapsize(pointer, larger)
            if result == MDB_SUCCESS { return }
            isRefusedBySystem = true
            // LMDB has given up the old map before it asked for the new one.
            let restored = unsafe mdb_env_set_mapsize(pointer, map)
            if restored != MDB_SUCCESS {
                gate.poison()
                throw LMDBError(
                    code: .init(returnCode: restored),
                    rawCode: restored,
                    operation: "restore the map",
                    path: path
                )
            }
        }
        if !ran { return .refusedByReaders }
        return isRefusedBySystem ? .refusedBySystem : .done
    }
}
