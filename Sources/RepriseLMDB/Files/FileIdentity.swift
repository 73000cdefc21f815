/// What a file is, whatever its path.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}
