#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory beside a store, for files of its owner only.
package enum Folder {
    /// Makes the directory where there is none, for its owner only, whatever the umask.
    ///
    /// - Throws: what making a directory can meet, as `.permissionDenied`.
    package static func make(_ path: String) throws(LMDBError) {
        if unsafe mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            throw systemFailure("create a directory", path: path)
        }
        if unsafe chmod(path, 0o700) != 0, errno != ENOENT {
            throw systemFailure("set the permissions of a directory", path: path)
        }
        try StoreDirectory.synchronize(StoreDirectory(path).parentPath)
    }

    /// Removes the directory if nothing is in it. Failures are not reported.
    package static func removeIfEmpty(_ path: String) { unsafe rmdir(path) }
}
