import Reprise

/// What tests of migrations ask of a store, in short.
extension TemporaryLibrary {
    /// The identifiers of a model's rows.
    func ids(of model: String) throws -> [String] {
        try store.read { try $0.records(RecordQuery(model: model)).map(\.id) }
    }

    func value(_ name: String, of model: String, _ id: String) throws -> Value? {
        try store.read { try $0.record(model: model, id: id)?[name] }
    }

    /// What a list has, in its order.
    func members(_ list: String, of model: String, _ id: String) throws -> [String] {
        try store.read { try $0.entries(of: list, model: model, id: id).map(\.target) }
    }

    /// Does by hand what no migration does.
    func write(_ body: (inout WriteTransaction) throws -> Void) throws {
        _ = try store.write { try body(&$0) }
    }
}
