internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
enum SampleValues {
    /// Different values, ascending: as many as are wanted, or fewer where no more can be made of the stored type.
    static func of<V: StoredValue>(_ type: V.Type, _ count: Int) -> [V] {
        // For one value the casts are spared that look for what is in the optional.
        if V.isOptional, count > 1 { return wrapped(type, count) }
        var found: [V] = []
        var seen: [UInt64] = []
        for candidate in candidates(V.valueType, count) {
            var writer = RowPayloadWriter(capacity: 64)
            guard (try? candidate.write(to: &writer, as: V.valueType)) != nil,
                let value = unsafe try? V.read(writer.bytes)
            else { continue }
            let hash = unsafe XXH64.hash(writer.bytes)
            if !seen.contains(hash) {
                seen.append(hash)
                found.append(value)
            }
            if found.count == count { break }
        }
        if found.count < min(2, count), let type = V.self as? any CaseIterable.Type {
            let cases = firstCases(type, count).compactMap { $0 as? V }
            if cases.count > found.count { return cases }
        }
        if found.isEmpty, V.isOptional { return wrapped(type, count) }
        return found
    }

    private static func wrapped<V: StoredValue>(_ type: V.Type, _ count: Int) -> [V] {
        guard let optional = V.self as? any StoredOptional.Type else { return [] }
        let values = optional.wrappedSamples(count).compactMap { $0 as? V }
        return values.count > 1 ? values : ((try? V.readNil()).map { [$0] } ?? []) + values
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
        letters.reverse()
        return String(decoding: letters, as: UTF8.self)
    }
}
