#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Tries out whether the attributes of a declaration stand in the order of the initialiser's parameters (STO-80).
///
/// The compiler checks that the types agree. Two attributes of one type can change places, and then what is stored of
/// one comes back as the other. So the initialiser is called with different values for attributes of one type, and
/// the properties are looked at. Where Reprise can make no two values of a type, as of an enum of texts, its attributes
/// have to stand in the order of the properties in memory, which is that of a memberwise initialiser.
@safe
@usableFromInline
struct ParameterTrial {
    /// An attribute with values to try it with.
    private struct Parameter {
        let type: ObjectIdentifier
        /// Two values, one, or none, with their bytes; no bytes stand for nil.
        let samples: [(value: any Sendable, bytes: [UInt8]?)]
        /// Its number among those of its type.
        var ordinal = 0
        /// The ordinal whose value its property had, or nil once it had one that was given to none.
        var seen: Int? = 0
    }

    private let fields: [Field]
    private var parameters: [Parameter] = []
    private var embeddedMistake: SchemaError?
    private var round = -1
    private var next = 0

    @usableFromInline
    init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Adds the next parameter.
    @usableFromInline
    mutating func add<V: StoredValue>(_ type: V.Type) {
        embeddedMistake = embeddedMistake ?? Self.mistake(inside: type)
        var parameter = Parameter(
            type: ObjectIdentifier(type),
            samples: SampleValues.of(type).map { value in
                (value, value.isNil ? nil : Self.bytes { value.write(to: &$0) })
            }
        )
        parameter.ordinal = parameters.count { $0.type == parameter.type }
        parameters.append(parameter)
    }

    // MARK: Trying

    /// Begins the next round. Returns false when there is none.
    @usableFromInline
    mutating func beginRound() -> Bool {
        guard canTry else { return false }
        round += 1
        next = 0
        let last = parameters.map(\.ordinal).max() ?? 0
        return last >> round > 0
    }

    private var canTry: Bool { parameters.allSatisfy { !$0.samples.isEmpty } }

    /// The value of the next parameter in this round: one of two, by a bit of the parameter's ordinal.
    @usableFromInline
    mutating func value<V: StoredValue>(_ type: V.Type) -> V {
        let parameter = parameters[next]
        next += 1
        let bit = parameter.ordinal >> round & 1
        guard let value = parameter.samples[min(bit, parameter.samples.count - 1)].value as? V else {
            preconditionFailure("A parameter was tried with a value of another type.")
        }
        return value
    }

    /// Looks at the properties of what the initialiser has made.
    @usableFromInline
    mutating func observe(_ instance: UnsafeRawPointer) {
        for (index, field) in fields.enumerated() {
            var isThere = false
            let bytes = Self.bytes { isThere = unsafe field.write(instance, &$0) }
            let found = isThere ? bytes : nil
            let bit = parameters[index].samples.firstIndex { $0.bytes == found }
            parameters[index].seen = parameters[index].seen.flatMap { seen in
                bit.map { seen | $0 << round }
            }
        }
    }

    // MARK: What was found

    /// The first two attributes that have changed places.
    @usableFromInline
    func mistake(in name: String) -> SchemaError? {
        if let embeddedMistake { return embeddedMistake }
        for (index, parameter) in parameters.enumerated() {
            guard isDecided(parameter) else {
                if let later = indexOutOfOrder(before: index) { return untried(name, later, index) }
                continue
            }
            guard let seen = parameter.seen, seen != parameter.ordinal,
                let other = parameters.firstIndex(where: {
                    $0.type == parameter.type && $0.ordinal == seen
                })
            else { continue }
            return exchanged(name, index, other)
        }
        return nil
    }

    private func isDecided(_ parameter: Parameter) -> Bool {
        canTry && parameter.samples.count == 2
    }

    /// The attribute of the same type that stands before one, and whose property stands behind that one's.
    private func indexOutOfOrder(before index: Int) -> Int? {
        guard let offset = fields[index].offset else { return nil }
        return parameters[..<index].indices.last {
            parameters[$0].type == parameters[index].type && fields[$0].offset ?? 0 > offset
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

    private func untried(_ name: String, _ first: Int, _ second: Int) -> SchemaError {
        let untold = canTry ? first : parameters.firstIndex { $0.samples.isEmpty } ?? first
        return SchemaError(
            .exchangedAttributes,
            model: name,
            attribute: fields[first].name,
            message: """
                "\(fields[first].name)" and "\(fields[second].name)" stand in another order than their properties, \
                so what is stored as one may come back as the other. List the attributes in the order of the \
                properties. If the initialiser takes them in this order, make the type of "\(fields[untold].name)" \
                CaseIterable, so that the initialiser can be tried.
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

extension Embedded {
    fileprivate static var orderMistake: SchemaError? {
        embedded.orderMistake(String(describing: Self.self))
    }
}

extension StoredCollection {
    fileprivate static var element: any StoredValue.Type { StoredElement.self }
}

extension StoredMap {
    fileprivate static var value: any StoredValue.Type { StoredElement.self }
}

/// What an optional is made of, for code that does not know its type.
private protocol StoredOptional {
    static var wrapped: any StoredValue.Type { get }
    /// Up to two values: nil is none of them.
    static var wrappedSamples: [any Sendable] { get }
}

extension Optional: StoredOptional where Wrapped: StoredValue {
    static var wrapped: any StoredValue.Type { Wrapped.self }
    static var wrappedSamples: [any Sendable] { SampleValues.of(Wrapped.self).map { Optional($0) } }
}

/// Values of a type that nobody has given, to try an initialiser with.
private enum SampleValues {
    /// Two different values; one or none where no more can be made of the stored type.
    static func of<V: StoredValue>(_ type: V.Type) -> [V] {
        if let optional = V.self as? any StoredOptional.Type {
            let values = optional.wrappedSamples.compactMap { $0 as? V }
            return values.count == 2 ? values : values + ((try? V.readNil()).map { [$0] } ?? [])
        }
        var found: [(value: V, bytes: [UInt8])] = []
        for candidate in candidates(V.valueType) {
            var writer = RowPayloadWriter(capacity: 64)
            guard (try? candidate.write(to: &writer, as: V.valueType)) != nil,
                let value = unsafe try? V.read(writer.bytes)
            else { continue }
            let bytes = unsafe [UInt8](writer.bytes)
            if !found.contains(where: { $0.bytes == bytes }) { found.append((value, bytes)) }
            if found.count == 2 { break }
        }
        if found.count < 2, let type = V.self as? any CaseIterable.Type {
            let cases = firstCases(type).compactMap { $0 as? V }
            if cases.count > found.count { return cases }
        }
        return found.map(\.value)
    }

    private static func firstCases<C: CaseIterable>(_ type: C.Type) -> [Any] {
        Array(type.allCases.prefix(2))
    }

    /// Values of a stored type. An enum of numbers may know only some of them.
    private static func candidates(_ type: ValueType) -> [Value] {
        switch type {
        case .bool: [.bool(false), .bool(true)]
        case .int: (0...16).map { .int($0) }
        case .double: [.double(1), .double(2)]
        case .float: [.float(1), .float(2)]
        case .string: [.string("a"), .string("b")]
        case .data: [.data(Data([1])), .data(Data([2]))]
        case .date:
            [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)].map { .date($0) }
        case .uuid:
            [UInt8(1), 2].map {
                .uuid(UUID(uuid: ($0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)))
            }
        case .decimal: [.decimal(1), .decimal(2)]
        case .list(let element, _): [.list([]), .list(Array(candidates(element).prefix(1)))]
        case .set(let element, _): [.set([]), .set(Array(candidates(element).prefix(1)))]
        case .map(let value, _):
            [.map([]), .map(candidates(value).prefix(1).map { Value.Entry("a", $0) })]
        case .embedded(let fields):
            (0...1).map { number in
                .embedded(
                    fields.compactMap { field in
                        let values = candidates(field.type)
                        return values.isEmpty
                            ? nil : Value.Entry(field.name, values[number % values.count])
                    }
                )
            }
        case .reference: [.reference("a"), .reference("b")]
        }
    }
}
