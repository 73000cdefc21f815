import Foundation
import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that say they are larger than any memory.
@Suite struct AbsurdSizeTests {
    /// STO-71: at 2^63 the next number would no longer be one, and signed counts of others end there.
    @Test(arguments: [1 << 62 + 2, 1 << 63, .max - 8] as [UInt64])
    func `commit numbers that no file comes to are damage`(_ distance: UInt64) throws {
        let scratch = Scratch()
        let made = try Environment.scratch(scratch)
        try made.put([1], [1])
        made.close()
        var bytes = Array(try Data(contentsOf: URL(filePath: scratch.data)))
        let size = Int(getpagesize())
        for page in 0..<2 {
            // All numbers are moved by as much, so that they still fit each other.
            let place = page * size + 144
            let number = (0..<8).reduce(distance & ~1) { $0 &+ UInt64(bytes[place + $1]) << UInt64(8 * $1) }
            for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
        }
        try Data(bytes).write(to: URL(filePath: scratch.data))
        #expect(code { _ = try Environment.reopen(scratch) } == .corrupted)
    }

    @Test func `more pages than bits can be had for are an error`() {
        #expect(code { _ = try MetPages(count: 1 << 58, path: "") } == .outOfMemory)
    }

    @Test func `pages are met once, be they few or many`() throws {
        func insert(_ pages: consuming MetPages) -> [Bool] {
            [2, 64, 65, 64, 2, 199].map { pages.insert($0) }
        }
        let expected = [true, true, true, false, false, true]
        #expect(insert(MetPages()) == expected)
        #expect(insert(try MetPages(count: 200, path: "")) == expected)
    }

    @Test func `where the checked pages cannot be remembered each is checked each time`() throws {
        let scratch = Scratch()
        let made = try Environment.scratch(scratch)
        for number in 0..<20 {
            try made.put(Array(number), Array(repeating: 1, count: number * 400))
        }
        let content = try made.scan()
        made.close()
        let environment = try Environment.reopen(scratch)
        let none = try CheckedPages(count: 1 << 55, path: scratch.data)
        #expect(none.mask == 0)
        environment.checkedPages = none
        for _ in 0..<2 {
            #expect(try environment.scan() == content)
            #expect(try environment.value(Array(3))?.count == 1200)
        }
        environment.close()

        var bytes = Array(try Data(contentsOf: URL(filePath: scratch.data)))
        let size = Int(getpagesize())
        for page in 2..<bytes.count / size where bytes[page * size + 10] == UInt8(PageFlags.leaf) {
            // The tree of tables is read when the file is opened.
            let nodeCount = (Int(bytes[page * size + 12]) - MetaPage.headerByteCount) / 2
            if nodeCount > 2 { bytes[page * size + 14] ^= 2 }
        }
        try Data(bytes).write(to: URL(filePath: scratch.data))
        let damaged = try Environment.reopen(scratch)
        damaged.checkedPages = none
        #expect(code { _ = try damaged.scan() } == .corrupted)
        #expect(code { _ = try damaged.scan() } == .corrupted)
    }

    #if os(Linux)
        @Test func `a file of petabytes of nothing is refused without a trap`() async {
            await #expect(processExitsWith: .success) {
                // Other file systems have no files of that length.
                let root = "/dev/shm/reprise-lmdb-\(getpid())"
                guard unsafe mkdir(root, 0o700) == 0 else { return }
                defer { try? FileManager.default.removeItem(atPath: root) }
                let (store, tables) = (root + "/store", ["a"])
                let environment = try Environment.create(
                    at: store,
                    tables: tables,
                    options: .small(16)
                ) { _, _ in }
                try environment.put([1], [1])
                let size = environment.pageByteCount
                environment.close()
                let path = store + "/data.mdb"
                let file = try FileHandle(forUpdating: URL(filePath: path))
                for page in 0..<2 as Range<Int> {
                    try file.seek(toOffset: UInt64(page * size + 136))
                    try file.write(contentsOf: Data(Array(1 << 48).reversed()))
                }
                try file.close()
                guard unsafe truncate(path, off_t((1 << 48) + 1) * off_t(size)) == 0 else { return }
                #expect(
                    code {
                        _ = try Environment.open(at: store, tables: tables, options: .small(16))
                    }
                        == .outOfMemory
                )
            }
        }
    #endif
}
