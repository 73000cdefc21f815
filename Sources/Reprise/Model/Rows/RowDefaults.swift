/// The bytes of a model's defaults, which rows lend out in the place of values that they lack (STO-88).
///
/// Made once for a schema, so that reading a row allocates nothing. Its bytes never change after that, so that threads
/// may share them.
@safe
@usableFromInline
final class RowDefaults: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer
    /// Where the bytes of each slot lie; empty for a slot without a default.
    private let ranges: [Range<Int>?]

    /// - Parameter attributes: those of one model; nil where none has a default.
    init?(_ attributes: [AttributeDescription]) {
        var bytes: [UInt8] = []
        var ranges = [Range<Int>?](repeating: nil, count: (attributes.map(\.slot).max() ?? -1) + 1)
        for attribute in attributes {
            guard let content = attribute.defaultBytes else { continue }
            ranges[attribute.slot] = bytes.count..<bytes.count + content.count
            bytes += content
        }
        guard ranges.contains(where: { $0 != nil }) else { return nil }
        self.ranges = ranges
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        unsafe storage.copyBytes(from: bytes)
        unsafe self.storage = storage
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// The default of a slot; nil where it has none. O(1).
    @usableFromInline
    func bytes(_ slot: Int) -> UnsafeRawBufferPointer? {
        guard ranges.indices.contains(slot), let range = ranges[slot] else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[range])
    }
}

extension AttributeDescription {
    /// The slot bytes of the default; nil where there is none, or it is not of the attribute's type.
    var defaultBytes: [UInt8]? {
        guard let defaultValue else { return nil }
        var writer = RowPayloadWriter(capacity: 64)
        do {
            try defaultValue.write(to: &writer, as: type)
        } catch {
            return nil
        }
        return unsafe [UInt8](writer.bytes)
    }
}
