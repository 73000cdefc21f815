import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens stores with other versions of their schema, in ways that may end this process.
struct SchemaWork {
    private let input: Input
    private let path: String
    private let results: AcknowledgementFile

    init(_ input: Input) {
        self.input = input
        path = input["path"]
        results = AcknowledgementFile(path: input["results"])
    }

    private func open(_ path: String) throws {
        guard input["views"] == "new" else {
            return try Store.open(at: path, schema: Archive.Two.schema).close()
        }
        var configuration = Store.Configuration()
        configuration.convertedRowCountMin = 1
        configuration.viewStepByteCount = 4096
        try Store.open(at: path, schema: Archive.Two.schemaWithoutCode, configuration: configuration).close()
    }

    /// Changes the schema, and says how many microseconds that took.
    func change() throws {
        Ambush.function.lie(behind: input["function"].isEmpty ? .max : input.number("function"))
        Ambush.closure.lie(behind: input["closure"].isEmpty ? .max : input.number("closure"))
        results.append("begins\n")
        let start = ContinuousClock.now
        try open(path)
        results.append("\(Int((ContinuousClock.now - start) / .microseconds(1)))\n")
    }

    /// Opens for reading only, as a user who may not write here.
    func readAsNobody() {
        if getuid() == 0 {
            precondition(setgid(65534) == 0 && setuid(65534) == 0, "Root can become nobody.")
        }
        do {
            try Store.open(at: path, schema: Archive.Two.schema, configuration: .readOnly).close()
            results.append("opened\n")
        } catch { results.append("\(Self.name(error))\n") }
    }

    #if canImport(Glibc)
        /// Changes the schema, and copies every write and sync of the data file to a journal.
        func record() throws {
            let journal = unsafe creat(input["journal"], 0o600)
            precondition(journal >= 0, "The journal can be written.")
            DiskCalls.set(.record(name: "data.mdb", journal: journal))
            try open(path)
            DiskCalls.set(.pass)
            close(journal)
        }

        /// Changes the schema of one copy of a store after the other, with one call to the system that fails in each.
        ///
        /// Ends with the copy in which no call was left to fail.
        func refuse() throws {
            let whole = contents(ofFile: path + "/data.mdb")
            let code = Int32(input.number("code"))
            let isSticky = input["sticky"] == "yes"
            var number = 0
            while true {
                number += 1
                let copy = "\(path)-\(number)"
                precondition(unsafe mkdir(copy, 0o700) == 0, "The copy can be made.")
                replaceContents(ofFile: copy + "/data.mdb", with: whole)
                DiskCalls.set(.refuse(number: number, code: code, isSticky: isSticky))
                var outcome = "ok"
                do { try open(copy) } catch { outcome = Self.name(error) }
                let count = DiskCalls.count
                DiskCalls.set(.pass)
                results.append("\(number) \(outcome)\n")
                if count < number { return }
            }
        }
    #endif

    static func name(_ error: any Error) -> String {
        (error as? StoreError).map { "\($0.code)" } ?? "untyped \(error)"
    }
}

/// One of several processes of different versions of a program, which open one store after the other at the same
/// moment.
///
/// What it has done is a line that begins with the number of the round; the last one of each says how it ended.
struct VersionCrowd {
    private let directory: String
    private let number: Int
    private let version: String
    private let roundCount: Int
    private let results: AcknowledgementFile
    private let parent = getppid()
    private var generator: SeededGenerator

    init(_ input: Input) {
        directory = input["directory"]
        number = input.number("number")
        version = input["version"]
        roundCount = input.number("rounds")
        results = AcknowledgementFile(path: input["results"])
        generator = SeededGenerator(seed: UInt64(input.number("seed")) &* 1000 &+ UInt64(number))
    }

    mutating func run() {
        for round in 0..<roundCount {
            let start = directory + "/start-\(round)"
            guard Starting.wait(for: start, whileChildOf: parent) else { return }
            usleep(UInt32(generator.below(20_000)))
            do {
                try work(round)
                results.append("\(round) ends ok\n")
            } catch {
                results.append("\(round) ends \(SchemaWork.name(error))\n")
            }
        }
    }

    private mutating func work(_ round: Int) throws {
        let path = directory + "/store-\(round)"
        switch version {
        case "one":
            try write(round, Store.open(at: path, schema: Archive.One.schema)) { transaction, code, id in
                try transaction.insert(Archive.first(code, id: id))
            }
        case "more":
            try write(round, Store.open(at: path, schema: Archive.More.schema)) { transaction, code, id in
                try transaction.insert(Archive.more(code, id: id))
            }
        default:
            let newest = version == "two" ? Archive.Two.schema : Archive.Two.schemaWithoutCode
            var configuration = Store.Configuration()
            configuration.convertedRowCountMin = 1
            configuration.viewStepByteCount = 4096
            let store = try Store.open(at: path, schema: newest, configuration: configuration)
            try write(round, store) { transaction, code, id in
                var card = Archive.second(code, id: id)
                card.tag = nil
                try transaction.insert(card)
            }
        }
    }

    /// Writes some cards, each of which is acknowledged, and reads everything after each.
    private mutating func write(
        _ round: Int,
        _ store: Store,
        _ insert: (inout WriteTransaction, Int, String) throws -> Void
    ) throws {
        defer { store.close() }
        for place in 0..<4 {
            let code = 10_000 + 10 * number + place
            let id = "crowd-\(code)"
            try store.write { try insert(&$0, code, id) }
            results.append("\(round) wrote \(code)\n")
            let isThere = try store.read { transaction in
                try transaction.fetchIDs(RecordQuery(model: "card")).contains(id)
            }
            if !isThere { throw Lost(id: id) }
            usleep(UInt32(generator.below(6000)))
        }
    }

    private struct Lost: Error { let id: String }
}
