/// How functions of the program make the values of one attribute of the rows of a model.
struct PlannedConversion: Sendable {
    /// A function, and the slots that it reads in the order of its parameters.
    struct Way: Sendable {
        let conversion: Conversion
        let origins: [Int]
        /// Those of them that every row has a value in, unless it is older than they are.
        let required: [Int]
    }

    /// The number of the model in the store.
    let model: UInt16
    /// The slot that gets the values, and the stored name of its attribute.
    let slot: Int
    let attribute: String
    /// Whether a row that lacks a value was not converted: no row may lack one, and no default stands in for it.
    let isRequired: Bool
    /// What made the attribute, and then the functions for what its origins were made of in turn.
    private var ways: [Way]
    /// Whether it is for what is older than the attribute: then the function says what nil and a default become.
    private(set) var isOlder = false
    /// The position of the declaration that has brought the attribute; 0 where nobody asks.
    private(set) var declaration: UInt64 = 0
    /// Whether the rule of the format made it, and each way reads what the one before it was widened from.
    private let isWidening: Bool
    /// The defaults of the origins.
    private let defaults: RowDefaults?

    /// - Parameters:
    ///   - conversion: the function that makes the attribute of its origins.
    ///   - declared: all functions for the model; those that lead to the attribute from what its origins were made of
    ///     convert rows that are older than the origins.
    init(
        _ attribute: AttributeDescription,
        of model: ModelDescription,
        by conversion: Conversion,
        among declared: [Conversion]
    ) {
        self.model = model.number
        slot = attribute.slot
        self.attribute = attribute.name
        isRequired = !attribute.isOptional && attribute.defaultValue == nil
        let ancestry = model.ancestry(of: attribute)
        func way(_ conversion: Conversion, _ origins: [Int]) -> Way {
            let required = ancestry.filter { origins.contains($0.slot) && !$0.isOptional }.map(\.slot)
            return Way(conversion: conversion, origins: origins, required: required)
        }
        let others = declared.filter { $0.attribute == attribute.name }.compactMap { other in
            other.origins(among: ancestry, of: attribute).map { way(other, $0.map(\.slot)) }
        }
        ways = [way(conversion, attribute.origins)] + others.filter { $0.origins != attribute.origins }
        defaults = RowDefaults(ancestry)
        isWidening = false
    }

    /// Widens by the rule of the format (STO-106); nil where that has not made the attribute.
    init?(widening attribute: AttributeDescription, of model: ModelDescription) {
        guard attribute.isWidened else { return nil }
        self.model = model.number
        slot = attribute.slot
        self.attribute = attribute.name
        isRequired = !attribute.isOptional && attribute.defaultValue == nil
        let chain = model.widenings(to: attribute)
        ways = chain.indices.map { place in
            let types = chain[...place].reversed().map(\.type) + [attribute.type]
            let conversion = Conversion(widening: chain[place], to: attribute, through: types)
            return Way(conversion: conversion, origins: [chain[place].slot], required: [chain[place].slot])
        }
        defaults = RowDefaults(chain)
        isWidening = true
    }

    /// The same for rows of a state in which some converted attributes had not come yet: a row has its values where
    /// they were then.
    func reading(before missing: UnconvertedAttributes) -> PlannedConversion {
        var copy = self
        copy.isOlder = missing.isOlder(place)
        copy.declaration = missing.declarations[place] ?? 0
        let place = ways.firstIndex { isThere($0, before: missing) } ?? (isWidening ? ways.count - 1 : 0)
        let way = copy.ways.remove(at: place)
        // Nil in the narrower attribute of then is nil.
        copy.ways = isWidening ? [way] : [way] + copy.ways
        return copy
    }

    /// Whether there is a function, or the rule, for what rows of such a state have.
    func isKnown(before missing: UnconvertedAttributes) -> Bool { ways.contains { isThere($0, before: missing) } }

    private func isThere(_ way: Way, before missing: UnconvertedAttributes) -> Bool {
        !way.origins.contains { missing.contains(ConvertedSlot(model: model, slot: $0)) }
    }

    /// Which attribute it is.
    var place: ConvertedSlot { ConvertedSlot(model: model, slot: slot) }

    /// All slots that the functions read.
    var origins: [Int] { ways.flatMap(\.origins) }
    /// Those that the function reads which comes first.
    var firstOrigins: [Int] { ways[0].origins }

    /// Whether a row has older values. Defaults are none: newer rows would have them as well.
    func hasOrigins(_ row: RowPayload) -> Bool {
        let row = unsafe row.with(nil)
        return origins.contains { unsafe row.slot($0) != nil }
    }

    /// Whether a row without a value was not converted. Where nil may be a newer value, it has older values then.
    func mayMake(of row: RowPayload) -> Bool { isRequired || isOlder || hasOrigins(row) }

    /// The bytes of what a function makes of a row that was not converted; nil where that is nil, or refused.
    func bytes(of row: RowPayload) -> [UInt8]? {
        guard mayMake(of: row) else { return nil }
        var writer = RowPayloadWriter(capacity: 64)
        guard (try? append(of: row, to: &writer)) == true else { return nil }
        return unsafe [UInt8](writer.bytes)
    }

    /// Appends the value that a function makes of a row; false where it is nil.
    ///
    /// - Throws: what the function throws, and `missingValue` where the row has nil and the function does not take it.
    func append(of row: RowPayload, to writer: inout RowPayloadWriter) throws -> Bool {
        let row = unsafe row.with(defaults)
        let way = ways.first { $0.required.allSatisfy { unsafe row.slot($0) != nil } } ?? ways[0]
        return try way.conversion.append(of: row, way.origins, to: &writer)
    }

    /// What a function makes of a row that was not converted, as in a read of the past (STO-86).
    ///
    /// - Throws: `missingValue` where the row has none of the older values, or the function refuses them.
    func value<V: StoredValue>(of row: RowPayload) throws(ValueError) -> V {
        guard mayMake(of: row) else { return try V.readNil() }
        var writer = RowPayloadWriter(capacity: 64)
        let hasValue: Bool
        do {
            hasValue = try append(of: row, to: &writer)
        } catch let error as ValueError where error.code == .missingValue && !isRequired {
            // The function does not take nil, and nil stays nil.
            return try V.readNil()
        } catch {
            throw ValueError(.missingValue)
        }
        return hasValue ? try unsafe V.read(writer.bytes) : try V.readNil()
    }
}

/// An attribute that a function of the program has made, by its model and slot.
struct ConvertedSlot: Hashable, Sendable {
    let model: UInt16
    let slot: Int
}

/// Attributes that conversions have made, and that a state does not have yet.
struct UnconvertedAttributes: Hashable, Sendable {
    /// Those that the state lacks, by the position of the declaration that has brought each; 0 where the store has
    /// never had it.
    private(set) var declarations: [ConvertedSlot: UInt64] = [:]
    /// Those of them that were declared behind the state. Others a rollback has taken from it.
    private var older: Set<ConvertedSlot> = []

    var isEmpty: Bool { declarations.isEmpty }

    func contains(_ place: ConvertedSlot) -> Bool { declarations[place] != nil }

    /// Whether no row of the state can have a newer value of the attribute.
    func isOlder(_ place: ConvertedSlot) -> Bool { older.contains(place) }

    mutating func insert(_ place: ConvertedSlot, declaredAt position: UInt64, isOlder: Bool) {
        declarations[place] = position
        if isOlder { older.insert(place) }
    }
}

extension RowPayload {
    /// The same row with other defaults, which must outlive it.
    @unsafe
    func with(_ defaults: RowDefaults?) -> RowPayload {
        var copy = self
        unsafe copy.defaults = defaults.map { unsafe Unmanaged.passUnretained($0) }
        return copy
    }
}

extension Conversion {
    /// The attributes that the function reads, found by their names, or else by earlier ones, and by their types; nil
    /// where one is not there.
    func origins(
        among attributes: [AttributeDescription],
        of made: AttributeDescription
    ) -> [AttributeDescription]? {
        let found = sources.compactMap { source in
            // The attribute itself may have had another name.
            let names = [source.name] + (source.name == made.name ? made.earlierNames : [])
            let fitting = attributes.filter { $0.type == source.type }
            return names.lazy.compactMap { name in fitting.first { $0.name == name } }.first
                ?? names.lazy.compactMap { name in fitting.first { $0.earlierNames.contains(name) } }.first
        }
        return found.count == sources.count ? found : nil
    }
}

extension ModelDescription {
    /// The attributes that functions made an attribute of, what those were made of, and so on; removed ones too.
    func ancestry(of attribute: AttributeDescription) -> [AttributeDescription] {
        let all = attributes + retiredAttributes
        var found: [AttributeDescription] = []
        var slots = attribute.origins
        while let slot = slots.popLast() {
            guard let origin = all.first(where: { $0.slot == slot }), !found.contains(origin) else { continue }
            found.append(origin)
            slots += origin.origins
        }
        return found
    }

    /// What a widened attribute was made of, what that was widened from, and so on.
    fileprivate func widenings(to attribute: AttributeDescription) -> [AttributeDescription] {
        let all = attributes + retiredAttributes
        var chain: [AttributeDescription] = []
        var last = attribute
        while last.isWidened, let origin = all.first(where: { [$0.slot] == last.origins }) {
            chain.append(origin)
            last = origin
        }
        return chain
    }

    /// How attributes of the model were widened.
    func widenings() -> [PlannedConversion] { attributes.compactMap { PlannedConversion(widening: $0, of: self) } }

    /// The functions that made attributes of the model of older ones, among those that are declared: rows of the past
    /// have only the older ones.
    func conversions(among declared: [Conversion]) -> [PlannedConversion] {
        if declared.isEmpty { return [] }
        let all = attributes + retiredAttributes
        return attributes.compactMap { attribute in
            if attribute.origins.isEmpty || attribute.isWidened { return nil }
            let origins = attribute.origins.compactMap { slot in all.first { $0.slot == slot } }
            let fitting = declared.filter { conversion in
                conversion.attribute == attribute.name && conversion.sources.map(\.type) == origins.map(\.type)
            }
            let named = fitting.first { $0.origins(among: origins, of: attribute)?.map(\.slot) == attribute.origins }
            return (named ?? fitting.first).map {
                PlannedConversion(attribute, of: self, by: $0, among: declared)
            }
        }
    }
}

extension SchemaDescription {
    /// Whether an attribute was widened.
    var hasWidenings: Bool { models.contains { $0.attributes.contains(where: \.isWidened) } }

    /// All attributes that conversions have made, removed ones included: others were made of those in turn.
    var convertedSlots: [ConvertedSlot] {
        models.flatMap { model in
            (model.attributes + model.retiredAttributes).filter { !$0.origins.isEmpty }
                .map { ConvertedSlot(model: model.number, slot: $0.slot) }
        }
    }

    /// The numbers of the indexes of values that conversions make.
    func indexNumbers(of conversions: [PlannedConversion]) -> Set<UInt16> {
        let made = Set(conversions.map(\.place))
        var numbers: Set<UInt16> = []
        for model in models {
            func isMade(_ slot: Int) -> Bool { made.contains(ConvertedSlot(model: model.number, slot: slot)) }
            numbers.formUnion(model.indexes.filter { $0.slots.contains(where: isMade) }.map(\.number))
            if let search = model.search, search.fields.contains(where: { isMade($0.slot) }) {
                numbers.insert(search.number)
            }
        }
        return numbers
    }

    /// How attributes were widened.
    var widenings: [PlannedConversion] { models.flatMap { $0.widenings() } }
}

extension Schema {
    /// The declared functions that made attributes of a store whose schema the declaration agrees with.
    func conversions(in present: SchemaDescription) -> [PlannedConversion] {
        description.models.flatMap { model in
            present.model(named: model.name)?.conversions(among: conversions[model.number] ?? []) ?? []
        }
    }
}
