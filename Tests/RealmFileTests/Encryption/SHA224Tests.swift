import Testing

@testable import RealmFile

/// Against the vectors of FIPS 180 and RFC 4231.
struct SHA224Tests {
    @Test(arguments: [
        ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
        ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
        ),
    ])
    func `a short message has the digest that the standard says`(message: String, digest: String) {
        #expect(SHA224.hash(Array(message.utf8)) == bytes(digest))
    }

    @Test func `a million letters have the digest that the standard says`() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA224.hash(message)
                == bytes("20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67")
        )
    }

    /// RFC 4231, test cases 1 to 4; those with longer keys are not for this.
    @Test func `a code is the one that RFC 4231 says`() {
        let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xcd, count: 50),
                "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a"
            ),
        ]
        for (key, message, code) in cases {
            #expect(SHA224.Authentication(key: key).code(of: message) == bytes(code))
        }
    }

    /// RFC 4231, test case 5 is cut to 128 bits.
    @Test func `a code begins as the shortened one of RFC 4231`() {
        let authentication = SHA224.Authentication(key: [UInt8](repeating: 0x0c, count: 20))
        let code = authentication.code(of: Array("Test With Truncation".utf8))
        #expect(Array(code.prefix(16)) == bytes("0e2aea68a90c8d37c988bcdb9fca6fa8"))
    }

    @Test func `one authentication serves several messages`() {
        let authentication = SHA224.Authentication(key: Array("Jefe".utf8))
        let first = authentication.code(of: [1, 2, 3])
        _ = authentication.code(of: [UInt8](repeating: 9, count: 200))
        #expect(authentication.code(of: [1, 2, 3]) == first)
    }
}
