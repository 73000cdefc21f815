internal import Crypto

/// SHA-256 (FIPS 180-4) through swift-crypto, which is CryptoKit on Apple's platforms.
package enum SHA256Hash {
    /// The hash of `bytes`. O(n).
    package static func digest(of bytes: UnsafeRawBufferPointer) -> Digest256 {
        var hash = SHA256()
        unsafe hash.update(bufferPointer: bytes)
        return digest(hash.finalize())
    }

    /// The hash of both pieces one after the other, without joining them. O(n).
    package static func digest(
        of first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer
    ) -> Digest256 {
        var hash = SHA256()
        unsafe hash.update(bufferPointer: first)
        unsafe hash.update(bufferPointer: second)
        return digest(hash.finalize())
    }

    /// The hash of all pieces one after the other, without joining them. O(n), and one allocation
    /// for the list.
    package static func digest(of pieces: UnsafeRawBufferPointer...) -> Digest256 {
        var hash = SHA256()
        for index in unsafe 0..<pieces.count { unsafe hash.update(bufferPointer: pieces[index]) }
        return digest(hash.finalize())
    }

    private static func digest(_ hash: SHA256.Digest) -> Digest256 {
        unsafe hash.withUnsafeBytes { unsafe Digest256(bytes: $0) }
    }
}
