/// The first 24 bytes of a Realm file: two roots, two versions, and which of them counts.
///
/// Source: `Header` in `alloc_slab.hpp` and `validate_header` in `alloc_slab.cpp` of realm-core 20.1.5 (Apache-2.0).
struct FileHeader {
    static let byteCount = 24
    /// What ends a file that was written from start to end.
    static let footerByteCount = 16
    private static let magic: [UInt8] = Array("T-DB".utf8)
    /// Ends a file that was written from start to end.
    private static let cookie: UInt64 = 0x3034_1252_37E5_26C8

    /// Where the root lies; nil in a file without content.
    let root: Int?
    let version: FormatVersion
    /// Written from start to end, by `writeCopy`, and not by an app at work.
    let isStreamed: Bool

    /// Whether bytes begin like a Realm file.
    static func isMet(in bytes: FileBytes) -> Bool {
        guard bytes.count >= byteCount, let magic = try? bytes.slice(at: 16, count: 4) else {
            return false
        }
        return magic.array == Self.magic
    }

    /// The root that counts, in a file that is as long as it should be.
    init(_ bytes: FileBytes) throws(RealmFileError) {
        guard Self.isMet(in: bytes) else {
            throw RealmFileError(.notARealm, "The file is not a Realm file, or it is encrypted.")
        }
        try self.init(bytes, slot: Self.liveSlot(bytes), mayBeCut: false)
    }

    /// Which of the two roots counts.
    static func liveSlot(_ bytes: FileBytes) -> Int { Int(bytes.number(UInt8.self, at: 23) & 1) }

    /// - Parameters:
    ///   - slot: which of the two roots, 0 or 1.
    ///   - mayBeCut: whether the end of the file may be missing.
    init(_ bytes: FileBytes, slot: Int, mayBeCut: Bool) throws(RealmFileError) {
        let number = Int(bytes.number(UInt8.self, at: 20 + slot))
        var reference = bytes.number(UInt64.self, at: 8 * slot)
        isStreamed = slot == 0 && reference == .max
        if isStreamed {
            guard bytes.count >= Self.byteCount + Self.footerByteCount,
                bytes.number(UInt64.self, at: bytes.count - 8) == Self.cookie
            else {
                throw RealmFileError(.truncated, "The end of the file is missing.", at: bytes.count)
            }
            reference = bytes.number(UInt64.self, at: bytes.count - Self.footerByteCount)
        }
        guard mayBeCut || bytes.count % 8 == 0 else {
            throw RealmFileError(
                .truncated,
                "The file has \(bytes.count) bytes, and not a multiple of eight.",
                at: bytes.count
            )
        }
        if reference == 0 {
            try Self.checkNeverWritten(bytes, slot: slot, isStreamed: isStreamed)
            root = nil
            version = try FormatVersion(number)
            return
        }
        guard number != 0 else {
            throw RealmFileError(
                .damaged,
                "The file has content, but no version of its format.",
                at: 20 + slot
            )
        }
        version = try FormatVersion(number)
        guard let root = Int(exactly: reference), root % 8 == 0, root < bytes.count else {
            throw RealmFileError(
                .truncated,
                "The root lies beyond the end of the file.",
                at: 8 * slot
            )
        }
        self.root = root
    }

    /// Only a file to which nothing was ever written has no root, and realm-core gives it no version of its format
    /// until something is: a zero beside a version, or beside another root, was a root that got lost.
    private static func checkNeverWritten(
        _ bytes: FileBytes,
        slot: Int,
        isStreamed: Bool
    ) throws(RealmFileError) {
        let place = isStreamed ? bytes.count - footerByteCount : 8 * slot
        guard bytes.number(UInt8.self, at: 20 + slot) == 0 else {
            throw RealmFileError(
                .damaged,
                "The file has a version of its format, but its root is zero.",
                at: place
            )
        }
        let other = 1 - slot
        guard
            bytes.number(UInt8.self, at: 20 + other) == 0,
            bytes.number(UInt64.self, at: 8 * other) == 0
        else {
            throw RealmFileError(
                .damaged,
                "The root that counts is zero, though the file has another one.",
                at: place
            )
        }
    }
}
