import Reprise

/// `reprise verify`: checks a store's structure, log and views against each other, in this process.
///
/// A damaged file can kill the process that maps it; ``SupervisedVerifyCommand`` guards against that.
struct VerifyCommand: Command {
    var store: StoreLocation
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let verdict = try verdict(&console)
        try verdict.show(isJSON: isJSON, in: &console)
        return verdict.faults.isEmpty ? .done : .no
    }

    private func verdict(_ console: inout Console) throws -> Verdict {
        let progress = console.progress("Verifying", unit: "event")
        let interruption = console.interruption
        defer { progress.finish() }
        do {
            // It checks the pages itself, and names what it finds.
            let report = try store.open(for: .reading, checkedByteCountMax: 0) { store in
                try store.verify { progress.note($0, interruption) }
            }
            return Verdict(report)
        } catch let error as StoreError where error.code.isDamage {
            // A file too damaged to be opened is a fault that was found.
            return Verdict(
                faults: [
                    .init(kind: "\(error.code)", place: store.path, message: error.message)
                ]
            )
        }
    }
}
