package import RepriseLMDB

extension SealedFile {
    /// SHA-256 of the first bytes.
    ///
    /// - Throws: as ``forEachPiece(ofFirst:_:)``.
    /// - Complexity: O(count), in a mebibyte of memory.
    package func hash(ofFirst count: Int) throws(LMDBError) -> Digest256 {
        var hash = SHA256Hash()
        try unsafe forEachPiece(ofFirst: count) { piece in unsafe hash.update(piece) }
        return hash.digest
    }
}
