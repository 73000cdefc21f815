/// Brings bounds of one field into the form of an index component.
struct ComponentEncoder {
    let compiler: FilterCompiler
    let path: FieldPath
    let type: ValueType
    /// How many components the index has, which share the room for text.
    let componentCount: Int

    /// The components of single values.
    ///
    /// `isExact` says that the rows under them have these values and no other: nothing was cut or rounded.
    func points(_ values: [Value]) throws(StoreError) -> (bytes: [[UInt8]], isExact: Bool) {
        var bytes: [[UInt8]] = []
        var isExact = true
        for value in values {
            let component = try encode(value)
            bytes.append(component.bytes)
            if !component.isExact { isExact = false }
        }
        return (bytes, isExact)
    }

    /// The stretch between the bounds, and the places of the conditions that it answers exactly.
    func range(_ bounds: FieldBounds) throws(StoreError) -> (keys: KeyRange, answered: Set<Int>) {
        // Everything that has a value.
        var keys = KeyRange.beginning(with: [1])
        var answered = bounds.presentPlaces
        if let lower = bounds.lower {
            let component = try encode(lower.value)
            let isIncluded = lower.isIncluded || !component.isExact
            keys.lower =
                isIncluded ? component.bytes : KeyRange.successor(of: component.bytes)
            if component.isExact { answered.insert(lower.place) }
        }
        if let upper = bounds.upper {
            let component = try encode(upper.value)
            let isIncluded = upper.isIncluded || !component.isExact
            keys.upper =
                isIncluded ? KeyRange.successor(of: component.bytes) : component.bytes
            if component.isExact { answered.insert(upper.place) }
        }
        if let prefix = bounds.prefix, type == .string || type == .reference {
            let component = try encode(.string(prefix.text))
            // Without the end of the text: two bytes.
            let beginning = KeyRange.beginning(with: Array(component.bytes.dropLast(2)))
            keys = keys.intersection(beginning)
            if component.isExact { answered.insert(prefix.place) }
        }
        return (keys, answered)
    }

    private func encode(_ value: Value) throws(StoreError) -> (bytes: [UInt8], isExact: Bool) {
        let converted = try compiler.converted(value, type, path)
        var encoder = IndexKeyEncoder()
        encoder.begin(index: 0, componentCount: componentCount)
        do {
            let wasCut = try encoder.append(converted, as: type)
            // A double among floats is rounded to the nearest; a float that was cut stands for many texts.
            var wasRounded = false
            if type == .float, case .double(let number) = value {
                wasRounded = Double(Float(number)) != number
            }
            return (unsafe Array(encoder.bytes.dropFirst(2)), !wasCut && !wasRounded)
        } catch {
            throw StoreError(
                .invalidQuery,
                "\(path) cannot be compared with this value: \(error)",
                advice: "Use a value of the attribute's type."
            )
        }
    }
}
