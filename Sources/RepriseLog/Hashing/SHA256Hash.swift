#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CSHA256
#endif

/// SHA-256 (FIPS 180-4) of a message that comes in pieces: CryptoKit where there is one, CSHA256 elsewhere.
package struct SHA256Hash: Sendable {
    #if canImport(CryptoKit)
        private var hash = SHA256()
    #else
        private var hash = reprise_sha256()
    #endif

    /// An empty message.
    package init() {
        #if !canImport(CryptoKit)
            unsafe reprise_sha256_start(&hash)
        #endif
    }

    /// Adds a piece to the message. O(n).
    package mutating func update(_ piece: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            unsafe hash.update(bufferPointer: piece)
        #else
            unsafe reprise_sha256_update(&hash, piece.baseAddress, piece.count)
        #endif
    }

    /// The digest of all pieces so far. More can be added.
    package var digest: Digest256 {
        #if canImport(CryptoKit)
            unsafe hash.finalize().withUnsafeBytes { unsafe Digest256(bytes: $0) }
        #else
            unsafe withUnsafeTemporaryAllocation(byteCount: Digest256.byteCount, alignment: 8) { target in
                unsafe withUnsafePointer(to: hash) { hash in
                    unsafe reprise_sha256_finish(hash, target.baseAddress)
                }
                return unsafe Digest256(bytes: UnsafeRawBufferPointer(target))
            }
        #endif
    }
}

// MARK: - Whole messages

extension SHA256Hash {
    /// The hash of `bytes`. O(n).
    package static func digest(of bytes: UnsafeRawBufferPointer) -> Digest256 {
        var hash = SHA256Hash()
        unsafe hash.update(bytes)
        return hash.digest
    }

    /// The hash of both pieces one after the other, without joining them. O(n).
    package static func digest(
        of first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer
    ) -> Digest256 {
        var hash = SHA256Hash()
        unsafe hash.update(first)
        unsafe hash.update(second)
        return hash.digest
    }

    /// The hash of all pieces one after the other, without joining them. O(n), and one allocation
    /// for the list.
    package static func digest(of pieces: UnsafeRawBufferPointer...) -> Digest256 {
        var hash = SHA256Hash()
        for index in unsafe 0..<pieces.count { unsafe hash.update(pieces[index]) }
        return hash.digest
    }
}
