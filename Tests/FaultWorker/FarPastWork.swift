import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc

    /// Goes to a far past of one copy of a store after the other, with one call to the system that fails in each.
    ///
    /// Ends with the copy in which no call was left to fail.
    struct FarPastWork {
        private let input: Input
        private let path: String
        private let results: AcknowledgementFile

        init(_ input: Input) {
            self.input = input
            path = input["path"]
            results = AcknowledgementFile(path: input["results"])
        }

        /// Rolls back to a snapshot.
        func rollBack() throws {
            try eachCall { store in
                try store.rollback(to: .snapshot("then"))
                return "ok"
            }
        }

        /// Keeps the state of a snapshot as a file.
        func keep() throws {
            try eachCall { store in
                try store.keepState(ofSnapshot: "then")
                return "ok"
            }
        }

        /// Reads a snapshot twice.
        func read() throws {
            try eachCall { store in
                let digests = try (0..<2).map { _ in try store.read(asOf: .snapshot("then")) { $0.digest } }
                return Set(digests).count == 1 ? "\(digests[0])" : "different"
            }
        }

        private func eachCall(_ body: (Store) throws -> String) throws {
            let whole = contents(ofFile: path + "/data.mdb")
            var configuration = Store.Configuration()
            configuration.travelEventCountMax = 0
            configuration.readEventCountMax = 0
            configuration.buildingByteCount = 1
            var number = 0
            while true {
                number += 1
                let copy = "\(path)-\(number)"
                precondition(unsafe mkdir(copy, 0o700) == 0, "The copy can be made.")
                replaceContents(ofFile: copy + "/data.mdb", with: whole)
                let store = try Store.open(at: copy, schema: FaultModels.schema, configuration: configuration)
                DiskCalls.set(
                    .refuse(
                        number: number,
                        code: Int32(input.number("code")),
                        isSticky: input["sticky"] == "yes"
                    )
                )
                var outcome: String
                do { outcome = try body(store) } catch { outcome = SchemaWork.name(error) }
                let count = DiskCalls.count
                DiskCalls.set(.pass)
                store.close()
                results.append("\(number) \(outcome)\n")
                if count < number { return }
            }
        }
    }
#endif
