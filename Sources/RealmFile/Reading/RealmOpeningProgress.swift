/// How far the opening of a file is that has to be decrypted, or of which what is whole has to be found out first.
public struct RealmOpeningProgress: Sendable, Equatable {
    /// Bytes so far; never goes back.
    public let bytesRead: Int
    /// Bytes in all: the size of the file for each time that it is gone through.
    public let byteCount: Int
}

/// A part of what is done to open a file.
struct OpeningPart {
    /// The size of the file.
    let fileByteCount: Int
    /// Its place among the parts.
    let place: Int
    let count: Int

    /// How much of what is read lies between two questions.
    static let stepByteCount = 4 << 20

    /// Asks a caller whether to go on.
    ///
    /// - Parameters:
    ///   - bytesRead: how much of the part is done.
    ///   - progress: whom to ask.
    /// - Throws: `.cancelled`.
    func ask(_ bytesRead: Int, _ progress: (RealmOpeningProgress) -> Bool) throws(RealmFileError) {
        let step = RealmOpeningProgress(
            bytesRead: place * fileByteCount + min(bytesRead, fileByteCount),
            byteCount: count * fileByteCount
        )
        guard progress(step) else { throw .cancelled }
    }
}
