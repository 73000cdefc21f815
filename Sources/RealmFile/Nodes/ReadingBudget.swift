/// How much may still be read and kept for one value.
final class ReadingBudget {
    private var partByteCount: Int
    private var heldByteCount: Int

    init(fileByteCount: Int, limitsParts: Bool) {
        partByteCount = limitsParts ? fileByteCount : .max
        heldByteCount = Self.heldByteCount(of: fileByteCount)
    }

    /// How much the elements of one value may take: four times the file or 256 MiB, whichever is more, because a zero
    /// takes no room in the file.
    static func heldByteCount(of fileByteCount: Int) -> Int {
        max(256 << 20, 4 * fileByteCount)
    }

    /// Returns whether there was as much left.
    func spend(_ count: Int) -> Bool {
        partByteCount -= count
        return partByteCount >= 0
    }

    /// Returns whether there was room for it.
    func keep(_ byteCount: Int) -> Bool {
        heldByteCount -= byteCount
        return heldByteCount >= 0
    }
}

extension RealmValue {
    /// What an array and its header take.
    private static let arrayByteCount = 32

    /// What it takes as an element of a collection. What lies in it was counted when it was read.
    var heldByteCount: Int {
        let own = MemoryLayout<RealmValue>.stride
        return switch self {
        // One text of the file may be an element many times.
        case .string(let text):
            text.utf8.count > 15 ? own + Self.arrayByteCount + text.utf8.count : own
        case .data(let bytes): own + Self.arrayByteCount + bytes.count
        case .objectID, .uuid: own + Self.arrayByteCount + 16
        case .list, .set, .dictionary: own + Self.arrayByteCount
        default: own
        }
    }
}
