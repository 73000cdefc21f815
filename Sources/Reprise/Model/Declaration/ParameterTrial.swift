#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
        /// Different values, ascending.
        var values: [any Sendable] = []
        /// The place of a value by its bytes; no bytes stand for nil.
        var places: [[UInt8]?: Int] = [:]

        /// The digits of an ordinal are places of values.
        var base: Int { max(2, min(values.count, count)) }

        func weight(_ round: Int) -> Int { (0..<round).reduce(1) { weight, _ in weight * base } }
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
        for (type, kind) in kinds {
            let samples = kind.makeSamples(max(2, kind.count))
            kinds[type]?.values = samples.map(\.value)
            kinds[type]?.places = Dictionary(
                samples.enumerated().map { ($1.bytes, $0) },
                uniquingKeysWith: min
            )
        }
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
            let place = kind.places[isThere ? bytes : nil]
            parameters[index].seen = place.map { seen + $0 * kind.weight(round) }
        }
    }

    // MARK: What was found

    /// The attributes that had another one's value, and the one whose it was.
    private func exchanges() -> [Int: Int] {
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

/// What an optional is made of, for code that does not know its type.
protocol StoredOptional {
    static var wrapped: any StoredValue.Type { get }
    /// Values, of which nil is none.
    static func wrappedSamples(_ count: Int) -> [any Sendable]
}

extension Optional: StoredOptional where Wrapped: StoredValue {
    static var wrapped: any StoredValue.Type { Wrapped.self }
    static func wrappedSamples(_ count: Int) -> [any Sendable] {
        SampleValues.of(Wrapped.self, count).map { Optional($0) }
    }
}

/// Values of a type that nobody has given, to try an initialiser with.
private enum SampleValues {
    /// Different values, ascending: as many as are wanted, or fewer where no more can be made of the stored type.
    static func of<V: StoredValue>(_ type: V.Type, _ count: Int) -> [V] {
        if V.isOptional, let optional = V.self as? any StoredOptional.Type {
            let values = optional.wrappedSamples(count).compactMap { $0 as? V }
            return values.count > 1 ? values : ((try? V.readNil()).map { [$0] } ?? []) + values
        }
        var found: [V] = []
        var seen: Set<[UInt8]> = []
        for candidate in candidates(V.valueType, count) {
            var writer = RowPayloadWriter(capacity: 64)
            guard (try? candidate.write(to: &writer, as: V.valueType)) != nil,
                let value = unsafe try? V.read(writer.bytes)
            else { continue }
            if seen.insert(unsafe [UInt8](writer.bytes)).inserted { found.append(value) }
            if found.count == count { break }
        }
        if found.count < 2, let type = V.self as? any CaseIterable.Type {
            let cases = firstCases(type, count).compactMap { $0 as? V }
            if cases.count > found.count { return cases }
        }
        return found
    }

    private static func firstCases<C: CaseIterable>(_ type: C.Type, _ count: Int) -> [Any] {
        Array(type.allCases.prefix(count))
    }

    /// Values of a stored type, ascending. Numbers are positive, fractions at most one, texts a letter or a few: an
    /// initialiser may demand so. An enum of numbers may know only some.
    private static func candidates(_ type: ValueType, _ count: Int) -> [Value] {
        let numbers = 1...max(2, count)
        switch type {
        case .bool: return [.bool(false), .bool(true)]
        case .int: return (1...max(16, count)).map { .int($0) } + [.int(0)]
        case .double: return numbers.map { .double(Double($0) / Double(numbers.count)) }
        case .float: return numbers.map { .float(Float($0) / Float(numbers.count)) }
        case .string: return numbers.map { .string(word($0, numbers.count)) }
        case .data: return numbers.map { .data(Data(word($0, numbers.count).utf8)) }
        case .date: return numbers.map { .date(Date(timeIntervalSince1970: Double($0))) }
        case .uuid:
            return numbers.map {
                let (high, low) = (UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF))
                return .uuid(UUID(uuid: (high, low, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)))
            }
        case .decimal: return numbers.map { .decimal(Decimal($0)) }
        case .list(let element, _):
            guard let one = candidates(element, 1).first else { return [.list([])] }
            return (0..<numbers.count).map { .list(Array(repeating: one, count: $0)) }
        case .set(let element, _):
            let elements = candidates(element, count)
            return (0...elements.count).map { .set(Array(elements.prefix($0))) }
        case .map(let value, _):
            guard let one = candidates(value, 1).first else { return [.map([])] }
            return (0..<numbers.count).map { size in
                .map((0..<size).map { Value.Entry(word($0, numbers.count), one) })
            }
        case .embedded(let fields):
            return numbers.map { number in
                .embedded(
                    fields.compactMap { field in
                        let values = candidates(field.type, count)
                        return values.isEmpty
                            ? nil : Value.Entry(field.name, values[(number - 1) % values.count])
                    }
                )
            }
        case .reference: return numbers.map { .reference(word($0, numbers.count)) }
        }
    }

    /// The texts a, b, c and so on, or aa, ab, ac, each as long as the others, so that they ascend.
    private static func word(_ number: Int, _ count: Int) -> String {
        var letters: [UInt8] = []
        var (rest, left) = (number, count)
        repeat {
            letters.append(UInt8(ascii: "a") + UInt8(rest % 26))
            (rest, left) = (rest / 26, left / 26)
        } while left > 0
        return String(decoding: letters.reversed(), as: UTF8.self)
    }
}
