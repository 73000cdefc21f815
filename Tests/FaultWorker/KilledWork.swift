import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Work without an end, acknowledged step by step.
struct KilledWork {
    private let path: String
    private let acknowledgements: AcknowledgementFile
    private let first: Int
    private var workload: Workload
    private let memoryByteCount: Int
    /// How many events a rollback goes through in memory; nil is the standard.
    private let travelEventCountMax: Int?
    /// Whether the first bulk load does not end.
    private let staysInLoad: Bool
    /// The tests' process. Should it end without killing this one, nobody else would.
    private let parent = getppid()

    /// `first` is how many steps the store at `path` has had.
    init(_ input: Input) {
        path = input["path"]
        acknowledgements = AcknowledgementFile(path: input["acknowledgements"])
        first = input.number("first")
        workload = Workload(
            seed: UInt64(input.number("seed")),
            changeCountMax: max(1, input.number("changes")),
            hasHistory: input["history"] == "yes"
        )
        memoryByteCount = input.number("memory")
        travelEventCountMax = Int(input["travel"])
        staysInLoad = input["stays"] == "yes"
    }

    private func acknowledge(_ step: Int, _ store: Store) throws {
        let statistics = try store.statistics()
        acknowledge(step, statistics.head, statistics.digest)
    }

    private func acknowledge(_ step: Int, _ head: Position, _ digest: StateDigest) {
        acknowledgements.append(step: step, head: head, digest: digest)
        if getppid() != parent { exit(1) }
    }

    mutating func write() throws {
        workload.advance(to: first)
        var configuration = Store.Configuration()
        if let travelEventCountMax { configuration.travelEventCountMax = travelEventCountMax }
        let store = try Store.open(at: path, schema: FaultModels.schema, configuration: configuration)
        try acknowledge(first, store)
        while true {
            try workload.next().run(on: store)
            try acknowledge(workload.stepCount, store)
        }
    }

    /// Keeps the state of the first snapshot, and removes it.
    func keepStates() throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        let name = try store.snapshots()[0].name
        acknowledgements.append("begun\n")
        while true {
            try store.keepState(ofSnapshot: name)
            try store.pruneCheckpoints(all: true)
            if getppid() != parent { exit(1) }
        }
    }

    mutating func load() throws {
        workload.advance(to: first)
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try acknowledge(first, store)
        while true {
            try store.bulkLoad(memoryByteCount: memoryByteCount) { loader in
                for batch in 0..<8 {
                    guard case .changes(let changes) = workload.next() else { continue }
                    let digest = try loader.batch { transaction in
                        for change in changes { try change.apply(to: &transaction) }
                        return transaction.digest
                    }
                    // The views may lag, and with them the digest that readers see.
                    let head = try store.read { $0.head }
                    acknowledge(workload.stepCount, head, digest)
                    if batch == 5 { try loader.publish() }
                }
                // So that the views are behind when the process is killed, however late that is.
                if staysInLoad { acknowledgements.append("stays\n") }
                while staysInLoad, getppid() == parent { usleep(1000) }
            }
        }
    }

    mutating func replay() throws {
        workload.advance(to: first)
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try acknowledge(first, store)
        while true {
            try workload.next().run(on: store)
            try acknowledge(workload.stepCount, store)
            for _ in 0..<3 { try store.replay() }
        }
    }

    /// Makes one store after the other; `path` is a directory.
    func create() throws {
        var number = first
        while true {
            let store = try Store.open(at: path + "/store-\(number)", schema: FaultModels.schema)
            try acknowledge(number, store)
            store.close()
            number += 1
        }
    }
}

/// A second process on a store.
struct Neighbour {
    private let path: String
    private let acknowledgements: AcknowledgementFile
    private let count: Int

    init(_ input: Input) {
        path = input["path"]
        acknowledgements = AcknowledgementFile(path: input["acknowledgements"])
        count = input.number("count")
    }

    func replay() throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        for number in 0..<count {
            try store.replay()
            acknowledgements.append("replay-\(number)\n")
        }
        store.close()
    }

    func insert() throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        for number in 0..<count {
            try store.write(CommitContext(actor: "neighbour")) { transaction in
                try transaction.insert(
                    Item(id: Item.ID("neighbour-\(number)"), name: "Name \(number % 30)")
                )
            }
            acknowledgements.append("neighbour-\(number)\n")
        }
        store.close()
    }
}
