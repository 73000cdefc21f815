/// A leaf of strings or of binary data, in one of four layouts that its header tells.
///
/// Source: `array_string.cpp`, `array_string_short.hpp`, `array_blobs_small.hpp`, `array_blobs_big.hpp`,
/// `array_blob.cpp` of realm-core 20.1.5 and 5.23.9 (Apache-2.0).
///
/// A class, because the parts of a leaf are large to copy for every value.
final class BytesLeaf {
    private enum Layout {
        /// One record an element; its last byte says how many bytes are not used.
        case short(ArrayNode, isNullable: Bool)
        /// Numbers of strings that the schema lists.
        case enumerated(ArrayNode, [String?])
        /// The ends of the elements in one blob, and which of them are null.
        case middle(
            ends: ArrayNode,
            blob: ArrayNode,
            nulls: ArrayNode?,
            isText: Bool,
            invertsNulls: Bool
        )
        /// A blob for each element.
        case long(ArrayNode, NodeSource, isText: Bool)
    }

    private let layout: Layout
    /// Whether what Realm fills with zeros has to be zero: where a damaged file is salvaged.
    private let demandsZeros: Bool
    /// How many elements.
    let count: Int

    /// - Parameter strings: what the numbers of an enumerated leaf mean.
    init(
        _ node: ArrayNode,
        _ source: NodeSource,
        isText: Bool,
        isNullable: Bool,
        strings: [String?]?
    ) throws(RealmFileError) {
        demandsZeros = source.soundness != nil
        guard node.hasReferences else {
            count = node.count
            if node.measure == .bytes, isText {
                layout = .short(node, isNullable: isNullable)
            } else if let strings {
                layout = .enumerated(try node.checked(as: .integers), strings)
            } else {
                throw RealmFileError(
                    .damaged,
                    "A leaf of strings or data has no known layout.",
                    at: node.offset
                )
            }
            return
        }
        if node.hasContext {
            count = node.count
            layout = .long(try node.checked(as: .references), source, isText: isText)
            return
        }
        guard node.count == 2 || node.count == 3 else {
            throw RealmFileError(
                .damaged,
                "A leaf of strings or data has \(node.count) parts.",
                at: node.offset
            )
        }
        let ends = try source.integers(at: node.requiredReference(at: 0))
        let blob = try source.node(at: node.requiredReference(at: 1)).checked(as: .blob)
        var nulls: ArrayNode?
        if node.count == 3, let reference = try node.reference(at: 2) {
            nulls = try source.integers(at: reference).checked(count: ends.count)
        }
        count = ends.count
        layout = .middle(
            ends: ends,
            blob: blob,
            nulls: nulls,
            isText: isText,
            invertsNulls: isText && source.version.invertsNulls
        )
    }

    /// An element that is text; nil for null.
    func string(at index: Int) throws(RealmFileError) -> String? {
        if case .enumerated(let node, let strings) = layout {
            let number = try node.integer(at: index)
            guard let number = Int(exactly: number), strings.indices.contains(number) else {
                throw RealmFileError(
                    .damaged,
                    "A string has number \(number), which is not listed.",
                    at: node.offset
                )
            }
            return strings[number]
        }
        guard let content = try content(at: index) else { return nil }
        return try Self.text(of: content)
    }

    /// Whether an element is text, and not null; throws where it is neither.
    func isString(at index: Int) throws(RealmFileError) -> Bool {
        if case .enumerated = layout { return try string(at: index) != nil }
        guard let content = try content(at: index) else { return false }
        if case .bytes(let bytes, _) = content, bytes.isASCII { return true }
        _ = try Self.text(of: content)
        return true
    }

    /// An element that is data; nil for null.
    func data(at index: Int) throws(RealmFileError) -> [UInt8]? {
        switch try content(at: index) {
        case .bytes(let bytes, _): bytes.array
        case .pieces(let bytes, _): bytes
        case nil: nil
        }
    }

    private enum Content {
        case bytes(FileBytes, offset: Int)
        case pieces([UInt8], offset: Int)
    }

    private static func text(of content: Content) throws(RealmFileError) -> String {
        let (text, offset): (String?, Int) =
            switch content {
            case .bytes(let bytes, let offset): (bytes.text, offset)
            case .pieces(let bytes, let offset): (String(validating: bytes, as: UTF8.self), offset)
            }
        guard let text else { throw RealmFileError(.damaged, "A string is not UTF-8.", at: offset) }
        return text
    }

    private func content(at index: Int) throws(RealmFileError) -> Content? {
        switch layout {
        case .enumerated(let node, _):
            throw RealmFileError(
                .damaged,
                "There are numbers of strings where data should be.",
                at: node.offset
            )
        case .short(let node, let isNullable):
            let record = try node.record(at: index)
            guard node.width > 0 else {
                return isNullable ? nil : .bytes(record, offset: node.offset)
            }
            let padding = Int(record.number(UInt8.self, at: node.width - 1))
            // Also where none is declared to be: some lists of the files of old.
            if padding == node.width { return nil }
            guard padding < node.width else {
                throw RealmFileError(.damaged, "A short string has no length.", at: node.offset)
            }
            let length = node.width - 1 - padding
            if demandsZeros {
                for place in length..<node.width - 1
                where record.number(UInt8.self, at: place) != 0 {
                    throw Self.noEnd(node.offset)
                }
            }
            return .bytes(try record.slice(at: 0, count: length), offset: node.offset)
        case .middle(let ends, let blob, let nulls, let isText, let invertsNulls):
            let start = index == 0 ? 0 : try Int(clamping: ends.integer(at: index - 1))
            var end = try Int(clamping: ends.integer(at: index))
            // Of null elements, too: ends that only grow hand out no byte twice.
            guard 0 <= start, start <= end, end <= blob.count else {
                throw RealmFileError(.damaged, "An element ends before it begins.", at: ends.offset)
            }
            if let nulls, (try nulls.integer(at: index) != 0) != invertsNulls { return nil }
            if isText {
                guard start < end else { throw Self.noEnd(ends.offset) }
                end -= 1
                if demandsZeros, blob.payload.number(UInt8.self, at: end) != 0 {
                    throw Self.noEnd(ends.offset)
                }
            }
            return .bytes(
                try blob.payload.slice(at: start, count: end - start),
                offset: blob.offset
            )
        case .long(let node, let source, let isText):
            guard let reference = try node.reference(at: index) else { return nil }
            return try Self.blob(at: reference, source, isText: isText)
        }
    }

    private static func noEnd(_ offset: Int) -> RealmFileError {
        RealmFileError(.damaged, "A string has no end.", at: offset)
    }

    /// A blob, or one that was cut into several because it did not fit.
    private static func blob(
        at reference: Int,
        _ source: NodeSource,
        isText: Bool
    ) throws(RealmFileError) -> Content {
        let node = try source.node(at: reference)
        if node.hasContext {
            _ = try node.checked(as: .references)
            var bytes: [UInt8] = []
            for index in 0..<node.count {
                let piece = try source.node(at: node.requiredReference(at: index)).checked(
                    as: .blob
                )
                guard bytes.count + piece.count <= source.bytes.count else {
                    throw RealmFileError(
                        .damaged,
                        "Data is larger than the file.",
                        at: piece.offset
                    )
                }
                bytes.append(contentsOf: piece.payload.array)
            }
            if isText {
                guard let last = bytes.popLast(), last == 0 || source.soundness == nil else {
                    throw noEnd(reference)
                }
            }
            return .pieces(bytes, offset: reference)
        }
        let payload = try node.checked(as: .blob).payload
        if isText {
            guard payload.count > 0,
                source.soundness == nil || payload.number(UInt8.self, at: payload.count - 1) == 0
            else { throw noEnd(reference) }
        }
        return .bytes(
            try payload.slice(at: 0, count: payload.count - (isText ? 1 : 0)),
            offset: reference
        )
    }
}
