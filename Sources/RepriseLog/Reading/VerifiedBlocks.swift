/// Remembers the blocks that were hashed last, so that reading event after event from one block, as
/// the history of an entity does, hashes the block once and not once per event.
///
/// A block counts as verified when it lies at the same address, with the same length and the same
/// stored hash. Within one transaction no committed block changes, so nothing more can differ.
final class VerifiedBlocks {
    private struct Entry {
        var address: UInt = 0
        var byteCount = 0
        var hash = Digest256.zero
    }

    private let entryCountLog2: UInt64
    private var entries: [Entry] = []

    /// - Parameter entryCountLog2: how many blocks are remembered, at 48 bytes each: 2 to this power.
    init(entryCountLog2: UInt64) {
        self.entryCountLog2 = entryCountLog2
    }

    /// `bytes` as a block, hashed unless that has been done.
    func block(
        _ bytes: UnsafeRawBufferPointer,
        storedAt key: UInt64
    ) throws(LogError) -> BlockView {
        // Fibonacci hashing spreads the evenly spaced first positions of blocks over the entries.
        let slot = Int((key &* 0x9E37_79B9_7F4A_7C15) &>> (64 - entryCountLog2))
        let address = UInt(bitPattern: bytes.baseAddress)
        if !entries.isEmpty, entries[slot].address == address,
            entries[slot].byteCount == bytes.count
        {
            let block = try unsafe BlockView(bytes, storedAt: key, verifiesHash: false)
            if block.hash == entries[slot].hash { return block }
        }
        let block = try unsafe BlockView(bytes, storedAt: key)
        if entries.isEmpty { entries = Array(repeating: Entry(), count: 1 << entryCountLog2) }
        entries[slot] = Entry(address: address, byteCount: bytes.count, hash: block.hash)
        return block
    }
}
