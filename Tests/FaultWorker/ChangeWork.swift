import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc

    /// Does one thing of the time machine to a store, with a call to the system that fails, or at which the process
    /// ends.
    struct ChangeWork {
        private let input: Input
        private let path: String

        init(_ input: Input) {
            self.input = input
            path = input["path"]
        }

        /// Prints what came of it, and how many calls there were, into the file of results.
        func run() throws {
            var configuration = Store.Configuration()
            if input.number("steps") == 1 {
                configuration.stepwiseChangeCountMin = 1
                configuration.viewStepByteCount = 4096
                configuration.planByteCount = 4096
            }
            let store = try Store.open(at: path, schema: FaultModels.schema, configuration: configuration)
            let work = try prepared(store)
            let number = input.number("number")
            let code = Int32(input.number("code"))
            DiskCalls.set(code == 0 ? .end(number: number) : .refuse(number: number, code: code, isSticky: false))
            var outcome = "ok"
            do { try work() } catch { outcome = SchemaWork.name(error) }
            let count = DiskCalls.count
            DiskCalls.set(.pass)
            store.close()
            AcknowledgementFile(path: input["results"]).append("\(count) \(outcome)\n")
        }

        /// What is to be done, with all that it needs from the disk beforehand.
        private func prepared(_ store: Store) throws -> () throws -> Void {
            let snapshots = try store.snapshots()
            let edited = snapshots.first { $0.name == "edited" }?.position ?? .origin
            switch input["verb"] {
            case "revert": return { _ = try store.revert(commits: [edited], resolving: .ours) }
            case "undo": return { try store.undo(by: "ada", resolving: .ours) }
            case "restore": return { _ = try store.restore(Shelf.self, id: "gone", resolving: .ours) }
            case "apply":
                let changes = try ChangeSet(contentsOf: path + "/../correction.changes")
                return { _ = try store.apply(changes, resolving: .ours) }
            case "merge":
                let branch = try Store.open(at: path + "-branch", schema: FaultModels.schema)
                return { try store.merge(branch, resolving: .ours) }
            case "branch":
                let path = path
                return { try store.branch(to: path + "-new").close() }
            case "write":
                let changes = try store.difference(from: .snapshot("begin"))
                let path = path
                return { try changes.write(to: path + ".changes") }
            default: exit(64)
            }
        }
    }
#endif
