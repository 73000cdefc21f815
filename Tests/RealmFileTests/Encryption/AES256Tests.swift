import Testing

@testable import RealmFile

/// Against the vectors of FIPS 197 and NIST SP 800-38A.
struct AES256Tests {
    /// FIPS 197, appendix C.3.
    @Test func `a block is decrypted as FIPS 197 says`() {
        let cipher = AES256(key: Array(0...31))
        #expect(
            cipher.decrypt(bytes("8ea2b7ca516745bfeafc49904b496089"))
                == bytes("00112233445566778899aabbccddeeff")
        )
    }

    /// NIST SP 800-38A, F.2.6.
    @Test func `a chain of blocks is decrypted as SP 800-38A says`() {
        let cipher = AES256(
            key: bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        )
        let input = bytes(
            "f58c4c04d6e5f1ba779eabfb5f7bfbd6" + "9cfc4e967edb808d679f777bc6702c7d"
                + "39f23369a9d9bacfa530e26304231461" + "b2eb05e2c39be9fcda6c19078c6a9d1b"
        )
        let plain = bytes(
            "6bc1bee22e409f96e93d7e117393172a" + "ae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52ef" + "f69f2445df4f9b17ad2b417be66c3710"
        )
        #expect(cipher.decryptChain(input, initial: Array(0...15)) == plain)
    }
}
