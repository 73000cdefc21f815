import Testing

@testable import RepriseLMDB

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

@Suite struct EnvironmentTests {
    @Test func `what a commit wrote is there after opening again`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [10, 11])
        #expect(try environment.value([1]) == [10, 11])
        environment.close()
        let again = try Environment.reopen(scratch)
        #expect(try again.value([1]) == [10, 11])
        #expect(try again.value([2]) == nil)
        try again.checkStructure()
    }

    @Test func `creation commits what its closure wrote`() throws {
        let scratch = Scratch()
        let environment = try Environment.create(at: scratch.store + "/", tables: ["a"]) {
            try $0.put($1["a"]!, [7], [8])
        }
        #expect(try environment.value([7]) == [8])
        #expect(scratch.names == ["store"])
    }

    @Test func `a new environment belongs to its owner alone whatever the umask`() async {
        await #expect(processExitsWith: .success) {
            for mask: mode_t in [0, 0o777] {
                let scratch = Scratch()
                let before = umask(mask)
                let environment = try Environment.scratch(scratch)
                umask(before)
                environment.close()
                var modes: [mode_t] = []
                for path in [scratch.store, scratch.data, scratch.store + "/lock.mdb"] {
                    var status = stat()
                    #expect(unsafe lstat(path, &status) == 0)
                    modes.append(status.st_mode & 0o7777)
                }
                #expect(modes == [0o700, 0o600, 0o600])
            }
        }
    }

    @Test func `a creation that fails leaves nothing behind`() throws {
        struct Interruption: Error {}
        let scratch = Scratch()
        #expect(throws: Interruption.self) {
            _ = try Environment.create(at: scratch.store, tables: ["a"]) { transaction, tables in
                try transaction.put(tables["a"]!, [1], [1])
                throw Interruption()
            }
        }
        #expect(scratch.names == [])
        let environment = try Environment.scratch(scratch)
        #expect(try environment.value([1]) == nil)
    }

    @Test func `a creation cut off by death leaves the target free`() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .signal(SIGKILL)) { [store = scratch.store as String] in
            _ = try Environment.create(at: store, tables: ["a"]) { transaction, tables in
                try transaction.put(tables["a"]!, [1], [1])
                kill(getpid(), SIGKILL)
            }
        }
        #expect(scratch.names.count == 1)
        #expect(scratch.names.first?.hasPrefix(".store.creating-") == true)
        let environment = try Environment.scratch(scratch)
        #expect(try environment.value([1]) == nil)
        #expect(scratch.names == ["store"])
    }

    @Test func `creation takes an empty directory and refuses everything else`() throws {
        let scratch = Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.store,
            withIntermediateDirectories: false
        )
        try Environment.scratch(scratch).close()
        #expect(code { _ = try Environment.scratch(scratch) } == .exists)

        let other = Scratch()
        #expect(FileManager.default.createFile(atPath: other.store, contents: Data([1])))
        #expect(code { _ = try Environment.scratch(other) } == .exists)

        let full = Scratch()
        try FileManager.default.createDirectory(
            atPath: full.store + "/something",
            withIntermediateDirectories: true
        )
        #expect(code { _ = try Environment.scratch(full) } == .exists)
        #expect(full.names == ["store"])

        let orphan = Scratch()
        #expect(
            code { _ = try Environment.create(at: orphan.path + "/x/y", tables: []) { _, _ in } }
                == .noSuchStore
        )
    }

    @Test func `a process opens an environment once, by whatever path`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        #expect(code { _ = try Environment.reopen(scratch) } == .alreadyOpen)
        let link = scratch.path + "/link"
        #expect(unsafe symlink(scratch.store, link) == 0)
        #expect(code { _ = try Environment.open(at: link, tables: ["a"]) } == .alreadyOpen)
        environment.close()
        environment.close()
        let again = try Environment.open(at: link, tables: ["a"])
        #expect(try again.value([1]) == nil)
    }

    @Test func `an environment that is let go can be opened again`() throws {
        let scratch = Scratch()
        do { _ = try Environment.scratch(scratch) }
        for _ in 0..<10 { _ = try Environment.reopen(scratch) }
    }

    @Test func `a closed environment begins nothing`() throws {
        let environment = try Environment.scratch(Scratch())
        environment.close()
        #expect(code { _ = try environment.beginRead() } == .closed)
        #expect(code { _ = try environment.beginWrite() } == .closed)
        #expect(code { _ = try environment.statistics() } == .closed)
        #expect(code { try environment.checkStructure() } != nil)
    }

    @Test func `closing waits for the readers of other threads`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [2])
        try await withThrowingTaskGroup(of: Bool.self) { group in
            let (began, hasBegun) = AsyncStream<Void>.makeStream()
            group.addTask {
                let transaction = try environment.beginRead()
                hasBegun.finish()
                usleep(50_000)
                return try transaction.reader.value(environment.table("a"), [1]) == [2]
            }
            for await _ in began {}
            environment.close()
            for try await wasReadable in group { #expect(wasReadable) }
        }
    }

    @Test func `an environment opened for reading refuses to write`() throws {
        let scratch = Scratch()
        try Environment.scratch(scratch).put([1], [2])
        var options = Environment.Options.small(64)
        options.isReadOnly = true
        let environment = try Environment.reopen(scratch, options: options)
        #expect(try environment.value([1]) == [2])
        #expect(code { _ = try environment.beginWrite() } == .readOnly)
    }

    @Test(.enabled(if: getuid() != 0, "Root passes every permission check."))
    func `what may not be written is a typed error`() throws {
        let scratch = Scratch()
        try Environment.scratch(scratch).close()
        #expect(unsafe chmod(scratch.data, 0o400) == 0)
        #expect(code { _ = try Environment.reopen(scratch) } == .permissionDenied)
        #expect(unsafe chmod(scratch.path, 0o500) == 0)
        defer { unsafe chmod(scratch.path, 0o700) }
        let other = scratch.path + "/other"
        #expect(
            code { _ = try Environment.create(at: other, tables: []) { _, _ in } }
                == .permissionDenied
        )
    }

    @Test func `the map halves until the address space has room for it`() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            var limit = rlimit()
            unsafe getrlimit(.init(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = 40 << 30
            #expect(unsafe setrlimit(.init(RLIMIT_AS.rawValue), &limit) == 0)
            let environment = try Environment.scratch(scratch, options: .init())
            let map = try environment.statistics().mapByteCount
            #expect(map == 32 << 30)
        }
    }
}
