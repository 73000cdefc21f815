internal import RepriseLog

/// Tries out whether the attributes of a declaration stand in the order of the initialiser's parameters (STO-80).
///
/// The compiler checks that the types agree. Two attributes of one type can change places, and then what is stored of
/// one comes back as the other. So the initialiser is called with a value of its own for each attribute of one type,
/// ascending in the order of the declaration, and the properties are looked at. A type with fewer values, as `Bool`,
/// takes several rounds, of which each tells a digit of the attribute's number. Where Reprise can make no two values of
/// a type, as of an enum of texts, its attributes have to stand in the order of the properties in memory, which is that
/// of a memberwise initialiser.
///
/// An initialiser may also change what it is given. So an exchange counts only where no other property has the same
/// value, and where it shows again when the values descend.
@safe
@usableFromInline
struct ParameterTrial {
    /// The attributes of one type, and values to try them with.
    private struct Kind {
        var count = 0
        let makeSamples: (_ count: Int) -> [(value: any Sendable, bytes: [UInt8]?)]
        /// Different values, ascending, and their bytes; nil has none.
        var values: [any Sendable] = []
        private var bytes: [[UInt8]?] = []
        /// The hashes of these bytes, which are looked through one after the other: the first dictionary of arrays in
        /// a process costs as much as a tenth of opening a store.
        private var hashes: [UInt64] = []

        /// The digits of an ordinal are places of values.
        var base: Int { max(2, min(values.count, count)) }

        func weight(_ round: Int) -> Int { (0..<round).reduce(1) { weight, _ in weight * base } }

        init(makeSamples: @escaping (_ count: Int) -> [(value: any Sendable, bytes: [UInt8]?)]) {
            self.makeSamples = makeSamples
        }

        mutating func prepare() {
            let samples = makeSamples(count)
            values = samples.map(\.value)
            bytes = samples.map(\.bytes)
            hashes = bytes.map { $0?.hash ?? 0 }
        }

        /// The place of a value; nil where it is none of these.
        func place(of sought: [UInt8]?) -> Int? {
            let hash = sought?.hash ?? 0
            return hashes.firstIndex(of: hash).flatMap { bytes[$0] == sought ? $0 : nil }
        }
    }

    private struct Parameter {
        let kind: ObjectIdentifier
        /// Its number among those of its type.
        let ordinal: Int
        /// The ordinal whose value its property had, or nil once it had one that was given to none.
        var seen: Int? = 0
    }

    private let fields: [Field]
    private var kinds: [ObjectIdentifier: Kind] = [:]
    private var parameters: [Parameter] = []
    private var embeddedMistake: SchemaError?
    private var round = -1
    private var isDescending = false
    /// What the ascending values have shown: each attribute with the one whose value it had.
    private var suspicions: [Int: Int] = [:]
    private var next = 0

    @usableFromInline
    init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Adds the next parameter.
    @usableFromInline
    mutating func add<V: StoredValue>(_ type: V.Type) {
        // The casts that look for the parts of a type took an eighth of a process that opens a store and reads a row.
        if embeddedMistake == nil, V.valueType.holdsValues { embeddedMistake = Self.mistake(inside: type) }
        let kind = ObjectIdentifier(type)
        parameters.append(Parameter(kind: kind, ordinal: kinds[kind]?.count ?? 0))
        let field = fields[parameters.count - 1]
        let makeSamples = { (count: Int) -> [(value: any Sendable, bytes: [UInt8]?)] in
            var samples = SampleValues.of(type, count)
            if samples.isEmpty, let fallback = field.fallback(as: type) { samples = [fallback] }
            return samples.map { value in
                (value, value.isNil ? nil : Self.bytes { value.write(to: &$0) })
            }
        }
        kinds[kind, default: Kind(makeSamples: makeSamples)].count += 1
    }

    // MARK: Trying

    /// Begins the next round. Returns false when there is none.
    @usableFromInline
    mutating func beginRound() -> Bool {
        if round < 0 {
            // No two can change places.
            guard kinds.values.contains(where: { $0.count > 1 }) else { return false }
            prepare()
        }
        guard canTry else { return false }
        round += 1
        next = 0
        if hasDigits(round) { return true }
        if isDescending { return false }
        suspicions = exchanges()
        guard !suspicions.isEmpty else { return false }
        isDescending = true
        round = 0
        for index in parameters.indices { parameters[index].seen = 0 }
        return true
    }

    private mutating func prepare() {
        for type in kinds.keys { kinds[type]?.prepare() }
    }

    private var canTry: Bool { kinds.values.allSatisfy { !$0.values.isEmpty } }

    private func hasDigits(_ round: Int) -> Bool {
        kinds.values.contains { $0.count > 1 && $0.weight(round) < $0.count }
    }

    /// The value of the next parameter in this round.
    @usableFromInline
    mutating func value<V: StoredValue>(_ type: V.Type) -> V {
        let parameter = parameters[next]
        next += 1
        guard let kind = kinds[parameter.kind] else {
            preconditionFailure("A parameter was tried that was not added.")
        }
        let digit = own(parameter, kind) / kind.weight(round) % kind.base
        guard let value = kind.values[min(digit, kind.values.count - 1)] as? V else {
            preconditionFailure("A parameter was tried with a value of another type.")
        }
        return value
    }

    /// The number that stands for a parameter: the values ascend with it.
    private func own(_ parameter: Parameter, _ kind: Kind) -> Int {
        isDescending ? kind.count - 1 - parameter.ordinal : parameter.ordinal
    }

    /// Looks at the properties of what the initialiser has made.
    @usableFromInline
    mutating func observe(_ instance: UnsafeRawPointer) {
        for (index, field) in fields.enumerated() {
            var isThere = false
            let bytes = Self.bytes { isThere = unsafe field.write(instance, &$0) }
            guard let kind = kinds[parameters[index].kind], let seen = parameters[index].seen
            else { continue }
            let place = kind.place(of: isThere ? bytes : nil)
            parameters[index].seen = place.map { seen + $0 * kind.weight(round) }
        }
    }

    // MARK: What was found

    /// The attributes that had another one's value, and the one whose it was.
    private func exchanges() -> [Int: Int] {
        let isInPlace = parameters.allSatisfy { parameter in
            guard let kind = kinds[parameter.kind], isDecided(kind) else { return true }
            return parameter.seen == own(parameter, kind)
        }
        if isInPlace { return [:] }
        /// Who had each value, by type and number; nil where several had it.
        var holders: [ObjectIdentifier: [Int: Int]] = [:]
        var owners: [ObjectIdentifier: [Int: Int]] = [:]
        for (index, parameter) in parameters.enumerated() {
            guard let kind = kinds[parameter.kind], isDecided(kind) else { continue }
            owners[parameter.kind, default: [:]][own(parameter, kind)] = index
            if let seen = parameter.seen {
                let isTaken = holders[parameter.kind]?[seen] != nil
                holders[parameter.kind, default: [:]][seen] = isTaken ? -1 : index
            }
        }
        var found: [Int: Int] = [:]
        for (kind, numbers) in holders {
            for (number, index) in numbers where index >= 0 {
                if let owner = owners[kind]?[number], owner != index { found[index] = owner }
            }
        }
        return found
    }

    /// The first two attributes that have changed places.
    @usableFromInline
    func mistake(in name: String) -> SchemaError? {
        if let embeddedMistake { return embeddedMistake }
        let confirmed = isDescending ? exchanges() : [:]
        for (index, parameter) in parameters.enumerated() {
            if kinds[parameter.kind].map(isDecided) != true {
                if let later = indexOutOfOrder(before: index) { return untried(name, later, index) }
            } else if let other = suspicions[index], confirmed[index] == other {
                return exchanged(name, index, other)
            }
        }
        return nil
    }

    private func isDecided(_ kind: Kind) -> Bool { canTry && kind.values.count >= 2 }

    /// The attribute of the same type that stands before one, and whose property stands behind that one's.
    private func indexOutOfOrder(before index: Int) -> Int? {
        guard let offset = fields[index].offset else { return nil }
        return parameters[..<index].indices.last {
            parameters[$0].kind == parameters[index].kind && fields[$0].offset ?? 0 > offset
        }
    }

    private func exchanged(_ name: String, _ first: Int, _ second: Int) -> SchemaError {
        SchemaError(
            .exchangedAttributes,
            model: name,
            attribute: fields[first].name,
            message: """
                "\(fields[first].name)" and "\(fields[second].name)" stand in another order than the parameters of \
                the initialiser: what is stored as one would come back as the other. List the attributes in the \
                order of the parameters.
                """
        )
    }

    private func untried(_ model: String, _ first: Int, _ second: Int) -> SchemaError {
        let untold =
            canTry ? first : parameters.firstIndex { kinds[$0.kind]?.values.isEmpty == true } ?? first
        let name = fields[untold].name
        let advice =
            fields[untold].isCodable
            ? "Or give \"\(name)\" a default: value, so that the initialiser can be tried."
            : "Or, if the initialiser takes them in this order, make the type of \"\(name)\" CaseIterable, so that "
                + "the initialiser can be tried."
        return SchemaError(
            .exchangedAttributes,
            model: model,
            attribute: fields[first].name,
            message: """
                "\(fields[first].name)" and "\(fields[second].name)" stand in another order than their properties, \
                so what is stored as one may come back as the other. Put the properties into the order of the \
                initialiser's parameters, and list the attributes in that order. \(advice)
                """
        )
    }

    private static func bytes(_ write: (inout RowPayloadWriter) -> Void) -> [UInt8] {
        var writer = RowPayloadWriter(capacity: 64)
        write(&writer)
        return unsafe [UInt8](writer.bytes)
    }

    /// What is wrong with the embedded struct that a type is made of.
    private static func mistake(inside type: any StoredValue.Type) -> SchemaError? {
        if let type = type as? any Embedded.Type { return type.orderMistake }
        if let type = type as? any StoredOptional.Type { return mistake(inside: type.wrapped) }
        if let type = type as? any StoredCollection.Type { return mistake(inside: type.element) }
        if let type = type as? any StoredMap.Type { return mistake(inside: type.value) }
        return nil
    }
}

extension Array where Element == UInt8 {
    fileprivate var hash: UInt64 { unsafe withUnsafeBytes { unsafe XXH64.hash($0) } }
}

extension ValueType {
    /// Whether values of the type are made of others.
    fileprivate var holdsValues: Bool {
        switch self {
        case .bool, .int, .double, .float, .string, .data, .date, .uuid, .decimal, .reference: false
        case .list, .set, .map, .embedded: true
        }
    }
}

extension Embedded {
    fileprivate static var orderMistake: SchemaError? {
        let name = String(describing: Self.self)
        if let field = embedded.fields.first(where: { $0.unknown != nil }) {
            return SchemaError(
                .invalidDefault,
                model: name,
                attribute: field.name,
                message: "In an embedded struct nothing can stand for unknown raw values; leave unknown: out."
            )
        }
        return embedded.orderMistake(name)
    }
}

extension StoredCollection {
    fileprivate static var element: any StoredValue.Type { StoredElement.self }
}

extension StoredMap {
    fileprivate static var value: any StoredValue.Type { StoredElement.self }
}
