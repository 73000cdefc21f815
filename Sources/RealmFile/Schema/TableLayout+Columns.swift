/// Classes before version 10: a tree for each column, and rows that are numbered.
///
/// Source: `table.cpp`, `spec.cpp` and `column_*.cpp` of realm-core 5.23.9 (Apache-2.0).
extension TableLayout {
    /// - Parameters:
    ///   - positions: the place among the classes of each place in the file.
    ///   - primaryKey: the name of the property that identifies objects.
    init(
        columnsAt entry: GroupLayout.Entry,
        classIndex: Int,
        _ source: NodeSource,
        positions: [Int: Int],
        primaryKey: String?
    ) throws(RealmFileError) {
        let top = try source.references(at: entry.reference)
        guard top.count == 2 else {
            throw RealmFileError(
                .unsupportedContent,
                "A class has \(top.count) parts where its version has 2: an upgrade of the file was not finished.",
                at: entry.reference
            )
        }
        tableName = entry.name
        tableKey = Int64(entry.position)
        kind = .topLevel
        let spec = try SpecReader(source, at: top.requiredReference(at: 0))
        let columnsReference = try top.requiredReference(at: 1)
        let array = try source.unnoted.references(at: columnsReference)
        var reading = OldColumnReading(spec)
        var columns: [ColumnLayout] = []
        var properties: [RealmClass.Property] = []
        for index in 0..<spec.columnCount {
            guard reading.position < array.count else {
                throw RealmFileError(
                    .unsupportedContent,
                    "Properties have no values: an upgrade of the file was not finished.",
                    at: columnsReference
                )
            }
            let column = try reading.next(index, positions)
            columns.append(column)
            try Self.keep(source, entry.reference)
            if index < spec.nameCount {
                properties.append(try spec.property(index, column, classIndex: classIndex))
            }
        }
        self.columns = columns
        self.properties = properties
        primaryKeyIndex = primaryKey.flatMap { name in
            properties.firstIndex { $0.name.isExactly(name) }
        }
        rows = .columns(at: columnsReference)
        rowCount =
            if let first = columns.first {
                try Self.rowCount(first, array, source)
            } else {
                0
            }
    }

    private static func rowCount(
        _ column: ColumnLayout,
        _ array: ArrayNode,
        _ source: NodeSource
    ) throws(RealmFileError) -> Int {
        let source = source.unnoted
        let root = try array.requiredReference(at: column.position)
        if column.isSplitTimestamp {
            return try SplitTimestamps(source, root: root).seconds.count(
                SplitTimestamps.secondsCount
            )
        }
        return try ElementTree(source, root: root).count { node throws(RealmFileError) in
            try column.part(node, source, ClassDirectory([])).count
        }
    }
}

/// Goes through the columns of a class before version 10, each followed by its index where it has one.
private struct OldColumnReading {
    private let spec: SpecReader
    /// The place of the next column among the arrays.
    private(set) var position = 0
    private var subspec = 0
    private var enumeration = 0

    init(_ spec: SpecReader) {
        self.spec = spec
    }

    mutating func next(
        _ index: Int,
        _ positions: [Int: Int]
    ) throws(RealmFileError) -> ColumnLayout {
        let type = try spec.rawType(index)
        let attributes = try spec.rawAttributes(index)
        let place = position
        position += attributes.contains(.indexed) ? 2 : 1
        let isNullable = attributes.contains(.nullable)
        switch type {
        case RealmValueType.link.rawValue, RawType.linkList:
            let target = try positions[number()] ?? -1
            guard target >= 0 else {
                throw RealmFileError(.damaged, "A link leads to no class.", at: spec.types.offset)
            }
            let isList = type == RawType.linkList
            let element = ElementType(
                kind: isList ? .keys : .links,
                isNullable: !isList,
                strings: nil,
                targetIndex: target
            )
            return ColumnLayout(
                position: place,
                columnKey: Int64(index),
                content: isList ? .list(element) : .single(element),
                otherClass: target
            )
        case RawType.backlink:
            let origin = try positions[number()]
            let column = try number()
            return ColumnLayout(
                position: place,
                columnKey: Int64(index),
                content: .backlinks,
                otherClass: origin,
                originColumnKey: Int64(column)
            )
        case RawType.subtable:
            return ColumnLayout(
                position: place,
                columnKey: Int64(index),
                content: .list(try elementType())
            )
        case RawType.enumeratedString:
            guard let strings = try spec.strings(enumeration) else {
                throw RealmFileError(
                    .damaged,
                    "Numbers of strings are listed nowhere.",
                    at: spec.types.offset
                )
            }
            enumeration += 1
            let element = ElementType(kind: .strings, isNullable: isNullable, strings: strings)
            return ColumnLayout(
                position: place,
                columnKey: Int64(index),
                content: .single(element)
            )
        case RealmValueType.mixed.rawValue:
            throw RealmFileError(
                .unsupportedContent,
                "A property is of the mixed type that Realm had before 2020.",
                at: spec.types.offset
            )
        default:
            let kind = try SpecReader.kind(type, isElement: false, spec.types.offset)
            var column = ColumnLayout(
                position: place,
                columnKey: Int64(index),
                content: .single(ElementType(kind: kind, isNullable: isNullable))
            )
            column.isSplitTimestamp = kind == .timestamps
            return column
        }
    }

    /// The next number beside a column: which class it leads to.
    private mutating func number() throws(RealmFileError) -> Int {
        guard let subspecs = spec.subspecs, subspec < subspecs.count,
            let number = try subspecs.number(at: subspec)
        else { throw RealmFileError(.damaged, "A link leads nowhere.", at: spec.types.offset) }
        subspec += 1
        return Int(clamping: number)
    }

    /// The elements of a list of values, which was a table of one column.
    private mutating func elementType() throws(RealmFileError) -> ElementType {
        guard let subspecs = spec.subspecs, subspec < subspecs.count else {
            throw RealmFileError(.damaged, "A list has elements of no type.", at: spec.types.offset)
        }
        let inner = try SpecReader(spec.source, at: subspecs.requiredReference(at: subspec))
        subspec += 1
        guard inner.columnCount == 1 else {
            throw RealmFileError(
                .unsupportedContent,
                "A property holds tables of \(inner.columnCount) columns, which Realm for Swift never wrote.",
                at: inner.types.offset
            )
        }
        return ElementType(
            kind: try SpecReader.kind(inner.rawType(0), isElement: true, inner.types.offset),
            isNullable: try inner.rawAttributes(0).contains(.nullable)
        )
    }
}
