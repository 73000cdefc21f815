/// A text compared byte for byte.
final class TextNode: FieldNode {
    private let operation: TextOperator
    private let part: [UInt8]

    init(_ field: CompiledField, _ operation: TextOperator, _ part: [UInt8]) {
        self.operation = operation
        self.part = part
        super.init(field)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch operation {
        case .contains: return unsafe bytes.contains(part)
        case .equals: return unsafe part.withUnsafeBytes { unsafe bytes.hasSameBytes(as: $0) }
        case .startsWith:
            guard bytes.count >= part.count else { return false }
            let head = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(part.count))
            return unsafe part.withUnsafeBytes { unsafe head.hasSameBytes(as: $0) }
        case .endsWith:
            guard bytes.count >= part.count else { return false }
            let tail = unsafe UnsafeRawBufferPointer(rebasing: bytes.suffix(part.count))
            return unsafe part.withUnsafeBytes { unsafe tail.hasSameBytes(as: $0) }
        }
    }
}

/// A text compared without regard to case or diacritics (Specs/format/folding.md).
final class FoldedTextNode: FieldNode {
    private let operation: TextOperator
    private let pattern: FoldedPattern

    init(
        _ field: CompiledField,
        _ operation: TextOperator,
        _ text: String,
        _ options: TextOptions
    ) {
        self.operation = operation
        pattern = FoldedPattern(text, TextFolding(options))
        super.init(field)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch operation {
        case .equals: unsafe pattern.equals(bytes)
        case .contains: unsafe pattern.isContained(in: bytes)
        case .startsWith: unsafe pattern.isPrefix(of: bytes)
        case .endsWith: unsafe pattern.isSuffix(of: bytes)
        }
    }
}

extension TextFolding {
    fileprivate init(_ options: TextOptions) {
        self = []
        if options.contains(.caseInsensitive) { insert(.ignoresCase) }
        if options.contains(.diacriticInsensitive) { insert(.ignoresDiacritics) }
    }
}
