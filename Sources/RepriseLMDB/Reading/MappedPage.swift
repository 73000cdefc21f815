/// A branch or leaf page in the map that has been checked, or was written by a process that had checked the file.
///
/// Nothing here looks at bounds again: ``NodePage`` has. Layout: Specs/format/files.md.
@safe
struct MappedPage {
    let start: UnsafeRawPointer

    var flags: UInt16 { unsafe start.loadUnaligned(fromByteOffset: 10, as: UInt16.self) }

    var number: UInt64 { unsafe start.load(as: UInt64.self) }

    @inline(__always)
    var nodeCount: Int {
        let lower = unsafe Int(start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        return (lower - MetaPage.headerByteCount) >> 1
    }

    @inline(__always)
    func node(_ index: Int) -> MappedNode {
        let place = MetaPage.headerByteCount + 2 * index
        let offset = unsafe Int(start.loadUnaligned(fromByteOffset: place, as: UInt16.self))
        return unsafe MappedNode(start: start + offset)
    }

    /// The first node from `first` on whose key is not less than `key`, which may be the one after the last, and
    /// whether it is the key's.
    @inline(__always)
    func search(_ key: SearchKey, from first: Int) -> (index: Int, isEqual: Bool) {
        var (low, high) = (first, nodeCount)
        while low < high {
            let middle = (low + high) >> 1
            let order = key.order(of: node(middle))
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The node of a branch under which `key` is, if it is anywhere. The first one's own key counts as the least.
    @inline(__always)
    func childIndex(_ key: SearchKey) -> Int {
        let (index, isEqual) = search(key, from: 1)
        return isEqual ? index : index - 1
    }
}

/// A node of a ``MappedPage``.
@safe
struct MappedNode {
    static let headerByteCount = 8

    let start: UnsafeRawPointer

    @inline(__always)
    var flags: UInt16 { unsafe start.loadUnaligned(fromByteOffset: 4, as: UInt16.self) }

    @inline(__always)
    var keyByteCount: Int {
        unsafe Int(start.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    }

    @inline(__always)
    var key: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + Self.headerByteCount, count: keyByteCount)
    }

    /// The page under a branch's node.
    @inline(__always)
    var child: UInt64 {
        // The key's length lies in the upper 16 bits.
        unsafe start.loadUnaligned(as: UInt64.self) & 0xFFFF_FFFF_FFFF
    }

    /// The size of a leaf's value.
    @inline(__always)
    var valueByteCount: Int { unsafe Int(start.loadUnaligned(as: UInt32.self)) }

    /// What comes after the key.
    @inline(__always)
    var valueStart: UnsafeRawPointer { unsafe start + Self.headerByteCount + keyByteCount }

    /// The key's first 8 bytes as a number that orders as they do; zeros where it has fewer.
    @inline(__always)
    var keyPrefix: UInt64 {
        // A short key's bytes are the last ones of a word that begins in the node's header: reading past the node could
        // leave the page.
        let count = min(keyByteCount, 8)
        let word = unsafe start.loadUnaligned(fromByteOffset: count, as: UInt64.self)
        return UInt64(bigEndian: word) &<< UInt64(truncatingIfNeeded: 64 - 8 * count)
    }
}
