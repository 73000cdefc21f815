import FaultSupport
import Reprise

/// Reads and verifies damaged copies of a store, and writes down what came of each before and after, so that it is
/// known what a crash belongs to.
struct MutantReading {
    private let original: String
    private let work: String
    private let seed: UInt64
    private let range: Range<Int>
    /// The first mutant was read before, which killed the process: only verify it.
    private let skipsFirstRead: Bool
    private let past: Position
    private let configuration: Store.Configuration
    private let results: AcknowledgementFile

    init(_ input: Input) {
        original = input["original"]
        work = input["work"]
        seed = UInt64(input.number("seed"))
        range = input.number("from")..<input.number("to")
        skipsFirstRead = input["skip"] == "yes"
        configuration = Store.Configuration(
            checkedAtOpeningByteCountMax: input.number("checked")
        )
        past = Position(rawValue: UInt64(input.number("past")))
        results = AcknowledgementFile(path: input["results"])
    }

    func run() throws {
        let truth = try readTruth()
        let whole = contents(ofFile: original + "/data.mdb")
        for number in range {
            var bytes = whole
            Mutation(seed: seed, number: number).apply(to: &bytes)
            replaceContents(ofFile: work + "/data.mdb", with: bytes)
            if !(skipsFirstRead && number == range.lowerBound) {
                results.append("\(number) read begins\n")
                results.append("\(number) read \(reading(truth))\n")
            }
            results.append("\(number) verify begins\n")
            results.append("\(number) verify \(verification())\n")
        }
    }

    private func readTruth() throws -> Dump {
        let store = try Store.open(existing: original)
        defer { store.close() }
        return Dump(of: store, past: past)
    }

    private func reading(_ truth: Dump) -> String {
        do {
            let store = try Store.open(existing: work, configuration: configuration)
            defer { store.close() }
            let dump = Dump(of: store, past: past)
            for error in dump.errors {
                guard let error = error as? StoreError else { return "untyped \(error)" }
                return "error \(error.code)"
            }
            return dump == truth ? "right" : "wrong"
        } catch {
            guard let error = error as? StoreError else { return "untyped \(error)" }
            return "refused \(error.code)"
        }
    }

    private func verification() -> String {
        do {
            let store = try Store.open(existing: work, configuration: configuration)
            defer { store.close() }
            let report = try store.verify()
            return report.isSound ? "sound" : "faults \(report.faults[0].kind)"
        } catch {
            guard let error = error as? StoreError else { return "untyped \(error)" }
            return "refused \(error.code)"
        }
    }
}
