/// Values for a row, in the order of its model's attributes.
public struct RowValues: Sendable {
    /// The row.
    public let reference: EntityReference
    /// One for each attribute of the model's description; nil keeps what is there.
    public let values: [Value?]

    /// - Parameters:
    ///   - reference: the row.
    ///   - values: one for each attribute of the model's description; nil keeps what is there.
    public init(_ reference: EntityReference, _ values: [Value?]) {
        self.reference = reference
        self.values = values
    }
}
