#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A range of addresses without a file behind it, given back when destroyed.
///
/// The system takes memory for a page of it only when that is first touched, and is asked not to set any aside before.
@safe
struct AddressSpace: ~Copyable {
    let start: UnsafeMutableRawPointer
    let byteCount: Int

    enum Access { case none, readAndWrite }

    /// Reserves `byteCount` bytes, at least one, which read as zeros.
    ///
    /// - Throws: `.outOfMemory`, mostly because of a limit on what the process may address.
    init(byteCount: Int, _ access: Access) throws(LMDBError) {
        let protection = access == .none ? PROT_NONE : PROT_READ | PROT_WRITE
        let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
        let mapped = unsafe mmap(nil, byteCount, protection, flags, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            throw systemFailure("reserve address space")
        }
        unsafe start = unsafe mapped
        self.byteCount = byteCount
    }

    deinit { unsafe munmap(start, byteCount) }
}
