/// What is compared between engines: how many, and every field of every one. Good within one process only.
struct ResultDigest: Hashable, CustomStringConvertible {
    var count = 0
    private var sum = 0

    init(unordered tracks: [Track]) {
        for track in tracks { add(track) }
    }

    init(ordered tracks: [Track]) {
        count = tracks.count
        sum = tracks.hashValue
    }

    init(_ values: some Hashable, count: Int) {
        self.count = count
        sum = values.hashValue
    }

    mutating func add(_ track: Track) {
        count += 1
        sum &+= track.hashValue
    }

    var description: String {
        "\(count) results with digest \(String(UInt(bitPattern: sum), radix: 16))"
    }
}
