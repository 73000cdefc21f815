import FaultSupport
import Reprise

/// Uses copies of a store whose declarations are damaged under right checksums, and writes down what came of each.
struct DamagedDeclarations {
    private let original: String
    private let work: String
    private let seed: UInt64
    private let range: Range<Int>
    /// Which declaration is damaged; 0 is the first one.
    private let declaration: Int
    private let results: AcknowledgementFile

    init(_ input: Input) {
        original = input["original"]
        work = input["work"]
        seed = UInt64(input.number("seed"))
        range = input.number("from")..<input.number("to")
        declaration = input.number("declaration")
        results = AcknowledgementFile(path: input["results"])
    }

    func run() throws {
        let whole = contents(ofFile: original)
        for number in range {
            results.append("\(number) begins\n")
            replaceContents(ofFile: work + "/data.mdb", with: whole)
            var body: [UInt8] = []
            try StoreSurgery.editDeclaration(declaration, at: work) { bytes in
                DeclarationDamage(seed: seed, number: number).apply(to: &bytes)
                body = bytes
            }
            let damaged = contents(ofFile: work + "/data.mdb")
            results.append("\(number) decoding \(Self.outcome { _ = try SchemaDescription(decoding: body) })\n")
            for (name, schema) in [("two", Archive.Two.schema), ("one", Archive.One.schema)] {
                replaceContents(ofFile: work + "/data.mdb", with: damaged)
                let outcome = Self.outcome { try Store.open(at: work, schema: schema).close() }
                let isUnchanged = contents(ofFile: work + "/data.mdb") == damaged
                results.append("\(number) \(name) \(outcome)\(isUnchanged ? "" : " and changed")\n")
            }
            replaceContents(ofFile: work + "/data.mdb", with: damaged)
            results.append("\(number) use \(Self.outcome(use))\n")
        }
    }

    /// Everything that a tool asks, each of which may be refused.
    private func use() throws {
        let store = try Store.open(existing: work)
        defer { store.close() }
        var untyped: (any Error)?
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { if !(error is StoreError) { untyped = error } }
        }
        attempt { _ = try store.statistics() }
        attempt { _ = try store.read { try $0.schemaDeclarations() } }
        attempt {
            try store.read { transaction in
                for model in transaction.schema.models {
                    _ = try transaction.records(RecordQuery(model: model.name))
                }
                try transaction.forEachCommit { _ in true }
            }
        }
        attempt { try store.read(asOf: .position(Position(rawValue: 1))) { _ = $0.counts } }
        attempt { _ = try store.verify() }
        attempt { try store.write { _ = try $0.delete(EntityReference(model: "card", id: "card-1")) } }
        attempt { _ = try store.rollback(to: .position(Position(rawValue: 3))) }
        attempt { _ = try store.replay() }
        if let untyped { throw untyped }
    }

    /// "ok", or the code of the error; whether it says what to do.
    private static func outcome(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "ok"
        } catch let error as StoreError {
            return "\(error.code) \(error.advice.isEmpty ? "without" : "with") advice"
        } catch let error as SchemaError {
            return "\(error.code)"
        } catch {
            return "untyped \(error)"
        }
    }
}
