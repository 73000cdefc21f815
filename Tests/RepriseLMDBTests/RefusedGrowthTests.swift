import Foundation
import Synchronization
import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A larger map that the system does not give.
@Suite struct RefusedGrowthTests {
    #if os(Linux)
        @Test func `growth that the system refuses leaves the map that there was`() async {
            await #expect(processExitsWith: .success) {
                let environment = try Environment.scratch(Scratch(), options: .small(256))
                try environment.put([1], [1])
                // The address space that is in use now, and a little.
                let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                let pageCount = Int(text.split(separator: " ")[0])!
                var limit = rlimit()
                unsafe getrlimit(.init(RLIMIT_AS.rawValue), &limit)
                limit.rlim_cur = rlim_t(pageCount * Int(getpagesize()) + (64 << 20))
                #expect(unsafe setrlimit(.init(RLIMIT_AS.rawValue), &limit) == 0)

                let transaction = try environment.beginWrite(room: 300 << 20)
                try transaction.put(environment.table("a"), [2], [2])
                try transaction.commit()
                #expect(try environment.value([1]) == [1])
                #expect(try environment.value([2]) == [2])
                #expect(!environment.isPoisoned)
            }
        }
    #endif

    @Test func `a file that outgrew all address space is refused by name`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch, options: .small())
        try environment.put([1], [1])
        // As if another process had given out so many pages.
        let file = try FileHandle(forUpdating: URL(filePath: scratch.data))
        for page in 0..<2 as Range<Int> {
            try file.seek(toOffset: UInt64(page * environment.pageByteCount + 136))
            try file.write(contentsOf: Data(Array(1 << 36).reversed()))
        }
        try file.close()
        #expect(code { _ = try environment.beginRead() } == .outOfMemory)
        #expect(code { _ = try environment.beginWrite() } == .outOfMemory)
        #expect(!environment.isPoisoned)
    }

    @Test func `an environment that has lost its map is poisoned and not touched`() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            let environment = try Environment.scratch(scratch, options: .small(16))
            try environment.put([1], [1])
            // LMDB's descriptor becomes one that cannot be mapped.
            var (data, other) = (stat(), stat())
            try #require(unsafe stat(scratch.data, &data) == 0)
            let writeOnly = unsafe open("/dev/null", O_WRONLY)
            for descriptor in Int32(3)..<256 where unsafe fstat(descriptor, &other) == 0 {
                if other.st_ino == data.st_ino { #expect(dup2(writeOnly, descriptor) >= 0) }
            }
            #expect(code { _ = try environment.beginWrite(room: 64 << 20) } == .permissionDenied)
            #expect(environment.isPoisoned)
            #expect(code { _ = try environment.beginRead() } == .poisoned)
            #expect(code { _ = try environment.beginWrite() } == .poisoned)
            #expect(code { _ = try environment.statistics() } == .poisoned)
            #expect(!environment.hasRoom(for: 1))
            environment.close()
        }
    }

    /// LMDB has the file open; a read needs no other descriptor.
    @Test func `finding the map needs no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let environment = try Environment.scratch(Scratch(), options: .small(16))
            try environment.put([1], [1])
            #expect(try environment.value([1]) == [1])
            // As after an exchange of the map.
            environment.mapAddress.store(0, ordering: .relaxed)
            var limit = rlimit()
            unsafe getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            #expect(unsafe setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var taken: [Int32] = []
            while case let one = dup(0), one >= 0 { taken.append(one) }
            let found = code { _ = try environment.value([1]) }
            for one in taken { close(one) }
            #expect(!taken.isEmpty)
            #expect(found == nil)
        }
    }
}
