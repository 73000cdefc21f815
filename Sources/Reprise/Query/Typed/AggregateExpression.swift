#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value that can be added up.
public protocol SummableValue: StoredValue {
    /// What a sum of them is.
    associatedtype Sum: StoredValue
    /// What an average of them is; nil over no value.
    associatedtype Average: StoredValue
}

extension Int: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension Int64: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension Int32: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension Int16: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension Int8: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension UInt32: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension UInt16: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension UInt8: SummableValue {
    public typealias Sum = Int
    public typealias Average = Double?
}

extension Duration: SummableValue {
    public typealias Sum = Duration
    /// Seconds.
    public typealias Average = Decimal?
}

extension Double: SummableValue {
    public typealias Sum = Double
    public typealias Average = Double?
}

extension Float: SummableValue {
    public typealias Sum = Double
    public typealias Average = Double?
}

extension Decimal: SummableValue {
    public typealias Sum = Decimal
    public typealias Average = Decimal?
}

extension Optional: SummableValue where Wrapped: SummableValue {
    public typealias Sum = Wrapped.Sum
    public typealias Average = Wrapped.Average
}

/// A figure over the rows of a group, with its Swift type. See ``Aggregate`` for what each means.
public struct AggregateExpression<M: Model, Result: StoredValue>: Sendable {
    /// The same by stored names.
    public let aggregate: Aggregate

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    /// How many rows have a value.
    public static func count<V>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == Int {
        AggregateExpression(.countOf([M.storedName(of: property)]))
    }

    /// How many different values there are, nil not counted.
    public static func countDistinct<V>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == Int {
        AggregateExpression(.countDistinct([M.storedName(of: property)]))
    }

    /// The sum of a property; 0 over no value.
    public static func sum<V: SummableValue>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == V.Sum {
        AggregateExpression(.sum([M.storedName(of: property)]))
    }

    /// The average of a property; nil over no value.
    public static func average<V: SummableValue>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == V.Average {
        AggregateExpression(.average([M.storedName(of: property)]))
    }

    /// The least value of a property; nil where there is none.
    public static func min<V>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == V? {
        AggregateExpression(.min([M.storedName(of: property)]))
    }

    /// The least value of a property; nil where there is none.
    public static func min<V>(_ property: KeyPath<M, V?>) -> AggregateExpression
    where Result == V? {
        AggregateExpression(.min([M.storedName(of: property)]))
    }

    /// The greatest value of a property; nil where there is none.
    public static func max<V>(_ property: KeyPath<M, V>) -> AggregateExpression
    where Result == V? {
        AggregateExpression(.max([M.storedName(of: property)]))
    }

    /// The greatest value of a property; nil where there is none.
    public static func max<V>(_ property: KeyPath<M, V?>) -> AggregateExpression
    where Result == V? {
        AggregateExpression(.max([M.storedName(of: property)]))
    }
}

extension AggregateExpression where Result == Int {
    /// How many rows.
    public static var count: AggregateExpression { AggregateExpression(.count) }
}

extension StoredValue {
    /// This type's form of a value that was read without it.
    ///
    /// - Parameter field: the attribute that it is of, if it is of one: what stands there for unknown raw values.
    static func make(from value: Value, of field: Field? = nil) throws -> Self {
        if value.isNull { return try readNil() }
        var writer = RowPayloadWriter(capacity: 64)
        try value.write(to: &writer, as: valueType)
        do throws(ValueError) {
            return try unsafe read(writer.bytes)
        } catch {
            if error.code == .unknownRawValue, let known = field?.unknown?.value(as: Self.self) { return known }
            throw StoreError(
                .invalidValue,
                "A value of the results is none of its Swift type: \(field.map { error.naming($0.name) } ?? error)",
                advice: "Make the Swift type agree with what is stored, or ask by stored names."
            )
        }
    }
}
