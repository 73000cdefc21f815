/// One of the two pages at the start of a data file, which take turns to name the newest commit.
///
/// Layout: Specs/format/files.md, after LMDB 0.9's `MDB_page`, `MDB_meta` and `MDB_db`.
struct MetaPage: Equatable {
    static let headerByteCount = 16
    /// The bytes that a meta page uses.
    static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let version: UInt32 = 1
    /// The last commit number that is believed. No file comes near it, and LMDB can go on counting from it.
    static let transactionIDMax: UInt64 = 1 << 62
    /// Page sizes that LMDB 0.9 can have, in bytes.
    static let pageByteCounts = 512...32768

    let freeTree: TreeRecord
    let mainTree: TreeRecord
    let pageByteCount: Int
    let lastPage: UInt64
    let transactionID: UInt64

    enum Fault: Error { case notMeta, otherVersion, implausible }

    /// Of no file: nothing is in use.
    static let empty = MetaPage()

    private init() {
        (freeTree, mainTree) = (.empty, .empty)
        (pageByteCount, lastPage, transactionID) = (0, 0, .max)
    }

    /// Reads and checks what one page can tell. `bytes` are at least ``byteCount``; `number` is 0
    /// or 1.
    init(_ bytes: UnsafeRawBufferPointer, number: UInt64) throws(Fault) {
        guard bytes.count >= Self.byteCount,
            unsafe bytes.u16(10) == PageFlags.meta, unsafe bytes.u32(16) == Self.magic
        else { throw .notMeta }
        guard unsafe bytes.u32(20) == Self.version else { throw .otherVersion }
        freeTree = unsafe TreeRecord(bytes, at: 40)
        mainTree = unsafe TreeRecord(bytes, at: 88)
        lastPage = unsafe bytes.u64(136)
        transactionID = unsafe bytes.u64(144)
        // The free tree's padding field holds the page size.
        pageByteCount = Int(freeTree.padding)
        guard Self.pageByteCounts.contains(pageByteCount),
            pageByteCount & (pageByteCount - 1) == 0,
            unsafe bytes.u64(0) == number,
            lastPage >= 1, lastPage < UInt64(Int.max) / UInt64(pageByteCount) - 1,
            freeTree.flags == TreeRecord.integerKeyFlag, mainTree.flags == 0,
            transactionID <= Self.transactionIDMax,
            // Commits take turns; only the first page of a new file and its twin are both 0.
            transactionID == 0 || transactionID & 1 == number
        else { throw .implausible }
    }

    /// The page as bytes, for a file of its own: with another number and commit, and no address.
    func encoded(number: UInt64, transactionID: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(native: number)
        bytes.append(native: UInt16(0))
        bytes.append(native: PageFlags.meta)
        bytes.append(native: UInt32(0))
        bytes.append(native: Self.magic)
        bytes.append(native: Self.version)
        bytes.append(native: UInt64(0))
        // The size of the map, which whoever opens the file chooses anew.
        bytes.append(native: UInt64(usedByteCount))
        freeTree.encode(to: &bytes)
        mainTree.encode(to: &bytes)
        bytes.append(native: lastPage)
        bytes.append(native: transactionID)
        return bytes
    }

    /// The bytes up to the end of the last page that was ever given out.
    var usedByteCount: Int { (Int(lastPage) + 1) * pageByteCount }
}

/// Where a tree starts and what it counts.
struct TreeRecord: Equatable {
    static let byteCount = 48
    static let integerKeyFlag: UInt16 = 0x08
    static let noPage = UInt64.max

    let padding: UInt32
    let flags: UInt16
    let depth: UInt16
    let branchPageCount: UInt64
    let leafPageCount: UInt64
    let overflowPageCount: UInt64
    let entryCount: UInt64
    let root: UInt64

    /// The record of a tree without pages.
    static let empty = TreeRecord()

    private init() {
        (padding, flags, depth, root) = (0, 0, 0, Self.noPage)
        (branchPageCount, leafPageCount, overflowPageCount, entryCount) = (0, 0, 0, 0)
    }

    /// Whether a table could have this record in a file whose last page is that. Its counts can then be added up.
    func isPlausible(lastPage: UInt64, pageByteCount: Int) -> Bool {
        guard flags == 0, padding == 0,
            [branchPageCount, leafPageCount, overflowPageCount].allSatisfy({ $0 <= lastPage }),
            entryCount <= leafPageCount * UInt64(pageByteCount)
        else { return false }
        if root == Self.noPage { return depth == 0 && entryCount == 0 }
        guard (2...max(lastPage, 2)).contains(root), entryCount >= leafPageCount else {
            return false
        }
        switch Int(depth) {
        case 1: return leafPageCount == 1 && branchPageCount == 0
        // A branch has at least two pages under it.
        case 2...StructureWalk.depthMax:
            return leafPageCount >= 2 && branchPageCount >= UInt64(depth) - 1
        default: return false
        }
    }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        padding = unsafe bytes.u32(offset)
        flags = unsafe bytes.u16(offset + 4)
        depth = unsafe bytes.u16(offset + 6)
        branchPageCount = unsafe bytes.u64(offset + 8)
        leafPageCount = unsafe bytes.u64(offset + 16)
        overflowPageCount = unsafe bytes.u64(offset + 24)
        entryCount = unsafe bytes.u64(offset + 32)
        root = unsafe bytes.u64(offset + 40)
    }

    func encode(to bytes: inout [UInt8]) {
        bytes.append(native: padding)
        bytes.append(native: flags)
        bytes.append(native: depth)
        for number in [branchPageCount, leafPageCount, overflowPageCount, entryCount, root] {
            bytes.append(native: number)
        }
    }
}

extension [UInt8] {
    /// In the machine's own byte order, as LMDB writes it.
    fileprivate mutating func append<Number: FixedWidthInteger>(native number: Number) {
        unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
    }
}

enum PageFlags {
    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04
    static let meta: UInt16 = 0x08
}

extension UnsafeRawBufferPointer {
    // LMDB writes the machine's own byte order, and its nodes are aligned to 2 bytes only.
    @inline(__always)
    func u16(_ offset: Int) -> UInt16 {
        unsafe loadUnaligned(fromByteOffset: offset, as: UInt16.self)
    }
    @inline(__always)
    func u32(_ offset: Int) -> UInt32 {
        unsafe loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }
    @inline(__always)
    func u64(_ offset: Int) -> UInt64 {
        unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
