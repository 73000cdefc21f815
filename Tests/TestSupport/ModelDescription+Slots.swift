public import Reprise

extension ModelDescription {
    /// A model with a slot for each attribute, in this order.
    ///
    /// - Parameter unique: the slots of what must be unique together, for each index.
    public init(
        _ number: UInt16,
        _ name: String,
        _ attributes: [(name: String, type: ValueType, isOptional: Bool)],
        unique: [[Int]] = []
    ) {
        self.init(
            number: number,
            name: name,
            version: 1,
            slotCount: attributes.count,
            attributes: attributes.enumerated().map { slot, attribute in
                AttributeDescription(
                    slot: slot,
                    name: attribute.name,
                    type: attribute.type,
                    isOptional: attribute.isOptional
                )
            },
            indexes: unique.enumerated().map { place, slots in
                IndexDescription(number: UInt16(place + 1), slots: slots, isUnique: true)
            }
        )
    }
}
