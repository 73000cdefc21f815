/// The pages of an encrypted file: before every 64 of them one that says how each was encrypted.
///
/// What it says of a page, 64 bytes: a number (4 bytes) and a code (28), and the same for the state before. The code is
/// HMAC-SHA-224 over the encrypted page; the page is AES-256-CBC without padding, and the 16 bytes before its first
/// block are the number, the page's place in the plain file (8 bytes) and zeros. Number 0: never written. When the
/// first code does not fit, but the second does, a write was cut off before the page was written. Source:
/// `encrypted_file_mapping.cpp` and `aes_cryptor.hpp` of realm-core 20.1.5 (Apache-2.0).
struct EncryptedPages {
    static let keyByteCount = 64
    static let pageByteCount = 4096
    private static let pagesPerGroup = 64
    private static let recordByteCount = 64

    private let cipher: AES256
    private let authentication: SHA224.Authentication

    /// - Parameter key: 64 bytes.
    init(_ key: [UInt8]) {
        cipher = AES256(key: Array(key.prefix(32)))
        authentication = SHA224.Authentication(key: Array(key.suffix(32)))
    }

    /// The plain file.
    ///
    /// A page that cannot be decrypted is noted and refused when something in it is needed: a write that was cut off
    /// leaves such pages where nothing refers to them.
    ///
    /// - Parameter progress: called about every four megabytes with how many are done; throwing ends it.
    /// - Throws: `.wrongKey`, `.truncated`, and what `progress` throws.
    /// - Complexity: O(bytes).
    func decrypt(
        _ file: FileImage,
        _ progress: (Int) throws(RealmFileError) -> Void = { _ in }
    ) throws(RealmFileError) -> FileImage {
        let bytes = file.bytes
        // What is left of a page at the end was never completely written.
        let filePageCount = bytes.count / Self.pageByteCount
        let groupPageCount = Self.pagesPerGroup + 1
        let pageCount =
            filePageCount / groupPageCount * Self.pagesPerGroup
            + max(0, filePageCount % groupPageCount - 1)
        guard pageCount > 0 else {
            throw RealmFileError(.truncated, "The encrypted file has no page of content.")
        }
        let image = try unsafe FileImage(byteCount: pageCount * Self.pageByteCount) {
            buffer throws(RealmFileError) in
            var unreadable: [Int] = []
            for page in 0..<pageCount {
                let start = page * Self.pageByteCount
                if start % OpeningPart.stepByteCount == 0 { try progress(start) }
                switch try self.page(page, bytes) {
                case .empty: break
                case .unreadable:
                    guard page > 0 else { throw Self.wrongKey }
                    unreadable.append(start)
                case .plain(let plain):
                    unsafe UnsafeMutableRawBufferPointer(
                        rebasing: buffer[start..<start + plain.count]
                    )
                    .copyBytes(from: plain)
                }
            }
            return unreadable
        }
        // With the second half of the key right and the first wrong, pages seem sound and hold nonsense.
        guard FileHeader.isMet(in: image.bytes) else { throw Self.wrongKey }
        return image
    }

    private static var wrongKey: RealmFileError {
        RealmFileError(
            .wrongKey,
            "The file cannot be decrypted with this key, or is no Realm file."
        )
    }

    private enum Page {
        case empty
        case unreadable
        case plain([UInt8])
    }

    private func page(_ page: Int, _ bytes: FileBytes) throws(RealmFileError) -> Page {
        let group = page / Self.pagesPerGroup * (Self.pagesPerGroup + 1)
        let place = page % Self.pagesPerGroup
        let offset = (group + 1 + place) * Self.pageByteCount
        let content = try bytes.slice(at: offset, count: Self.pageByteCount).array
        let record = try bytes.slice(
            at: group * Self.pageByteCount + place * Self.recordByteCount,
            count: Self.recordByteCount
        )
        let number = record.number(UInt32.self, at: 0)
        if number == 0 { return .empty }
        let code = authentication.code(of: content)
        let half = Self.recordByteCount / 2
        let previous = record.number(UInt32.self, at: half)
        var used = number
        if code != (try record.slice(at: 4, count: SHA224.byteCount).array) {
            let earlier = try record.slice(at: half + 4, count: SHA224.byteCount).array
            if previous == 0 || code != earlier {
                return content.allSatisfy({ $0 == 0 }) ? .empty : .unreadable
            }
            used = previous
        }
        // The number and the place, both little-endian, and four zeros.
        let start = UInt64(page * Self.pageByteCount)
        var initial: [UInt8] = []
        for shift in stride(from: 0, to: 32, by: 8) {
            initial.append(UInt8(truncatingIfNeeded: used >> UInt32(shift)))
        }
        for shift in stride(from: 0, to: 64, by: 8) {
            initial.append(UInt8(truncatingIfNeeded: start >> UInt64(shift)))
        }
        initial += [0, 0, 0, 0]
        return .plain(cipher.decryptChain(content, initial: initial))
    }
}
