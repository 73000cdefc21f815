import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system forbids a process, which the tests' own process cannot forbid itself.
struct Limits {
    private let path: String
    private let results: AcknowledgementFile

    init(_ input: Input) {
        path = input["path"]
        results = AcknowledgementFile(path: input["results"])
    }

    /// Writes under a limit on the size of files until that is refused.
    func fileSize() throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        limit.rlim_max = 1 << 20
        limit.rlim_cur = 1 << 20
        #if canImport(Glibc)
            let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            let result = unsafe setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        precondition(result == 0, "The limit can be set.")
        for number in 0..<10_000 {
            do {
                try store.write { transaction in
                    try transaction.insert(
                        Item(
                            id: Item.ID("limited-\(number)"),
                            name: "Name",
                            note: String(repeating: "x", count: 20_000)
                        )
                    )
                }
                results.append("item limited-\(number)\n")
            } catch {
                results.append("refused \(Self.name(error))\n")
                do {
                    try store.write { _ in }
                    results.append("again nothing\n")
                } catch { results.append("again \(Self.name(error))\n") }
                return
            }
        }
    }

    /// Opens as a user who may not write here.
    func openAsNobody() {
        if getuid() == 0 {
            precondition(setgid(65534) == 0 && setuid(65534) == 0, "Root can become nobody.")
        }
        do {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            store.close()
            results.append("opened\n")
        } catch { results.append("refused \(Self.name(error))\n") }
    }

    /// Reads the store of another user. Then begins to copy it, and reads it once more, while that user writes, until a
    /// file is there.
    func readAsNobody(until go: String) {
        if getuid() == 0 {
            precondition(setgid(65534) == 0 && setuid(65534) == 0, "Root can become nobody.")
        }
        do {
            let store = try Store.open(existing: path, configuration: .readOnly)
            defer { store.close() }
            results.append("read \(try store.count(FetchDescriptor<Item>()))\n")
            do {
                // The copy is given up after the user has written. What it throws then says that.
                try store.replay(into: go + ".copy") { _ in
                    do {
                        try store.read { _ in
                            results.append("reading\n")
                            while unsafe access(go, F_OK) != 0 { usleep(1000) }
                        }
                    } catch { results.append("disturbed \(Self.name(error))\n") }
                    return false
                }
            } catch { results.append("copied \(Self.name(error))\n") }
            do {
                _ = try store.count(FetchDescriptor<Item>())
                results.append("later read\n")
            } catch { results.append("later \(Self.name(error))\n") }
        } catch { results.append("refused \(Self.name(error))\n") }
    }

    private static func name(_ error: any Error) -> String {
        (error as? StoreError).map { "\($0.code)" } ?? "untyped \(error)"
    }
}
