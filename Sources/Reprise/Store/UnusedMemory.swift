#if canImport(Glibc)
    internal import Glibc
#endif

/// Memory that was freed and that the process still has.
enum UnusedMemory {
    /// Gives it back to the system. glibc keeps what a load has freed between two small blocks that live on; the other
    /// libraries give large blocks back by themselves.
    static func giveBack() {
        #if canImport(Glibc)
            malloc_trim(0)
        #endif
    }
}
