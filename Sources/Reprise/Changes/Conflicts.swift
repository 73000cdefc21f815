internal import RepriseLMDB
internal import RepriseLog

extension ChangeSet {
    /// Conflicts, in the order in which they were found.
    ///
    /// There can be as many as there are changes, each with long values. So only their bytes are kept, in memory while
    /// they are few and in a temporary file when they are many, and each reading makes the conflict from its bytes.
    /// `Array(report.conflicts)` makes all conflicts at once.
    public struct Conflicts: Sendable, RandomAccessCollection {
        /// How many conflicts are in a group; the last one may have fewer.
        private static let groupCount = 32
        /// How much may be in memory before it goes to a file, in bytes.
        private static let tailByteCountMax = 4 << 20

        private var form = ConflictForm()
        /// Where the first conflict of each group begins.
        private var groups: [Int] = []
        /// The bytes of conflicts, each with its length before it. The tail comes behind those of the file.
        private var file: MappedSpill?
        private var tail: [UInt8] = []
        /// Whether all bytes stay in memory, because a file could not be made.
        private var hasNoFile = false
        /// How many there are. O(1).
        public private(set) var count = 0

        init() {}

        /// Zero.
        public var startIndex: Int { 0 }
        /// ``count``.
        public var endIndex: Int { count }

        /// Makes a conflict. O(its bytes), and the lengths of up to 31 before it are read.
        ///
        /// - Parameter position: from zero, less than ``count``.
        public subscript(position: Int) -> ChangeSet.Conflict {
            precondition(position >= 0 && position < count, "There is no conflict at this position.")
            var offset = groups[position / Self.groupCount]
            for _ in 0..<position % Self.groupCount { offset = read(at: offset) { _ in }.end }
            return conflict(at: offset).conflict
        }

        /// Makes one after the other, each in O(its bytes).
        public struct Iterator: IteratorProtocol {
            fileprivate let conflicts: Conflicts
            private var number = 0
            private var offset = 0

            fileprivate init(_ conflicts: Conflicts) { self.conflicts = conflicts }

            /// Makes the next conflict; nil behind the last one.
            public mutating func next() -> ChangeSet.Conflict? {
                guard number < conflicts.count else { return nil }
                let (conflict, end) = conflicts.conflict(at: offset)
                (number, offset) = (number + 1, end)
                return conflict
            }
        }

        /// Goes from the first to the last.
        public func makeIterator() -> Iterator { Iterator(self) }

        /// Makes the conflict whose bytes begin at an offset. Returns where those of the next one begin.
        private func conflict(at offset: Int) -> (conflict: ChangeSet.Conflict, end: Int) {
            let (conflict, end) = read(at: offset) { try form.conflict(&$0) }
            return (conflict, end)
        }

        /// Reads the bytes of one conflict. Returns where those of the next one begin.
        private func read<R>(at offset: Int, _ body: (inout ByteReader) throws -> R) -> (result: R, end: Int) {
            func readRecord(_ bytes: UnsafeRawBufferPointer, at place: Int) throws -> (result: R, end: Int) {
                var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[place...]))
                let count = Int(try reader.varint())
                let end = offset + reader.offset + count
                var conflict = unsafe ByteReader(try reader.bytes(count))
                return (try body(&conflict), end)
            }
            do {
                let fileCount = file?.byteCount ?? 0
                if let file, offset < fileCount {
                    return try unsafe file.withBytes { try unsafe readRecord($0, at: offset) }
                }
                return try unsafe tail.withUnsafeBytes { try unsafe readRecord($0, at: offset - fileCount) }
            } catch {
                preconditionFailure("The bytes in which a conflict is kept cannot be read: \(error).")
            }
        }

        /// - Parameters:
        ///   - change: the bytes of the values of a `changed`.
        ///   - spill: makes the file, or returns the one that it has made. Where it cannot, all stays in memory: a
        ///     report needs no room on the disk.
        mutating func append(
            _ conflict: ChangeSet.Conflict,
            _ change: ConflictForm.Change?,
            spill: () throws -> SpillFile
        ) {
            var writer = ByteWriter(capacity: 128)
            form.write(conflict, change, to: &writer)
            if count % Self.groupCount == 0 { groups.append((file?.byteCount ?? 0) + tail.count) }
            var whole = ByteWriter(capacity: writer.count + 10)
            unsafe whole.prefixedBytes(writer.bytes)
            unsafe tail.append(contentsOf: whole.bytes)
            count += 1
            if hasNoFile || tail.count <= Self.tailByteCountMax { return }
            do {
                let spill = try spill()
                try unsafe tail.withUnsafeBytes { try unsafe spill.append($0) }
                file = try spill.mapped()
                tail = []
            } catch {
                hasNoFile = true
            }
        }
    }
}

extension ChangeSet.Conflicts: Equatable, CustomStringConvertible, CustomReflectable {
    /// Whether both have the same conflicts in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    /// Whether both have the same conflicts in the same order.
    public static func == (left: Self, right: [ChangeSet.Conflict]) -> Bool { left.elementsEqual(right) }

    /// One sentence for each of the first ten, and how many more there are.
    public var description: String {
        let sentences = prefix(10).map(\.description)
        return (count > 10 ? sentences + ["And \(count - 10) more."] : sentences).joined(separator: "\n")
    }

    /// The first ten.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: prefix(10), displayStyle: .collection) }
}
