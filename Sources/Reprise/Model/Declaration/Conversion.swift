/// Makes the value of an attribute from values that older rows have in other attributes (STO-91).
@safe
struct Conversion: Sendable {
    /// One value that a function takes.
    struct Source: Sendable {
        /// The stored name of the attribute.
        let name: String
        let type: ValueType
        let isOptional: Bool
    }

    /// The most values that a function takes.
    static let sourceCountMax = 16

    /// The stored name of the attribute that gets the values.
    let attribute: String
    let sources: [Source]
    let type: ValueType
    let isOptional: Bool
    private let write: Write

    /// Appends the new value; false where it is nil.
    typealias Write = @Sendable ([UnsafeRawBufferPointer?], inout RowPayloadWriter) throws -> Bool

    init(
        attribute: String,
        sources: [Source],
        type: ValueType,
        isOptional: Bool,
        write: @escaping Write
    ) {
        self.attribute = attribute
        self.sources = sources
        self.type = type
        self.isOptional = isOptional
        unsafe self.write = write
    }

    /// Appends the value that the function makes of those in some slots of a row; false where it is nil.
    ///
    /// - Throws: what the function throws, and `missingValue` where the row has nil and the function does not take it.
    func append(
        of row: RowPayload,
        _ origins: [Int],
        to writer: inout RowPayloadWriter
    ) throws -> Bool {
        try unsafe write(origins.map { unsafe row.slot($0) }, &writer)
    }
}

extension ModelSchema {
    /// Says how older rows get the value of an attribute whose type is another one now, or that is made of others
    /// (STO-91).
    ///
    /// ```swift
    /// .converting("stars", from: "stars") { (points: Double) in Int(points) }
    /// .converting("name", from: "first", "last") { (first: String, last: String) in "\(first) \(last)" }
    /// ```
    ///
    /// When a store of an older version is opened, the function is called for each row, and what it makes is written
    /// into the log. The old values stay in the history. A row that the function refuses by throwing forbids the
    /// change; where the attribute is optional, it may return nil. Keep the line for as long as stores of those
    /// versions are about; several lines for one attribute are for several older types.
    ///
    /// - Parameters:
    ///   - name: the stored name of the attribute that gets the values. It is no relationship.
    ///   - sources: the stored names that the older attributes had, one for each parameter of `convert`. Those that are
    ///     declared no more are removed.
    ///   - convert: a pure function: the same values make the same value. It may be called several times for a row,
    ///     also when rows of the past are read, or when a change from before is taken back, compared or merged. It gets
    ///     whatever rows and files of changes have: `Int(exactly:)` refuses what `Int(_:)` would stop the program for.
    public func converting<each Old: StoredValue, New: StoredValue>(
        _ name: String,
        from sources: String...,
        by convert: @escaping @Sendable (repeat each Old) throws -> New
    ) -> Self {
        var types: [(type: ValueType, isOptional: Bool)] = []
        repeat types.append(((each Old).valueType, (each Old).isOptional))
        // A count that differs is found when the schema is made.
        let named = types.enumerated().map { place, type in
            Conversion.Source(
                name: place < sources.count ? sources[place] : "",
                type: type.type,
                isOptional: type.isOptional
            )
        }
        let conversion = unsafe Conversion(
            attribute: name,
            sources: named + sources.dropFirst(types.count).map {
                .init(name: $0, type: .reference, isOptional: false)
            },
            type: New.valueType,
            isOptional: New.isOptional,
            write: { values, writer in
                var reader = unsafe ConversionReader(values)
                let value = try convert(repeat try reader.next((each Old).self))
                if value.isNil { return false }
                value.write(to: &writer)
                if writer.hasFailed { throw ValueError(.unencodable, attribute: name) }
                return true
            }
        )
        return adding { $0.conversions.append(conversion) }
    }
}

/// Hands the values of a row to the parameters of a function, one after the other.
@safe
private struct ConversionReader {
    private let values: [UnsafeRawBufferPointer?]
    private var place = 0

    init(_ values: [UnsafeRawBufferPointer?]) {
        unsafe self.values = values
    }

    mutating func next<V: StoredValue>(_ type: V.Type) throws(ValueError) -> V {
        defer { place += 1 }
        guard let bytes = unsafe values[place] else { return try V.readNil() }
        return try unsafe V.read(bytes)
    }
}
