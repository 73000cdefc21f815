import FaultSupport
import Synchronization

#if canImport(Glibc)
    import Glibc

    /// What this process asks of the disk, by which it can be recorded or refused.
    ///
    /// The functions below take the place of those of the C library, for LMDB too. That is how programs are linked on
    /// Linux, but not on Darwin.
    enum DiskCalls {
        /// What becomes of the calls.
        enum Mode {
            case pass
            /// Writes to files of this name are copied to the descriptor of a journal, and so are syncs.
            case record(name: String, journal: Int32)
            /// The call of this number fails, or that and all after it.
            case refuse(number: Int, code: Int32, isSticky: Bool)
            /// The process ends before the call of this number, as if it were killed.
            case end(number: Int)
        }

        private struct State {
            var mode = Mode.pass
            var count = 0
        }

        private static let state = Mutex(State())

        /// Counts from zero on.
        static func set(_ mode: Mode) { state.withLock { $0 = State(mode: mode) } }

        /// How many calls there were since.
        static var count: Int { state.withLock { $0.count } }

        /// Whether a call is refused.
        fileprivate static func isRefused() -> Bool {
            state.withLock { state in
                state.count += 1
                if case .end(state.count) = state.mode { kill(getpid(), SIGKILL) }
                guard case .refuse(let number, let code, let isSticky) = state.mode else { return false }
                guard state.count == number || isSticky && state.count > number else { return false }
                errno = code
                return true
            }
        }

        fileprivate static func record(_ descriptor: Int32, _ parts: [UnsafeRawBufferPointer], at offset: Int) {
            state.withLock { state in
                guard case .record(let name, let journal) = state.mode, fileName(descriptor) == name else { return }
                var bytes: [UInt8] = []
                for unsafe part in unsafe parts { unsafe bytes.append(contentsOf: part) }
                let header = [Int64(offset), Int64(bytes.count)]
                unsafe header.withUnsafeBytes { header in
                    _ = unsafe write(journal, header.baseAddress, header.count)
                }
                _ = unsafe write(journal, bytes, bytes.count)
            }
        }

        private static func fileName(_ descriptor: Int32) -> String {
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = unsafe readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
            let path = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return String(path.split(separator: "/").last ?? "")
        }
    }

    /// The function that the C library has under a name.
    @unsafe private func next<F>(_ name: String, as type: F.Type) -> F {
        // RTLD_NEXT, which is a macro with a cast.
        guard let symbol = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: -1), name) else {
            preconditionFailure("The C library has \(name).")
        }
        return unsafe unsafeBitCast(symbol, to: type)
    }

    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int
    private typealias WriteParts = @convention(c) (Int32, UnsafeRawPointer?, Int32) -> Int
    private typealias Sync = @convention(c) (Int32) -> Int32

    nonisolated(unsafe) private let nextWrite = unsafe next("pwrite", as: Write.self)
    nonisolated(unsafe) private let nextWriteParts = unsafe next("writev", as: WriteParts.self)
    nonisolated(unsafe) private let nextDataSync = unsafe next("fdatasync", as: Sync.self)
    nonisolated(unsafe) private let nextSync = unsafe next("fsync", as: Sync.self)

    @_cdecl("pwrite")
    public func pwriteInstead(
        _ descriptor: Int32,
        _ bytes: UnsafeRawPointer?,
        _ count: Int,
        _ offset: Int
    ) -> Int {
        if DiskCalls.isRefused() { return -1 }
        unsafe DiskCalls.record(descriptor, [UnsafeRawBufferPointer(start: bytes, count: count)], at: offset)
        return unsafe nextWrite(descriptor, bytes, count, offset)
    }

    @_cdecl("writev")
    public func writevInstead(
        _ descriptor: Int32,
        _ parts: UnsafeRawPointer?,
        _ count: Int32
    ) -> Int {
        if DiskCalls.isRefused() { return -1 }
        let first = unsafe parts?.assumingMemoryBound(to: iovec.self)
        let all = unsafe UnsafeBufferPointer(start: first, count: Int(count)).map {
            unsafe UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)
        }
        unsafe DiskCalls.record(descriptor, all, at: lseek(descriptor, 0, SEEK_CUR))
        return unsafe nextWriteParts(descriptor, parts, count)
    }

    @_cdecl("fdatasync")
    public func fdatasyncInstead(_ descriptor: Int32) -> Int32 {
        if DiskCalls.isRefused() { return -1 }
        unsafe DiskCalls.record(descriptor, [], at: -1)
        return unsafe nextDataSync(descriptor)
    }

    @_cdecl("fsync")
    public func fsyncInstead(_ descriptor: Int32) -> Int32 {
        if DiskCalls.isRefused() { return -1 }
        unsafe DiskCalls.record(descriptor, [], at: -1)
        return unsafe nextSync(descriptor)
    }
#endif
