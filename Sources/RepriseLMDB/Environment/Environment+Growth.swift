import CLMDB
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    enum Growth: Equatable {
        case notNeeded, done, refusedByReaders
        /// The number of the error.
        case refusedBySystem(Int32)
    }

    /// No address space is larger.
    private static let mapByteCountMax = 1 << 46

    /// The map and what of it is in use, in bytes. LMDB looks into the map for it: only for a transaction of this
    /// process, or where the gate lets nobody exchange the map.
    var extent: (mapByteCount: Int, usedByteCount: Int) {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(pointer, &info)
        // The number is another process's, and not checked yet.
        let (used, isTooMuch) = unsafe (info.me_last_pgno &+ 1)
            .multipliedReportingOverflow(by: pageByteCount)
        return unsafe (info.me_mapsize, isTooMuch || used < 0 ? .max : used)
    }

    /// Whether writes of `byteCount` bytes will fit without exchanging the map, which waits for
    /// readers. A hint: other processes write too, and while the map is being exchanged the answer is no.
    package func hasRoom(for byteCount: Int) -> Bool {
        guard let (map, used) = gate.whileMapStays({ extent }) else { return false }
        let headroom = options.headroomByteCount ?? map / 4
        return !mapWasFull && map - used >= headroom + byteCount
    }

    /// How many bytes of the map no commit has used yet; 0 while the map is being exchanged.
    package var roomByteCount: Int {
        guard let (map, used) = gate.whileMapStays({ extent }) else { return 0 }
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
    ///
    /// - Throws: `.mapFullWhileReading` when this process's transactions stay open, `.outOfMemory` when the system
    ///   refuses the address space, and as `exchangeMap`.
    func adoptGrowth() throws(LMDBError) {
        switch try exchangeMap(free: 0, isLarger: false, within: options.readerWait) {
        case .notNeeded, .done: return
        case .refusedByReaders:
            throw LMDBError(
                code: .mapFullWhileReading,
                rawCode: MDB_MAP_RESIZED,
                operation: "adopt a larger file",
                path: path
            )
        case .refusedBySystem(let number):
            throw LMDBError(
                code: .outOfMemory,
                rawCode: number,
                operation: "adopt a larger file",
                path: path
            )
        }
    }

    /// Exchanges the map for one with `free` bytes of room, doubling it as often as that takes (at
    /// least once if `isLarger`).
    ///
    /// - Throws: `.closed` and `.poisoned`; what LMDB says when it has lost the map, which poisons the environment.
    private func exchangeMap(
        free: Int,
        isLarger: Bool,
        within limit: Duration
    ) throws(LMDBError) -> Growth {
        var growth = Growth.done
        let ran = try gate.exclusively(within: limit) { () throws(LMDBError) in
            let (map, used) = extent
            var larger = isLarger ? map * 2 : map
            while larger - used < free && larger <= Self.mapByteCountMax { larger *= 2 }
            while larger < used && larger <= Self.mapByteCountMax { larger *= 2 }
            if larger == map {
                // Another thread has done it.
                growth = .notNeeded
            } else if larger > Self.mapByteCountMax {
                growth = .refusedBySystem(ENOMEM)
            } else if let refusal = Self.refusal(of: larger) {
                growth = .refusedBySystem(refusal)
            } else {
                try replaceMap(larger)
            }
        }
        return ran ? growth : .refusedByReaders
    }

    /// Why the system will not map so much, or `nil`.
    ///
    /// Asked while the old map is still there: LMDB gives that up before it asks for the new one, and an environment
    /// that has lost its map cannot be given one again (`mdb_env_set_mapsize` in `mdb.c` of LMDB 0.9.24).
    private static func refusal(of byteCount: Int) -> Int32? {
        do throws(LMDBError) {
            _ = try AddressSpace(byteCount: byteCount, .none)
            return nil
        } catch {
            return error.rawCode
        }
    }

    private func replaceMap(_ byteCount: Int) throws(LMDBError) {
        // The next reader finds out where the new one is.
        mapAddress.store(0, ordering: .relaxed)
        let result = unsafe mdb_env_set_mapsize(pointer, byteCount)
        if result == MDB_SUCCESS { return }
        // There is no map any more, and LMDB would look into it.
        gate.poison()
        throw LMDBError(
            code: .init(returnCode: result),
            rawCode: result,
            operation: "exchange the map",
            path: path
        )
    }
}
