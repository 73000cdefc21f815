/// Which bytes of a file belong to something that was read: a bit for every eight.
///
/// No byte of a sound file belongs to two arrays. Meeting one again means a cycle, a page of another version, or a file
/// made to look larger than it is.
final class VisitedBytes {
    private var words: [UInt64]

    /// - Parameter byteCount: the size of the file.
    init(byteCount: Int) {
        words = Array(repeating: 0, count: byteCount / 512 + 1)
    }

    /// Takes the bytes from `offset` to before `end`, both multiples of eight. Returns whether none was taken before.
    func claim(from offset: Int, to end: Int) -> Bool {
        var unit = offset / 8
        let last = end / 8
        while unit < last {
            let shift = unit % 64
            let count = min(64 - shift, last - unit)
            let ones: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
            let mask = ones << UInt64(shift)
            guard words[unit / 64] & mask == 0 else { return false }
            words[unit / 64] |= mask
            unit += count
        }
        return true
    }
}
