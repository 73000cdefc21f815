/// A key that is looked for, made ready to be compared with many.
@safe
struct SearchKey {
    private let start: UnsafeRawPointer
    private let count: Int
    /// As ``MappedNode/keyPrefix``.
    private let prefix: UInt64

    /// - Parameter key: Not empty; stays where it is while this is used.
    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
        guard let start = key.baseAddress else { preconditionFailure("An empty key is nowhere.") }
        unsafe self.start = unsafe start
        count = key.count
        prefix = unsafe Self.prefix(start, key.count)
    }

    @inline(__always)
    private static func prefix(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 8 { return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for index in 0..<count {
            let byte = unsafe start.load(fromByteOffset: index, as: UInt8.self)
            prefix |= UInt64(byte) << UInt64(56 - 8 * index)
        }
        return prefix
    }

    /// Less than zero when the node's key is less than this one, zero when they are equal.
    @inline(__always)
    func order(of node: MappedNode) -> Int {
        let other = node.keyPrefix
        if other != prefix { return other < prefix ? -1 : 1 }
        return orderBehindPrefix(of: node)
    }

    /// As ``order(of:)``, for keys whose first 8 bytes are the same, or that end before and have only zeros on the one
    /// side where the other has ended.
    @inline(__always)
    private func orderBehindPrefix(of node: MappedNode) -> Int {
        let otherCount = node.keyByteCount
        let shared = min(count, otherCount)
        if shared > 8 {
            let other = unsafe node.start + MappedNode.headerByteCount
            var offset = 8
            while offset < shared {
                // The last word may begin in the one before, whose bytes are equal.
                let place = min(offset, shared - 8)
                let left = unsafe other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                let right = unsafe start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                if left != right { return left.bigEndian < right.bigEndian ? -1 : 1 }
                offset += 8
            }
        }
        return otherCount - count
    }
}
