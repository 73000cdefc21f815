/// The names of an environment's tables by LMDB's handles, as bytes that stay in place.
///
/// Sendable, unchecked, because nothing changes.
@safe
final class TableNames: @unchecked Sendable {
    private let names: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

    init(_ tables: [String: Table]) {
        let count = tables.values.reduce(0) { max($0, Int($1.handle) + 1) }
        unsafe names = .allocate(capacity: max(count, 1))
        unsafe names.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        for (name, table) in tables {
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: name.utf8.count,
                alignment: 8
            )
            unsafe bytes.copyBytes(from: name.utf8)
            unsafe names[Int(table.handle)] = UnsafeRawBufferPointer(bytes)
        }
    }

    deinit {
        for handle in unsafe names.indices { unsafe names[handle].deallocate() }
        unsafe names.deallocate()
    }

    var count: Int { unsafe names.count }

    /// The name of a handle; empty for one that is no table of this environment.
    subscript(handle: Int) -> UnsafeRawBufferPointer { unsafe names[handle] }
}
