#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// The least address space for a file, in bytes: sixteen of the largest pages that systems have.
    fileprivate static let sealedMapByteCountMin = 1 << 20

    /// Opens a file that nobody changes any more, for reading only and without locks.
    ///
    /// What an opening requires of a data file is required of this one before it is mapped, and then all its pages are
    /// checked. The content of keys and values is not judged.
    ///
    /// - Parameter tables: the names of the tables to use, all of which the file has.
    /// - Throws: as ``open(at:tables:options:isOwnWork:)``.
    /// - Complexity: O(pages of the file).
    package static func open(
        _ sealed: SealedFile,
        tables: [String]
    ) throws(LMDBError) -> Environment {
        try checkLibrary(sealed.path)
        let identity = try sealed.file.status().identity
        try EnvironmentRegistry.claim(identity, path: sealed.path)
        let environment: Environment
        do throws(LMDBError) {
            try checkBeforeMapping(sealed.file)
            environment = try start(
                StoreDirectory(sealed.path),
                identity: identity,
                lockFile: nil,
                tables: tables,
                options: .sealed(byteCount: sealed.byteCount),
                isNew: false
            )
        } catch {
            EnvironmentRegistry.release(identity)
            throw error
        }
        do throws(LMDBError) {
            try environment.makeStructureKnown()
            return environment
        } catch {
            environment.close()
            throw error
        }
    }
}

extension Environment.Options {
    fileprivate static func sealed(byteCount: Int) -> Self {
        var options = Self()
        options.isReadOnly = true
        options.isPrivate = true
        options.isSealed = true
        // No more than the file: it does not grow.
        let pageByteCount = Int(getpagesize())
        let (sum, isTooLarge) = byteCount.addingReportingOverflow(pageByteCount)
        let byteCountMin = Environment.sealedMapByteCountMin
        options.mapByteCount = max(isTooLarge ? byteCount : sum, byteCountMin) / pageByteCount * pageByteCount
        return options
    }
}
