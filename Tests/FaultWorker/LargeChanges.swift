import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc

    /// Takes back and applies changes of all rows of a large store, under a limit on the memory of the process.
    struct LargeChanges {
        private let input: Input
        private let path: String

        init(_ input: Input) {
            self.input = input
            path = input["path"]
        }

        private var ids: [Item.ID] { (0..<input.number("count")).map { Item.ID("item number \($0)") } }

        private var configuration: Store.Configuration {
            var configuration = Store.Configuration()
            if input.number("steps") == 0 {
                configuration.stepwiseChangeCountMin = .max
                configuration.travelByteCountMax = .max
            }
            return configuration
        }

        /// A store of many items.
        private func filledStore() throws -> Store {
            let store = try Store.open(at: path, schema: FaultModels.schema, configuration: configuration)
            try load("load", ids, into: store) { transaction, id in
                try transaction.insert(Item(id: id, name: "The name of \(id) is rather long, as names of items go"))
            }
            return store
        }

        /// Prints each change that was made. Where memory does not suffice the process ends, or the change fails.
        func run() throws {
            let (store, ids) = (try filledStore(), ids)
            try load("edit", ids, into: store) { transaction, id in
                try transaction.update(Item.self, id: id) {
                    $0.amount += 1
                    $0.name += ", and has been edited"
                }
            }
            try store.difference(from: .position(.origin)).write(to: path + ".changes")
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            for correlation in ["edit", "load"] {
                if try store.revert(correlation: correlation).isDone { results.append("\(correlation)\n") }
            }
            if try store.apply(ChangeSet(contentsOf: path + ".changes")).isDone { results.append("file\n") }
            if try store.count(Item.self) == ids.count { results.append("all\n") }
        }

        /// The same of changes in whose way a later change of each row is; then makes an array of what was in the way.
        func runConflicts() throws {
            let (store, ids) = (try filledStore(), ids)
            for round in ["first", "second"] {
                try load(round, ids, into: store) { transaction, id in
                    try transaction.update(Item.self, id: id) {
                        $0.amount += 1
                        $0.name += ", and has been edited, \(round)"
                    }
                }
            }
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            let report = try store.revert(correlation: "first", resolving: .ours)
            if report.settled.count == 2 * ids.count { results.append("values\n") }
            let rows = try store.revert(correlation: "load", resolving: .ours).settled
            if rows.count == ids.count { results.append("rows\n") }
            if Array(report.settled).count == 2 * ids.count { results.append("array\n") }
        }

        /// The same of one list with many entries, whose owner goes by a revert and comes back by a rollback.
        func runList() throws {
            let (store, ids) = (try filledStore(), ids)
            try store.write(CommitContext(correlation: "list")) { try $0.insert(Shelf(id: "all", title: "All")) }
            for _ in 0..<input.number("entries") / ids.count {
                try load("list", ids, into: store) { try $0.append(Shelf.picks, of: "all", $1) }
            }
            let (full, digest) = (try store.resolve(.head), try store.read { $0.digest })
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            if try store.revert(correlation: "list").isDone { results.append("gone\n") }
            try store.rollback(to: .position(full))
            results.append("back\n")
            if try store.read({ $0.digest }) == digest { results.append("all\n") }
        }

        /// The same of as many entries in many lists, each of whose owners goes in a commit of its own.
        func runLists() throws {
            let (store, ids) = (try filledStore(), ids)
            let shelves = (0..<500).map { Shelf.ID("shelf \($0)") }
            try store.write { for id in shelves { try $0.insert(Shelf(id: id, title: "A shelf")) } }
            var count = 0
            for _ in 0..<input.number("entries") / ids.count {
                try load("lists", ids, into: store) { transaction, id in
                    count += 1
                    try transaction.append(Shelf.picks, of: shelves[count % shelves.count], id)
                }
            }
            let (full, digest) = (try store.resolve(.head), try store.read { $0.digest })
            for id in shelves { _ = try store.write { try $0.delete(Shelf.self, id: id) } }
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            try store.rollback(to: .position(full))
            if try store.read({ $0.digest }) == digest { results.append("back\n") }
        }

        /// Merges a branch that has put as many items onto the same shelf as the store.
        func runMerge() throws {
            let store = try Store.open(at: path, schema: FaultModels.schema, configuration: configuration)
            try store.write { try $0.insert(Shelf(id: "all", title: "All")) }
            try store.branch(to: path + ".branch").close()
            let branch = try Store.open(at: path + ".branch", schema: FaultModels.schema)
            for (store, side) in [(store, "x"), (branch, "y")] {
                try load("load", ids, into: store) { transaction, id in
                    let name = "The name of \(id) is rather long, as names of items go"
                    try transaction.insert(Item(id: Item.ID("\(side) \(id)"), name: name, shelf: "all"))
                }
            }
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            if try store.merge(branch).isDone { results.append("merged\n") }
            if try store.count(Item.self) == 2 * ids.count { results.append("all\n") }
        }

        private enum One {
            struct Reading: Model {
                var id: ID
                var note: String
                var value: Double
                static let schema = ModelSchema(
                    "reading",
                    Self.init,
                    .id("id", \.id),
                    .attribute("note", \.note),
                    .attribute("value", \.value)
                )
            }
        }

        private enum Two {
            struct Reading: Model {
                var id: ID
                var note: String
                var value: Int
                static let schema = ModelSchema(
                    "reading",
                    Self.init,
                    .id("id", \.id),
                    .attribute("note", \.note),
                    .attribute("value", \.value)
                )
                .converting("value", from: "value") { (value: Double) in Int(value * 10) }
            }
        }

        /// Rolls back, across a conversion of all rows, to before as many edits.
        func runConversion() throws {
            let ids = (0..<2 * input.number("count")).map { One.Reading.ID("reading number \($0)") }
            let first = try Store.open(at: path, schema: Schema(One.Reading.self))
            try load("load", ids, into: first) { transaction, id in
                try transaction.insert(One.Reading(id: id, note: "The note on \(id), rather long", value: 0.5))
            }
            let full = try first.resolve(.head)
            try load("edit", ids, into: first) { transaction, id in
                try transaction.update(One.Reading.self, id: id) { $0.value += 1 }
            }
            first.close()
            var configuration = Store.Configuration()
            if input.number("steps") == 0 {
                configuration.travelEventCountMax = .max
                configuration.travelByteCountMax = .max
                configuration.convertedRowCountMin = .max
            }
            let store = try Store.open(at: path, schema: Schema(Two.Reading.self), configuration: configuration)
            let results = AcknowledgementFile(path: input["results"])
            try Self.limitMemory(to: input.number("megabytes") << 20)
            try store.rollback(to: .position(full))
            results.append("back\n")
            if try store.count(FetchDescriptor<Two.Reading>().where { $0.value == 5 }) == ids.count {
                results.append("all\n")
            }
        }

        private func load<ID>(
            _ name: String,
            _ ids: [ID],
            into store: Store,
            _ body: (inout WriteTransaction, ID) throws -> Void
        ) throws {
            try store.bulkLoad(CommitContext(correlation: name), memoryByteCount: 16 << 20) { load in
                for start in stride(from: 0, to: ids.count, by: 5000) {
                    try load.batch { transaction in
                        for id in ids[start..<min(start + 5000, ids.count)] { try body(&transaction, id) }
                    }
                }
            }
        }

        /// Forbids the process to take more memory of its own than it has, and so much.
        private static func limitMemory(to byteCount: Int) throws {
            let line = String(decoding: contents(ofFile: "/proc/self/status"), as: UTF8.self)
                .split(separator: "\n").first { $0.hasPrefix("VmData:") }
            guard let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }), words.count > 1,
                let present = Int(words[1])
            else { preconditionFailure("The system tells how much memory the process has.") }
            let bound = rlim_t(present << 10 + byteCount)
            var limit = rlimit(rlim_cur: bound, rlim_max: bound)
            let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
            precondition(result == 0, "The limit can be set.")
        }
    }
#endif
