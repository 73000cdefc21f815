/// A function that makes the values of one attribute of the rows of a model.
struct PlannedConversion: Sendable {
    /// The number of the model in the store.
    let model: UInt16
    /// The slot that gets the values.
    let slot: Int
    /// The slots that the function reads, in the order of its parameters.
    let origins: [Int]
    let conversion: Conversion

    /// What the function makes of a row that was not converted, as in a read of the past (STO-86).
    ///
    /// - Throws: `missingValue` where the row has none of the older values, or the function refuses them.
    func value<V: StoredValue>(of row: RowPayload) throws(ValueError) -> V {
        guard origins.contains(where: { unsafe row.slot($0) != nil }) else { return try V.readNil() }
        var writer = RowPayloadWriter(capacity: 64)
        let hasValue: Bool
        do {
            hasValue = try conversion.append(of: row, origins, to: &writer)
        } catch {
            throw ValueError(.missingValue)
        }
        return hasValue ? try unsafe V.read(writer.bytes) : try V.readNil()
    }
}

extension ModelDescription {
    /// The functions that made attributes of the model of older ones, among those that are declared: rows of the past
    /// have only the older ones.
    func conversions(among declared: [Conversion]) -> [PlannedConversion] {
        if declared.isEmpty { return [] }
        return attributes.compactMap { attribute in
            if attribute.origins.isEmpty { return nil }
            let types = attribute.origins.map { slot in
                (self.attribute(slot: slot) ?? retiredAttributes.first { $0.slot == slot })?.type
            }
            let conversion = declared.first { conversion in
                conversion.attribute == attribute.name && conversion.sources.map(\.type) == types
            }
            return conversion.map {
                PlannedConversion(
                    model: number,
                    slot: attribute.slot,
                    origins: attribute.origins,
                    conversion: $0
                )
            }
        }
    }
}

extension Schema {
    /// The declared functions that made attributes of a store whose schema the declaration agrees with.
    func conversions(in present: SchemaDescription) -> [PlannedConversion] {
        description.models.flatMap { model in
            present.model(named: model.name)?.conversions(among: conversions[model.number] ?? []) ?? []
        }
    }
}
