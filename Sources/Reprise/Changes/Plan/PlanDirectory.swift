internal import RepriseLMDB
internal import RepriseLog

/// Finds rows in a file that has them in the order of their keys.
final class PlanDirectory {
    /// Of so many keys one is known.
    private static let stride = 16

    private let file: SpillFile
    private var filter: KeyFilter
    /// The first key of each block of rows.
    private var keys: [EntityKey] = []
    /// Where the blocks begin; at the end, where the last one ends.
    private var places: [Int] = []
    /// The block that was read last.
    private var block: [UInt8] = []
    private var blockNumber = -1

    /// - Complexity: O(bytes of the file).
    init(_ file: SpillFile, count: Int) throws {
        self.file = file
        filter = KeyFilter(count: count)
        var reader = PlanFileReader(file)
        var number = 0
        var buffer = KeyBuffer()
        while true {
            let place = reader.place
            guard let key = try reader.nextKey() else { break }
            buffer.setRow(key)
            unsafe filter.insert(buffer.bytes)
            if number % Self.stride == 0 {
                keys.append(key)
                places.append(place)
            }
            number += 1
        }
        places.append(reader.place)
    }

    func row(of entity: EntityKey) throws -> ChangePlan.Row? {
        try find(entity) { try ChangePlan.Row(&$0) }
    }

    /// Whether a row that the file has is there in the end.
    func isThere(_ entity: EntityKey) throws -> Bool? {
        try find(entity) { try !ChangePlan.Row.isDeletion(&$0) }
    }

    private func find<Found>(_ entity: EntityKey, _ read: (inout ByteReader) throws -> Found) throws -> Found? {
        var buffer = KeyBuffer()
        buffer.setRow(entity)
        guard unsafe filter.mayContain(buffer.bytes) else { return nil }
        // The last known key that is not behind it.
        var low = 0
        var high = keys.count
        while low < high {
            let middle = low + (high - low) / 2
            if entity.precedes(keys[middle]) { high = middle } else { low = middle + 1 }
        }
        guard low > 0 else { return nil }
        try readBlock(low - 1)
        return try unsafe block.withUnsafeBytes { bytes in
            var rows = unsafe ByteReader(bytes)
            while rows.remaining > 0 {
                var row = try unsafe ByteReader(rows.bytes(Int(rows.u32())))
                let model = try row.u16()
                let id = try unsafe row.bytes(try row.count())
                if model == entity.model, unsafe id.elementsEqual(entity.id) { return try read(&row) }
            }
            return nil
        }
    }

    private func readBlock(_ number: Int) throws {
        if number == blockNumber { return }
        blockNumber = -1
        let byteCount = places[number + 1] - places[number]
        if block.count != byteCount { block = [UInt8](repeating: 0, count: byteCount) }
        let found = try unsafe block.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: places[number]) }
        guard found == byteCount else { throw StoreError.damage("A temporary file has lost its end.") }
        blockNumber = number
    }
}
