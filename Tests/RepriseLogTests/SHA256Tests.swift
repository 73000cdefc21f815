import CSHA256
import RepriseLog
import TestSupport
import Testing

struct SHA256Tests {
    /// NIST, Cryptographic Standards and Guidelines, Examples with Intermediate Values: SHA-256, one block and two; the
    /// others are those of SHA-2's first publication (FIPS 180-2, appendix B) and of its additional examples.
    private static let published: [(message: String, hex: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test func `SHA-256 gives the published digests, by every way`() {
        for (message, hex) in Self.published {
            let bytes = Array(message.utf8)
            unsafe bytes.withUnsafeBytes { raw in
                #expect(unsafe SHA256Hash.digest(of: raw).hex == hex)
                #expect(unsafe digest(raw, by: .fastest).hex == hex)
                #expect(unsafe digest(raw, by: .portable).hex == hex)
            }
        }
    }

    @Test func `SHA-256 takes messages in two and three pieces`() {
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        unsafe Array("abc".utf8).withUnsafeBytes { raw in
            let head = unsafe UnsafeRawBufferPointer(rebasing: raw[..<1])
            let tail = unsafe UnsafeRawBufferPointer(rebasing: raw[1...])
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            #expect(unsafe SHA256Hash.digest(of: head, tail).hex == hex)
            #expect(unsafe SHA256Hash.digest(of: none, head, none, tail).hex == hex)
        }
    }

    /// The expected digest was made by another implementation:
    /// ```
    /// from hashlib import sha256
    /// m = bytes(i * i % 251 for i in range(1001))
    /// print(sha256(b"".join(sha256(m[:n]).digest() for n in range(1001))).hexdigest())
    /// ```
    @Test(arguments: Way.allCases)
    func `SHA-256 agrees with another implementation for every length`(_ way: Way) {
        let message = (0...1_000).map { UInt8($0 * $0 % 251) }
        var digests: [UInt8] = []
        for count in 0...1_000 {
            unsafe message.withUnsafeBytes { raw in
                digests += unsafe digest(.init(rebasing: raw[..<count]), by: way).bytes
            }
        }
        let hex = unsafe digests.withUnsafeBytes { unsafe digest($0, by: way).hex }
        #expect(hex == "29b226b8dabc82e10d9561f38a741ff23b4b4340a96aafe5cf37b1ff6346c2b7")
    }

    @Test func `the ways agree for every length and cut`() {
        var random = SeededGenerator(seed: 180)
        let bytes = random.bytes(300)
        for count in 0...300 {
            unsafe bytes.withUnsafeBytes { raw in
                let whole = unsafe UnsafeRawBufferPointer(rebasing: raw[..<count])
                let expected = unsafe digest(whole, by: .portable)
                for cut in 0...count {
                    let head = unsafe UnsafeRawBufferPointer(rebasing: whole[..<cut])
                    let tail = unsafe UnsafeRawBufferPointer(rebasing: whole[cut...])
                    for way in Way.allCases where unsafe digest(head, tail, by: way) != expected {
                        Issue.record("length \(count) cut at \(cut), \(way)")
                    }
                }
            }
        }
    }

    @Test func `the ways agree for long messages at every alignment`() {
        var random = SeededGenerator(seed: 4)
        let bytes = random.bytes(70_000)
        for start in 0..<16 {
            unsafe bytes.withUnsafeBytes { raw in
                let piece = unsafe UnsafeRawBufferPointer(rebasing: raw[start..<(65_536 + start * 67)])
                let expected = unsafe digest(piece, by: .portable)
                #expect(unsafe digest(piece, by: .fastest) == expected)
                #expect(unsafe SHA256Hash.digest(of: piece) == expected)
            }
        }
    }

    @Test func `a hash goes on after it was asked for its digest, and a copy of it on its own`() {
        unsafe Array("abc".utf8).withUnsafeBytes { raw in
            var hash = SHA256Hash()
            unsafe hash.update(.init(rebasing: raw[..<2]))
            let beginning = hash.digest
            var copy = hash
            unsafe hash.update(.init(rebasing: raw[2...]))
            let whole = unsafe SHA256Hash.digest(of: raw)
            #expect(hash.digest == whole)
            #expect(copy.digest == beginning)
            unsafe copy.update(raw)
            #expect(hash.digest == whole)
        }
    }

    @Test func `a digest's bytes are the digest`() {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        #expect(unsafe bytes.withUnsafeBytes { unsafe Digest256(bytes: $0).bytes } == bytes)
    }
}

/// The code that takes blocks in.
enum Way: CaseIterable {
    case fastest, portable
}

/// The digest of the pieces by CSHA256, also where the log is hashed by CryptoKit.
private func digest(_ pieces: UnsafeRawBufferPointer..., by way: Way) -> Digest256 {
    var hash = reprise_sha256()
    switch way {
    case .fastest: unsafe reprise_sha256_start(&hash)
    case .portable: unsafe reprise_sha256_start_portable(&hash)
    }
    for index in unsafe 0..<pieces.count {
        unsafe reprise_sha256_update(&hash, pieces[index].baseAddress, pieces[index].count)
    }
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe reprise_sha256_finish(&hash, &digest)
    return unsafe digest.withUnsafeBytes { unsafe Digest256(bytes: $0) }
}
