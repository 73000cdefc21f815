/// Which arrays of a damaged file are whole, as far as the file's own book-keeping tells.
///
/// A Realm file has no check sums, but every eight bytes of it belong to exactly one array or to the list of free space
/// (`Group::verify` of realm-core holds the same). So an array is sound when it begins with the mark that all arrays
/// begin with (version 10 and later), no byte of it belongs to another array or is noted as free, and no byte after it
/// is left over: a header that was changed makes an array longer or shorter, and a reference that was changed leads
/// into another array, into free space, or leaves one over.
///
/// What this cannot tell: a value that was changed within its bytes, and a header that says something else of as many
/// bytes.
final class SoundBytes: Sendable {
    /// Where arrays that are named begin and end.
    private let claimed: UnitSet
    /// What belongs to two things, or may.
    private let contested: UnitSet
    private let hasMarks: Bool
    /// Bytes that belong to something that nothing names any more; nil where the list of free space is not whole.
    let unclaimedByteCount: Int?

    fileprivate init(
        claimed: UnitSet,
        contested: UnitSet,
        hasMarks: Bool,
        unclaimedByteCount: Int?
    ) {
        self.claimed = claimed
        self.contested = contested
        self.hasMarks = hasMarks
        self.unclaimedByteCount = unclaimedByteCount
    }

    /// `AAAA`, in place of a check sum that was never made (`write_array` in `group_writer.cpp`).
    static let mark: UInt32 = 0x4141_4141

    /// Refuses an array that is not sound.
    func check(_ node: ArrayNode, in bytes: FileBytes) throws(RealmFileError) {
        if hasMarks, bytes.number(UInt32.self, at: node.offset) != Self.mark {
            throw RealmFileError(
                .damaged,
                "An array does not begin with the mark that all arrays have.",
                at: node.offset
            )
        }
        if contested.intersects(node.units) {
            throw RealmFileError(
                .damaged,
                "An array is larger or smaller than its place, or its bytes belong to something else as well.",
                at: node.offset
            )
        }
        guard claimed.containsAll(of: node.units) else {
            throw RealmFileError(
                .damaged,
                "An array is not one of those that the root leads to.",
                at: node.offset
            )
        }
    }
}

/// Goes through everything that a root leads to, whatever it means, and finds out what is whole.
struct FileSurvey {
    /// Classes, rows, lists and a hundred levels of collections in each other have fewer.
    private static let depthMax = 1024

    private let bytes: FileBytes
    private let header: FileHeader
    private var claimed: UnitSet
    private var contested: UnitSet
    private var open: [(node: ArrayNode, next: Int)] = []
    /// How many units may still be looked at: else arrays that overlap each other would take for ever.
    private var budget: Int
    /// How much is left of that when it is said next how far the survey is.
    private var nextStep: Int

    private init(_ bytes: FileBytes, _ header: FileHeader) {
        self.bytes = bytes
        self.header = header
        claimed = UnitSet(byteCount: bytes.count)
        contested = UnitSet(byteCount: bytes.count)
        budget = bytes.count
        nextStep = budget
    }

    /// - Parameter progress: called about every four megabytes with how many are gone through; throwing ends it.
    /// - Throws: `.damaged` where arrays overlap each other so often that nothing can be told.
    /// - Complexity: O(bytes); memory for some 40ths of the bytes.
    static func soundBytes(
        in bytes: FileBytes,
        _ header: FileHeader,
        _ progress: (Int) throws(RealmFileError) -> Void
    ) throws(RealmFileError) -> SoundBytes {
        var survey = FileSurvey(bytes, header)
        return try survey.run(progress)
    }

    private mutating func run(
        _ progress: (Int) throws(RealmFileError) -> Void
    ) throws(RealmFileError) -> SoundBytes {
        if let root = header.root { try claim(root) }
        while let (node, next) = open.last {
            guard next < node.count else {
                open.removeLast()
                continue
            }
            if budget <= nextStep {
                try progress((bytes.count - budget) * 8)
                nextStep = budget - OpeningPart.stepByteCount / 8
            }
            open[open.count - 1].next += 1
            if case .reference(let reference)? = try? node.element(at: next) {
                try claim(reference)
            }
        }
        // Changes what is contested: before it is handed over.
        let unclaimedByteCount = comparedWithFreeSpace()
        return SoundBytes(
            claimed: claimed,
            contested: contested,
            hasMarks: header.version.hasClusters,
            unclaimedByteCount: unclaimedByteCount
        )
    }

    private mutating func claim(_ reference: Int) throws(RealmFileError) {
        guard let node = try? ArrayNode(at: reference, in: bytes),
            !header.version.hasClusters
                || bytes.number(UInt32.self, at: reference) == SoundBytes.mark
        else { return }
        let units = node.units
        budget -= units.count
        guard budget >= 0 else {
            throw RealmFileError(
                .damaged,
                "So many arrays lie in each other that none can be trusted.",
                at: reference
            )
        }
        if claimed.intersects(units) {
            contested.insert(units)
            return
        }
        claimed.insert(units)
        // Narrower elements are too small to be references.
        guard node.hasReferences, node.measure == .bits, node.width >= 8,
            open.count < Self.depthMax
        else { return }
        open.append((node, 0))
    }

    /// Notes what lies in free space, and what ends before its place does. Returns the number of bytes that belong to
    /// nothing.
    private mutating func comparedWithFreeSpace() -> Int? {
        guard let (free, end) = try? freeSpace() else { return nil }
        contested.formUnionOfCommon(claimed, free)
        var unclaimedCount = 0
        var isInGap = false
        for unit in FileHeader.byteCount / 8..<max(end / 8, FileHeader.byteCount / 8) {
            guard !claimed.contains(unit), !free.contains(unit) else {
                isInGap = false
                continue
            }
            unclaimedCount += 8
            if !isInGap, unit > FileHeader.byteCount / 8, claimed.contains(unit - 1),
                !header.version.hasClusters
                    || bytes.number(UInt32.self, at: unit * 8) != SoundBytes.mark
            {
                // No array begins here: it is what is left of the one before.
                contested.insert(unit - 1..<unit)
            }
            isInGap = true
        }
        return unclaimedCount
    }

    /// What the file notes as free, and where that what is noted ends.
    private func freeSpace() throws(RealmFileError) -> (free: UnitSet, end: Int)? {
        var free = UnitSet(byteCount: bytes.count)
        guard let root = header.root else { return (free, 0) }
        let top = try ArrayNode(at: root, in: bytes).checked(as: .references)
        guard !header.isStreamed else {
            // An encrypted one is filled up to a whole page.
            let size = top.count > 2 ? try top.number(at: 2) : nil
            let end = bytes.count - FileHeader.footerByteCount
            return (free, max(0, size.map { min(end, Int(clamping: $0)) } ?? end))
        }
        guard top.count > 4, let size = try top.number(at: 2),
            let positions = try integers(top, 3), let lengths = try integers(top, 4),
            positions.count == lengths.count
        else { return nil }
        for index in 0..<positions.count {
            let position = try positions.integer(at: index)
            let length = try lengths.integer(at: index)
            guard position >= FileHeader.byteCount, length >= 0, position % 8 == 0, length % 8 == 0,
                let start = Int(exactly: position), let count = Int(exactly: length)
            else { return nil }
            // Of a file that was cut off, what is left.
            let first = min(start, bytes.count) / 8
            let (end, overflow) = start.addingReportingOverflow(count)
            guard !overflow, end <= size else { return nil }
            let units = first..<max(first, min(end, bytes.count) / 8)
            // One of them is wrong, and it cannot be said which.
            guard !free.intersects(units) else { return nil }
            free.insert(units)
        }
        return (free, min(bytes.count, Int(clamping: size)))
    }

    private func integers(_ top: ArrayNode, _ index: Int) throws(RealmFileError) -> ArrayNode? {
        guard let reference = try top.reference(at: index) else { return nil }
        let node = try ArrayNode(at: reference, in: bytes).checked(as: .integers)
        guard claimed.containsAll(of: node.units), !contested.intersects(node.units),
            node.width > 0 || node.count == 0
        else { return nil }
        return node
    }
}

extension ArrayNode {
    /// The bytes, in eights.
    fileprivate var units: Range<Int> { offset / 8..<end / 8 }
}
