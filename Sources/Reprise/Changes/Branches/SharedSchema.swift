/// What two stores, or two states of one, both have had: there a number means the same in both, whatever the names are
/// by now.
struct SharedSchema {
    /// Whether one comes from the other in one log, so that this is so for everything.
    let isWholeLog: Bool
    private let description: SchemaDescription?

    /// For two states of one log.
    static let wholeLog = SharedSchema(isWholeLog: true, description: nil)
    /// For stores of whose past not enough is known: only what has the same name is the same.
    static let unknown = SharedSchema(isWholeLog: false, description: nil)

    /// - Parameter description: the schema at the end of the past that both logs begin with.
    init(_ description: SchemaDescription?) {
        self.init(isWholeLog: false, description: description)
    }

    private init(isWholeLog: Bool, description: SchemaDescription?) {
        self.isWholeLog = isWholeLog
        self.description = description
    }

    func has(model number: UInt16) -> Bool {
        isWholeLog || description?.model(number) != nil
    }

    func has(slot: Int, ofModel number: UInt16) -> Bool {
        isWholeLog || description?.model(number)?.attribute(slot: slot) != nil
    }

    func has(relation number: UInt16) -> Bool {
        isWholeLog || description?.relations.contains { $0.number == number } == true
    }
}
