/// Reads a `.realm` file, as it lies there, without Realm.
///
/// The file is mapped and read where it is asked for; nothing is written, neither to it nor beside it. Versions 2 to
/// 11, 20 and 22 to 24 of the format are read, as an app at work leaves them and as `writeCopy` writes them,
/// encrypted or not.
///
/// ```swift
/// let realm = try RealmReader(path: "default.realm")
/// try realm.examine()
/// guard let tracks = realm.class(named: "Track") else { return }
/// try tracks.forEachObject { track in
///     print(track.key, try track.value("title"))
///     return true
/// }
/// ```
///
/// Reading checks every place and length, so that a damaged file throws and does nothing worse; for one value no
/// more is read than the file holds. That the parts of a file belong together, ``examine(progress:)`` finds out; do so
/// before you trust one. Collections are handed over whole: a list of a million zeros takes 15 KB in a file and 48
/// MB as values.
///
/// The file must stay as it is while the reader lives. One that is cut shorter by another program in that time ends the
/// process, as with every mapped file: read a copy.
///
/// Source of the format: realm-core 20.1.5 and, for versions before 10, 5.23.9 (Apache-2.0).
public final class RealmReader: Sendable {
    /// The version of the format, 0 for a file to which nothing was ever written.
    public let formatVersion: Int
    /// Whether it was written from start to end (`writeCopy`, a compacted copy), and not by an app at work.
    public let isStreamed: Bool
    /// Whether it had to be decrypted.
    public let isEncrypted: Bool
    /// All classes in the order of the file, those of Realm itself too.
    public let classes: [RealmClass]

    let storage: RealmStorage

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: the 64 bytes that the app encrypted it with. An encrypted file is decrypted into memory.
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(classes); for an encrypted file O(bytes).
    public convenience init(path: String, key: [UInt8]? = nil) throws(RealmFileError) {
        try self.init(try FileImage(path: path), key)
    }

    /// Reads what was a file, from memory.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - key: the 64 bytes that it was encrypted with.
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(bytes).
    public convenience init(bytes: [UInt8], key: [UInt8]? = nil) throws(RealmFileError) {
        try self.init(FileImage(bytes: bytes), key)
    }

    private init(_ file: FileImage, _ key: [UInt8]?) throws(RealmFileError) {
        var image = file
        isEncrypted = key != nil && !FileHeader.isMet(in: image.bytes)
        if let key {
            guard key.count == EncryptedPages.keyByteCount else {
                throw RealmFileError(.invalidKey, "The key has \(key.count) bytes.")
            }
            if isEncrypted { image = try EncryptedPages(key).decrypt(image) }
        }
        let storage = try RealmStorage(image)
        self.storage = storage
        formatVersion = storage.header.version.number
        isStreamed = storage.header.isStreamed
        classes = storage.tables.indices.map { RealmClass(storage, $0) }
    }

    /// Whether a file that begins with `prefix` is a Realm file that is not encrypted. 24 bytes are enough.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        unsafe Array(prefix.prefix(FileHeader.byteCount)).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return FileHeader.isMet(in: unsafe FileBytes(start: start, count: bytes.count))
        }
    }

    /// The class with a name, without the `class_` that files put before it.
    public func `class`(named name: String) -> RealmClass? {
        classes.first { $0.name == name && $0.isModel }
    }

    /// The object that a link leads to; nil where there is none.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(properties + log objects).
    public func object(_ link: RealmLink) throws(RealmFileError) -> RealmObject? {
        guard classes.indices.contains(link.classIndex) else { return nil }
        return try classes[link.classIndex].object(withKey: link.key)
    }
}
