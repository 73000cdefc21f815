internal import RepriseLMDB

/// Some rows of a model, copied out, from which the planner learns what share of them a condition leaves.
///
/// They are found by looking up made-up identifiers, so the cost does not grow with the store. That gives every row the
/// same chance only as far as the alphabet of the identifiers is known; an estimate needs no more. The choice is
/// seeded:
/// the same store gives the same plans.
final class RowSample: Sendable {
    struct Row: Sendable {
        let id: [UInt8]
        let payload: [UInt8]
    }

    static let rowCountMax = 256
    static let rowByteCountMax = 1 << 14

    let rows: [Row]
    /// How many rows the model had.
    let rowCount: Int
    let schemaNumber: UInt32

    init(of model: CompiledModel, rowCount: Int, in workspace: Workspace) throws {
        self.rowCount = rowCount
        schemaNumber = workspace.schema.number
        var finder = try SampleFinder(model: model.number, in: workspace)
        rows = try finder.rows(Self.rowCountMax)
    }

    /// Whether it still says something about a model that has so many rows now.
    func isFresh(rowCount: Int, schemaNumber: UInt32) -> Bool {
        schemaNumber == self.schemaNumber && abs(rowCount - self.rowCount) <= self.rowCount / 4 + 16
    }
}

/// The samples of a store, by model.
final class RowSamples: Sendable {
    private let samples = Guarded<[UInt16: RowSample]>([:])

    func sample(of model: CompiledModel, in workspace: Workspace) throws -> RowSample {
        let rowCount = workspace.counts[Int(model.number) - 1]
        if let known = samples.withLock({ $0[model.number] }),
            // A state of the past lies on the rows of the present, which the sample is of.
            known.isFresh(
                rowCount: workspace.rows.count > 0 ? known.rowCount : rowCount,
                schemaNumber: workspace.schema.number
            )
        {
            return known
        }
        let sample = try RowSample(of: model, rowCount: rowCount, in: workspace)
        samples.withLock { $0[model.number] = sample }
        return sample
    }
}

/// Looks for rows all over a model's part of the table.
private struct SampleFinder: ~Copyable {
    private let prefix: [UInt8]
    private var cursor: Cursor
    /// How much all identifiers have in common, and which bytes stand at each place behind that.
    private var common: [UInt8] = []
    private var alphabets: [ByteAlphabet] = []
    private var random = SampleRandom()

    /// How many places of an identifier are made up; later ones follow from them nearly always.
    private static let placeCount = 12

    init(model: UInt16, in workspace: Workspace) throws {
        prefix = [UInt8(model >> 8), UInt8(model & 0xFF)]
        cursor = try workspace.base.cursor(workspace.tables.rows)
    }

    mutating func rows(_ count: Int) throws -> [RowSample.Row] {
        guard let first = try id(atOrAfter: prefix), let last = try lastID() else { return [] }
        common = zip(first, last).prefix { $0 == $1 }.map(\.0)
        learn(first)
        learn(last)
        // Neighbours of places between them show which bytes there are.
        for _ in 0..<24 {
            let place = prefix + common + (0..<Self.placeCount).map { _ in random.byte() }
            if let id = try id(atOrAfter: place) { learn(id) }
            if try cursor.previous(), let id = currentID() { learn(id) }
        }
        var rows: [RowSample.Row] = []
        var seen: Set<[UInt8]> = []
        for _ in 0..<(count * 2) where rows.count < count {
            var place = prefix + common
            for alphabet in alphabets { place.append(alphabet.byte(random.next())) }
            guard let id = try id(atOrAfter: place), seen.insert(id).inserted else { continue }
            // Large rows would fill the memory; damaged ones are told of when they are asked for.
            guard unsafe cursor.value.count <= RowSample.rowByteCountMax,
                let row = try? unsafe RowView(key: cursor.key, value: cursor.value)
            else { continue }
            rows.append(RowSample.Row(id: id, payload: unsafe [UInt8](row.payload)))
        }
        return rows
    }

    private mutating func learn(_ id: [UInt8]) {
        guard id.starts(with: common) else { return }
        for (place, byte) in id.dropFirst(common.count).prefix(Self.placeCount).enumerated() {
            if place == alphabets.count { alphabets.append(ByteAlphabet()) }
            alphabets[place].insert(byte)
        }
    }

    private mutating func id(atOrAfter key: [UInt8]) throws -> [UInt8]? {
        let isThere = try unsafe key.withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        return isThere ? currentID() : nil
    }

    private mutating func lastID() throws -> [UInt8]? {
        let beyond = KeyRange.successor(of: prefix)
        _ = try unsafe beyond.withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        return try cursor.previous() ? currentID() : nil
    }

    private func currentID() -> [UInt8]? {
        let key = unsafe cursor.key
        return unsafe key.starts(with: prefix) ? [UInt8](key.dropFirst(prefix.count)) : nil
    }
}

/// The bytes at one place of identifiers: of digits and letters all between the least and the greatest seen, for those
/// come in rows; of others those seen.
private struct ByteAlphabet {
    private var bytes: [UInt8] = []
    private static let rows: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]

    mutating func insert(_ byte: UInt8) {
        guard !bytes.contains(byte) else { return }
        bytes.append(byte)
        if let row = Self.rows.first(where: { $0.contains(byte) }) {
            let seen = bytes.filter { row.contains($0) }
            if let least = seen.min(), let greatest = seen.max() {
                bytes.append(contentsOf: (least...greatest).filter { !bytes.contains($0) })
            }
        }
    }

    func byte(_ number: UInt64) -> UInt8 {
        bytes.isEmpty ? 0 : bytes[Int(number % UInt64(bytes.count))]
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014), from a fixed seed.
private struct SampleRandom {
    private var state: UInt64 = 0x5265_7072_6973_6531

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 56) }
}
