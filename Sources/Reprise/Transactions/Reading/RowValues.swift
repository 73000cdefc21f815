/// Values for a row, in the order of its model's attributes.
package struct RowValues: Sendable {
    /// The row.
    package let reference: EntityReference
    /// One for each attribute of the model's description; nil keeps what is there.
    package let values: [Value?]

    /// - Parameters:
    ///   - reference: the row.
    ///   - values: one for each attribute of the model's description; nil keeps what is there.
    package init(_ reference: EntityReference, _ values: [Value?]) {
        self.reference = reference
        self.values = values
    }
}
