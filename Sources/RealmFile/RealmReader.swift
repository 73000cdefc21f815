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
/// before you trust one. Collections are read when they are walked through: a list of a million zeros takes 15 KB in a
/// file and would take 48 MB as values.
///
/// Whatever a file says, no more memory is taken for reading, examining, dumping or salvaging it than a few mebibytes
/// or four times the file, the file itself not counted; only ``RealmElements/values()`` and
/// ``RealmDictionary/entries()`` take as much as there are elements.
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

    /// Why the newest version of the data cannot be read, where the one before it is read instead: of a damaged file
    /// that is salvaged.
    public var newestFault: RealmFileError? { storage.opening?.newestFault }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: the 64 bytes that the app encrypted it with. An encrypted file is decrypted into memory.
    ///   - progress: called about every four megabytes that are decrypted, on the caller's thread; returning false
    ///     cancels.
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(classes); for an encrypted file O(bytes).
    public convenience init(
        path: String,
        key: [UInt8]? = nil,
        progress: (RealmOpeningProgress) -> Bool = { _ in true }
    ) throws(RealmFileError) {
        try self.init(try FileImage(path: path), key, progress)
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

    /// Opens a file of which parts may be damaged, for ``salvage(progress:)``.
    ///
    /// A class that cannot be read has no properties and no objects here. Where the newest version of the data leads
    /// nowhere, the one before it is taken, which a file keeps.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: the 64 bytes that the app encrypted it with.
    ///   - progress: called about every four megabytes that are decrypted and then gone through, on the caller's
    ///     thread; returning false cancels.
    /// - Throws: ``RealmFileError`` where neither version has names of classes.
    /// - Complexity: O(bytes).
    public convenience init(
        salvaging path: String,
        key: [UInt8]? = nil,
        progress: (RealmOpeningProgress) -> Bool = { _ in true }
    ) throws(RealmFileError) {
        try self.init(salvaging: try FileImage(path: path), key, progress)
    }

    /// The same for what was a file, from memory.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - key: the 64 bytes that it was encrypted with.
    /// - Throws: ``RealmFileError`` where neither version of the data has names of classes.
    /// - Complexity: O(bytes).
    public convenience init(
        salvagingBytes bytes: [UInt8],
        key: [UInt8]? = nil
    ) throws(RealmFileError) {
        try self.init(salvaging: FileImage(bytes: bytes), key)
    }

    private convenience init(
        salvaging file: FileImage,
        _ key: [UInt8]?,
        _ progress: (RealmOpeningProgress) -> Bool = { _ in true }
    ) throws(RealmFileError) {
        let pages = try Self.pages(of: file, key)
        let count = pages == nil ? 1 : 2
        let first = OpeningPart(fileByteCount: file.byteCount, place: 0, count: count)
        let last = OpeningPart(fileByteCount: file.byteCount, place: count - 1, count: count)
        var image = file
        if let pages {
            image = try pages.decrypt(file) { bytes throws(RealmFileError) in
                try first.ask(bytes, progress)
            }
        }
        let storage = try RealmStorage.salvaging(image) { bytes throws(RealmFileError) in
            try last.ask(bytes, progress)
        }
        self.init(storage, isEncrypted: pages != nil)
    }

    private convenience init(
        _ file: FileImage,
        _ key: [UInt8]?,
        _ progress: (RealmOpeningProgress) -> Bool = { _ in true }
    ) throws(RealmFileError) {
        let pages = try Self.pages(of: file, key)
        let part = OpeningPart(fileByteCount: file.byteCount, place: 0, count: 1)
        var image = file
        if let pages {
            image = try pages.decrypt(file) { bytes throws(RealmFileError) in
                try part.ask(bytes, progress)
            }
        }
        self.init(try RealmStorage(image), isEncrypted: pages != nil)
    }

    private init(_ storage: RealmStorage, isEncrypted: Bool) {
        self.storage = storage
        self.isEncrypted = isEncrypted
        formatVersion = storage.header.version.number
        isStreamed = storage.header.isStreamed
        classes = storage.tables.indices.map { RealmClass(storage, $0) }
    }

    /// A reader of what is whole.
    convenience init(_ storage: RealmStorage, _ rows: SalvagedRows, isEncrypted: Bool) {
        let restricted = RealmStorage(
            storage.header,
            storage.source,
            storage.directory,
            storage.tables,
            storage.opening ?? SalvageOpening(),
            rows
        )
        self.init(restricted, isEncrypted: isEncrypted)
    }

    /// What decrypts a file; nil where that is not to be done.
    private static func pages(
        of image: FileImage,
        _ key: [UInt8]?
    ) throws(RealmFileError) -> EncryptedPages? {
        guard let key else { return nil }
        guard key.count == EncryptedPages.keyByteCount else {
            throw RealmFileError(.invalidKey, "The key has \(key.count) bytes.")
        }
        return FileHeader.isMet(in: image.bytes) ? nil : EncryptedPages(key)
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
        classes.first { $0.name.isExactly(name) && $0.isModel }
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
