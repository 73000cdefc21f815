/// Writes the content of a Realm file as lines of JSON in which every value is told apart and none is rounded.
///
/// A line for each class (`table`, with its number, kind, count, primary key and columns), and after it one for each of
/// its objects (`t` the class, `k` the key, `v` the values). Data is `$bin` in hexadecimal digits (more than a
/// mebibyte: `fnv1a64:`, the hash, `:` and the size); floats and doubles are
/// `$f` and `$d` with the digits of their bits, dates `$ts` with seconds and nanoseconds, decimals `$dec`, identifiers
/// `$oid` and `$uuid`, links `$link` with the key of the target and `$tlink` with its class as well, sets `$set`,
/// dictionaries `$dict`; embedded objects stand in their owners as `$emb`. Every control character in a text is
/// `\u00xx`.
///
/// The text of one object may be far larger than the file: a list of a million zeros takes 15 KB there. Whoever writes
/// it somewhere has it handed over in pieces: the methods with `flush` do that.
public struct RealmDumpWriter {
    /// Larger data is told by a hash and its size.
    static let dataByteCountMax = 1 << 20

    /// Says how an object is named that a value leads to.
    public typealias LinkNaming = (RealmLink) throws(RealmFileError) -> String

    private var text: DumpText
    /// What has been written and not handed over, UTF-8.
    public var bytes: [UInt8] { text.bytes }

    /// Begins an empty text.
    ///
    /// - Parameters:
    ///   - realm: the file that the values come from.
    ///   - showsAllData: whether data of more than a mebibyte is written out, too.
    ///   - naming: what links are called instead of the target's key: each is `$link` with the class and that name
    ///     then, embedded objects as well.
    public init(
        _ realm: RealmReader,
        showsAllData: Bool = false,
        naming: LinkNaming? = nil
    ) {
        text = DumpText(realm, showsAllData: showsAllData, naming: naming)
    }

    /// Forgets the text and keeps the memory.
    public mutating func removeAll() { text.removeAll() }

    /// Writes the line of a class.
    ///
    /// - Complexity: O(properties), memory for the text as well.
    public mutating func line(_ realmClass: RealmClass) {
        text.begin(realmClass)
        // Nothing of it is read from the file any more.
        try? finish()
    }

    /// Writes the line of a class, in pieces.
    ///
    /// - Parameters:
    ///   - realmClass: the class.
    ///   - flush: is given all that has been written and not handed over, some ten kilobytes at a time. What it throws
    ///     ends the line and comes out unchanged.
    /// - Throws: what `flush` throws.
    /// - Complexity: O(properties).
    public mutating func line(_ realmClass: RealmClass, flush: ([UInt8]) throws -> Void) throws {
        text.begin(realmClass)
        try finish(flush)
    }

    /// Writes the line of an object.
    ///
    /// - Throws: ``RealmFileError``.
    /// - Complexity: O(bytes of the text), memory as well.
    public mutating func line(_ object: RealmObject) throws(RealmFileError) {
        text.begin(object)
        try finish()
    }

    /// Writes the line of an object, in pieces. A short one stays in ``bytes``, for the lines after it to go with it.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - flush: is given all that has been written and not handed over, some ten kilobytes at a time. What it throws
    ///     ends the line and comes out unchanged.
    /// - Throws: ``RealmFileError``, and what `flush` throws.
    /// - Complexity: O(bytes of the text); memory for one text or one piece of data of the file.
    public mutating func line(_ object: RealmObject, flush: ([UInt8]) throws -> Void) throws {
        text.begin(object)
        try finish(flush)
    }

    /// Writes one value, without a line of its own.
    ///
    /// - Throws: ``RealmFileError``, and what naming a link throws.
    /// - Complexity: O(bytes of the text), memory as well.
    public mutating func value(_ value: RealmValue) throws(RealmFileError) {
        text.begin(value)
        try finish()
    }

    /// Writes one value, without a line of its own, in pieces. A short one stays in ``bytes``.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - flush: is given all that has been written and not handed over, some ten kilobytes at a time. What it throws
    ///     ends the value and comes out unchanged.
    /// - Throws: ``RealmFileError``, what naming a link throws, and what `flush` throws.
    /// - Complexity: O(bytes of the text); memory for one text or one piece of data of the file.
    public mutating func value(_ value: RealmValue, flush: ([UInt8]) throws -> Void) throws {
        text.begin(value)
        try finish(flush)
    }

    private mutating func finish() throws(RealmFileError) {
        while try text.writePiece() {}
    }

    private mutating func finish(_ flush: ([UInt8]) throws -> Void) throws {
        var isMore = true
        while isMore {
            isMore = try text.writePiece(upTo: DumpText.pieceByteCount)
            guard text.bytes.count >= DumpText.pieceByteCount else { continue }
            do {
                try flush(text.bytes)
            } catch {
                text.abandon()
                throw error
            }
            text.removeAll()
        }
    }
}
