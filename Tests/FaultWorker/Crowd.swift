import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Many tasks that write one store at once, each commit acknowledged when its write has returned.
struct Crowd {
    private let path: String
    private let acknowledgements: AcknowledgementFile
    private let taskCount: Int
    private let round: Int
    /// The tests' process. Should it end without killing this one, nobody else would.
    private let parent = getppid()

    init(_ input: Input) {
        path = input["path"]
        acknowledgements = AcknowledgementFile(path: input["acknowledgements"])
        taskCount = input.number("tasks")
        round = input.number("first")
    }

    /// Inserts without an end.
    func write() async throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    var number = 0
                    while getppid() == parent {
                        let id = "\(round)-\(task)-\(number)"
                        try await insert(id, into: store, task: task)
                        acknowledgements.append(id + "\n")
                        number += 1
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func insert(_ id: String, into store: Store, task: Int) async throws {
        try await store.write(CommitContext(intent: id)) { transaction in
            try transaction.insert(Item(id: Item.ID(id), name: "Name \(task)"))
            if task % 8 == 0 {
                // What must be found by a query has to be in the tables.
                let own = FetchDescriptor<Item>().where { $0.name == "Name \(task)" }
                let found = try transaction.fetch(own)
                precondition(found.contains { $0.id.rawValue == id }, "A write sees its own.")
            }
        }
    }

    /// Inserts under a limit on the size of files until that is refused.
    func writeUnderLimit() async throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        limit.rlim_max = 4 << 20
        limit.rlim_cur = 4 << 20
        #if canImport(Glibc)
            let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            let result = unsafe setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        precondition(result == 0, "The limit can be set.")
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    for number in 0..<10_000 {
                        let id = "\(task)-\(number)"
                        let note = String(repeating: "x", count: 5000)
                        do {
                            try await store.write {
                                try $0.insert(Item(id: Item.ID(id), name: "Name", note: note))
                            }
                            acknowledgements.append("item \(id)\n")
                        } catch let error as StoreError {
                            acknowledgements.append("refused \(error.code)\n")
                            return
                        } catch {
                            acknowledgements.append("untyped \(error)\n")
                            return
                        }
                    }
                }
            }
        }
    }
}
