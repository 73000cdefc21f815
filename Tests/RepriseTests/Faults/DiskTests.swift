import FaultSupport
import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Disks that are full and places where writing is not allowed.
@Suite(.serialized) struct DiskTests {
    private static func item(_ number: Int) -> Item {
        Item(
            id: Item.ID("item-\(number)"),
            name: "Name",
            amount: number,
            note: longText("x", count: 20_000)
        )
    }

    /// Writes until that is refused. Returns how many items were acknowledged, and the refusal.
    private static func fill(
        _ store: Store,
        from first: Int = 0
    ) -> (acknowledged: Int, refusal: StoreError.Code?) {
        for number in first..<10_000 {
            let refusal = code { try store.write { try $0.insert(item(number)) } }
            if refusal != nil { return (number, refusal) }
        }
        return (10_000, nil)
    }

    private static func expect(_ store: Store, holds count: Int) throws {
        let items = try store.fetch(FetchDescriptor<Item>().sorted(by: \.amount))
        #expect(items == (0..<count).map(item))
    }

    @Test(.enabled(if: getuid() == 0, "Only root mounts a small file system."))
    func `a full disk is told, loses nothing, and writing goes on when there is room`() async throws
    {
        guard let disk = try await SmallDisk() else {
            try Test.cancel("This system mounts nothing here.")
        }
        let filler = disk.path + "/filler"
        replaceContents(ofFile: filler, with: [UInt8](repeating: 0, count: 16 << 20))
        try Self.checkFullDisk(at: disk.path + "/store", filler: filler)
    }

    /// Writes a file until the disk takes no byte more.
    private static func fillCompletely(_ path: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while unsafe write(descriptor, page, page.count) > 0 {}
    }

    private static func checkFullDisk(at path: String, filler: String) throws {
        var store = try Store.open(at: path, schema: FaultModels.schema)
        let (count, refusal) = fill(store)
        #expect(refusal == .diskFull)
        #expect(count > 0)
        // The commit has left no trace (STO-31): reads go on, and writes are refused as long as the disk is full.
        for _ in 0..<3 {
            try expect(store, holds: count)
            #expect(code { try store.write { try $0.insert(item(count)) } } == .diskFull)
        }
        store.close()

        // Without a lock file the store cannot be opened, and is not called damaged; the disk is full to the last page.
        let lock = path + "/lock.mdb"
        unsafe unlink(lock)
        let rest = filler + "-rest"
        fillCompletely(rest)
        for _ in 0..<2 {
            #expect(code { try Store.open(at: path, schema: FaultModels.schema) } == .diskFull)
            #expect(!FileManager.default.fileExists(atPath: lock))
        }
        // One that has a hole in the place of every page.
        replaceContents(ofFile: lock, with: [])
        unsafe truncate(lock, 1 << 16)
        #expect(code { try Store.open(at: path, schema: FaultModels.schema) } == .diskFull)
        unsafe unlink(rest)

        store = try Store.open(at: path, schema: FaultModels.schema)
        try expect(store, holds: count)
        #expect(fill(store, from: count) == (count, .diskFull))
        store.close()
        let full = path + "-2"
        #expect(code { try Store.open(at: full, schema: FaultModels.schema) } == .diskFull)
        #expect(!FileManager.default.fileExists(atPath: full))

        store = try Store.open(at: path, schema: FaultModels.schema)
        let loading = code {
            try store.bulkLoad { loader in
                for number in count..<10_000 {
                    try loader.batch { try $0.insert(item(number)) }
                }
            }
        }
        #expect(loading == .diskFull)
        defer { store.close() }
        unsafe unlink(filler)
        // The next write brings the views up to date with the batches that were acknowledged.
        try store.write { try $0.insert(Shelf(id: "after", title: "")) }
        let present = try store.count(FetchDescriptor<Item>())
        #expect(present > count)
        try store.write { try $0.insert(item(present)) }
        try expect(store, holds: present + 1)
        #expect(try store.verify().faults == [])
    }

    @Test(.enabled(if: getuid() == 0, "Only root mounts a small file system."))
    func `views that lag far behind are changed in place on a disk without room for two sets`()
        async throws
    {
        guard let disk = try await SmallDisk() else {
            try Test.cancel("This system mounts nothing here.")
        }
        let scratch = try Scratch()
        let source = scratch("store")
        let path = disk.path + "/store"
        try Self.interruptLoad(at: source, copyingTo: path)
        // Twelve megabytes of views are there; what is missing takes less than three.
        let fillerCount = disk.room - 5 << 20
        #expect(fillerCount > 0)
        replaceContents(
            ofFile: disk.path + "/filler",
            with: [UInt8](repeating: 0, count: fillerCount)
        )
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        #expect(try store.count(FetchDescriptor<Item>()) == 10_250)
        #expect(try store.fetch(Item.self, id: Item.ID("small-9999")) != nil)
    }

    /// Copies a store in the middle of a load: 250 large items in the views, 10,000 small ones in the log only.
    private static func interruptLoad(at path: String, copyingTo copy: String) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        for start in stride(from: 0, to: 250, by: 50) {
            try store.write { transaction in
                for number in start..<(start + 50) { try transaction.insert(item(number)) }
            }
        }
        try store.bulkLoad { loader in
            try loader.batch { transaction in
                for number in 0..<10_000 {
                    let id = Item.ID("small-\(number)")
                    try transaction.insert(Item(id: id, name: "s", amount: number, note: ""))
                }
            }
            try FileManager.default.createDirectory(
                atPath: copy,
                withIntermediateDirectories: false
            )
            for name in ["data.mdb", "lock.mdb"] {
                try FileManager.default.copyItem(
                    atPath: "\(path)/\(name)",
                    toPath: "\(copy)/\(name)"
                )
            }
        }
    }

    @Test func `a limit on the size of files is told, and loses nothing`() async throws {
        let scratch = try Scratch()
        let results = AcknowledgementFile(path: scratch("results"))
        let worker = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=limit", "path=" + scratch("store"), "results=" + results.path],
            output: scratch("output")
        )
        #expect(await worker.end() == .exit(0))
        let lines = results.lines
        // LMDB tells a write that was cut short by such a limit as an I/O error.
        #expect(lines.contains("refused inputOutput") || lines.contains("refused diskFull"))
        #expect(lines.last == "again poisoned")
        let acknowledged = lines.filter { $0.hasPrefix("item ") }.map { String($0.dropFirst(5)) }
        #expect(acknowledged.count > 3)
        try Self.checkAfterLimit(scratch("store"), acknowledged)
    }

    private static func checkAfterLimit(_ path: String, _ acknowledged: [String]) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        for id in acknowledged { #expect(try store.fetch(Item.self, id: Item.ID(id)) != nil) }
        #expect(try store.count(FetchDescriptor<Item>()) - acknowledged.count <= 1)
        try store.write { try $0.insert(item(0)) }
        #expect(try store.verify().faults == [])
    }

    @Test(arguments: [
        ("store", 0o555), ("store/data.mdb", 0o444), ("store/lock.mdb", 0o444), ("", 0o555),
    ])
    func `a place that may not be written is refused as that`(
        protected: String,
        mode: Int
    ) async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        if !protected.isEmpty { try Store.open(at: path, schema: FaultModels.schema).close() }
        try Self.give(scratch.path, protected: scratch(protected), mode: mode_t(mode))
        let before = contents(ofFile: path + "/data.mdb")
        // Outside of the scratch directory, which the worker may not write.
        let outside = try Scratch()
        unsafe chmod(outside.path, 0o777)
        let results = AcknowledgementFile(path: outside("results"))
        let worker = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=nobody", "path=" + path, "results=" + results.path],
            output: scratch("output")
        )
        #expect(await worker.end() == .exit(0))
        // A store whose files may be written does not need to write its directory.
        #expect(results.lines == [protected == "store" ? "opened" : "refused permissionDenied"])
        if protected != "store" { #expect(contents(ofFile: path + "/data.mdb") == before) }
        unsafe chmod(scratch.path, 0o700)
        unsafe chmod(path, 0o700)
    }

    /// Gives all of it to the user that the worker becomes, and takes the right to write one thing.
    private static func give(_ path: String, protected: String, mode: mode_t) throws {
        let owner: uid_t = getuid() == 0 ? 65534 : getuid()
        for name in ["", "/store", "/store/data.mdb", "/store/lock.mdb"] {
            unsafe chown(path + name, owner, owner)
        }
        unsafe chmod(protected, mode)
    }
}

/// A file system of 24 MiB in memory.
final class SmallDisk: Sendable {
    private let scratch: Scratch
    let path: String

    init?() async throws {
        scratch = try Scratch()
        path = scratch("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let mount = ChildProcess("/bin/mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path])
        if await mount.end() != .exit(0) { return nil }
    }

    /// How many bytes are free.
    var room: Int {
        var status = statvfs()
        unsafe statvfs(path, &status)
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    deinit {
        unsafe umount2(path, Int32(MNT_DETACH))
    }
}
