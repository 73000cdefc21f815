import Synchronization

/// How many bytes of arrays a walk may still open: as many as the file has.
///
/// Else parts that hold each other, or one that is named a million times, would be read for ever. A collection that a
/// walk hands over takes part in the walk's budget, perhaps on another thread.
final class ReadingBudget: Sendable {
    private let byteCount: Atomic<Int>

    init(fileByteCount: Int) {
        byteCount = Atomic(fileByteCount)
    }

    /// Returns whether there was as much left.
    func spend(_ count: Int) -> Bool {
        byteCount.wrappingSubtract(count, ordering: .relaxed).newValue >= 0
    }
}

/// How much memory may still be taken by what a file says of its classes, which is kept as long as the file is open.
///
/// An examination reads it once more, and keeps as much as the file has bytes of primary keys: together that is four
/// times the file. Never less than four mebibytes, in which there is room for more properties than any app has.
final class SchemaMemory {
    private var byteCount: Int

    init(fileByteCount: Int) {
        byteCount = Self.byteCount(of: fileByteCount)
    }

    static func byteCount(of fileByteCount: Int) -> Int { max(4 << 20, fileByteCount / 2 * 3) }

    /// Returns whether there was room for it.
    func keep(_ count: Int) -> Bool {
        byteCount -= count
        return byteCount >= 0
    }
}
