/// Makes the new values of one row after the other.
struct RowConverter: ~Copyable {
    private let conversions: [(planned: PlannedConversion, isRequired: Bool)]
    private var writer = RowPayloadWriter(capacity: 64)
    /// Those of the last row.
    private(set) var values = SlotValues()

    init(_ conversions: [PlannedConversion], of model: CompiledModel) {
        self.conversions = conversions.sorted { $0.slot < $1.slot }.map { planned in
            (planned, model.attribute(slot: planned.slot)?.isOptional == false)
        }
    }

    var firstAttribute: String { conversions[0].planned.attribute }

    /// - Parameters:
    ///   - oldRevision: the revision of the row where only rows are wanted that were not converted; otherwise nil.
    ///     Where nil may be a newer value, the wanted ones are older than the attribute, or have older values.
    ///   - refuse: is told the attribute that the row cannot have, and why.
    mutating func convert(
        _ payload: RowPayload,
        oldRevision: UInt64?,
        _ refuse: (String, any Error) -> Void
    ) throws {
        values.removeAll()
        for (planned, isRequired) in conversions {
            if unsafe payload.slot(planned.slot) != nil { continue }
            if let oldRevision, !planned.isRequired, oldRevision >= planned.declaration, !planned.hasOrigins(payload) {
                continue
            }
            writer.removeAll()
            do {
                if try planned.append(of: payload, to: &writer) {
                    unsafe values.add(writer.bytes, for: planned.slot)
                } else if isRequired {
                    throw ValueError(.missingValue)
                }
            } catch let error as ValueError where error.code == .missingValue && !isRequired {
                // The function does not take nil, and nil stays nil.
            } catch {
                refuse(planned.attribute, error)
            }
        }
    }
}
