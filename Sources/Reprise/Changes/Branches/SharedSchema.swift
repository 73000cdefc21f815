/// What two stores, or two states of one, both have had: there a number means the same in both, whatever the names are
/// by now.
struct SharedSchema {
    /// Whether one comes from the other in one log, so that this is so for everything.
    let isWholeLog: Bool
    private let description: SchemaDescription?

    /// For two states of one log.
    static let wholeLog = SharedSchema(isWholeLog: true, description: nil)

    /// - Parameter description: the schema at the end of the past that both logs begin with.
    init(_ description: SchemaDescription?) {
        self.init(isWholeLog: false, description: description)
    }

    private init(isWholeLog: Bool, description: SchemaDescription?) {
        self.isWholeLog = isWholeLog
        self.description = description
    }

    func has(model number: UInt16) -> Bool {
        isWholeLog || model(number) != nil
    }

    func has(slot: Int, ofModel number: UInt16) -> Bool {
        if isWholeLog { return true }
        guard let model = model(number) else { return false }
        return (model.attributes + model.retiredAttributes).contains { $0.slot == slot }
    }

    func has(relation number: UInt16) -> Bool {
        if isWholeLog { return true }
        guard let description else { return false }
        return (description.relations + description.retiredRelations).contains { $0.number == number }
    }

    private func model(_ number: UInt16) -> ModelDescription? {
        guard let description else { return nil }
        return (description.models + description.retiredModels).first { $0.number == number }
    }
}
