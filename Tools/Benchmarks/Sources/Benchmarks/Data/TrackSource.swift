import Foundation
import Reprise

/// Makes track number `i` out of nothing but `i` and a seed, the same one every time.
struct TrackSource: Sendable {
    let seed: UInt64 = 2_718_281_828

    static let genres = [
        "Acoustic", "Alternative", "Ambient", "Bebop", "Blues", "Bossa Nova", "Chamber", "Chanson",
        "Classical", "Country", "Dance", "Disco", "Dub", "Electronic", "Fado", "Flamenco", "Folk",
        "Funk", "Fusion", "Garage", "Gospel", "Grunge", "Hip-Hop", "House", "Indie", "Jazz",
        "Klezmer",
        "Latin", "Lounge", "Metal", "Opera", "Pop", "Punk", "Ragtime", "Reggae", "Rock", "Salsa",
        "Soul", "Swing", "Techno",
    ]

    private static let words = [
        "amber", "april", "arrow", "autumn", "basin", "bird", "black", "blue", "bone", "bread",
        "bridge",
        "bright", "candle", "carry", "cedar", "chalk", "city", "cloud", "coast", "cold", "copper",
        "corner", "crow", "dance", "dawn", "deep", "desert", "door", "dream", "dust", "early",
        "east",
        "echo", "ember", "empty", "evening", "fall", "feather", "field", "fire", "five", "flood",
        "forest", "fox", "garden", "ghost", "glass", "gold", "grain", "green", "harbour", "heart",
        "hollow", "home", "honey", "hour", "ice", "iron", "island", "ivory", "jade", "june", "kite",
        "lake", "lantern", "late", "leaf", "letter", "light", "little", "long", "lost", "maple",
        "marble", "meadow", "mirror", "moon", "morning", "mountain", "narrow", "night", "north",
        "ocean", "old", "olive", "open", "paper", "pearl", "pine", "quiet", "rain", "raven", "red",
        "ribbon", "river", "road", "rose", "salt", "sand", "shadow", "silver", "sky", "slow",
        "smoke",
        "snow", "south", "spring", "star", "stone", "storm", "street", "summer", "sun", "thunder",
        "tide", "tower", "train", "valley", "velvet", "violet", "water", "west", "wheel", "white",
        "wild", "willow", "wind", "winter", "wood", "yellow",
    ]

    /// The key of track `i`: 16 hexadecimal characters, different for every `i`.
    func id(_ i: Int) -> Track.ID {
        let number = SeededNumbers.mix(seed &+ UInt64(i) &* 0x9E37_79B9_7F4A_7C15)
        let text = String(number, radix: 16)
        return Track.ID(String(repeating: "0", count: 16 - text.utf8.count) + text)
    }

    func track(_ i: Int) -> Track {
        var random = SeededNumbers(seed: seed ^ (UInt64(i) &* 0xD134_2543_DE82_EF95))
        let artist = Int(random.next() % 10_000)
        let date = releaseDate(i)
        let title = "\(word(&random)) \(word(&random)) \(word(&random))"
        let album = "\(word(&random)) \(word(&random))"
        return Track(
            id: id(i),
            title: title,
            artist: "\(Self.words[artist % Self.words.count]) orchestra \(artist)",
            album: album,
            genre: Self.genres[Int(random.next() % UInt64(Self.genres.count))],
            // Eighths are exact, so sums do not depend on their order.
            duration: Double(random.next() % 4800) / 8,
            releaseDate: date,
            year: 1950 + Int(date.timeIntervalSince1970 + 631_152_000) / 31_556_952,
            rating: random.next() % 3 == 0 ? nil : Int(random.next() % 101),
            playCount: Int(random.next() % 500),
            bpm: Double(60 + random.next() % 120),
            addedAt: random.next() % 10 == 0
                ? nil
                : Date(timeIntervalSince1970: Double(1_300_000_000 + random.next() % 400_000_000)),
            location: "Media/Music/orchestra-\(artist)/\(album)/track-\(i).m4a"
        )
    }

    func tracks(_ range: Range<Int>) -> [Track] {
        range.map(track)
    }

    /// A whole second from 1950 on, another for every `i`, so that sorting by it has one right answer.
    private func releaseDate(_ i: Int) -> Date {
        let second = (i &* 48_271) % 2_147_483_647
        return Date(timeIntervalSince1970: Double(second) - 631_152_000)
    }

    private func word(_ random: inout SeededNumbers) -> String {
        Self.words[Int(random.next() % UInt64(Self.words.count))]
    }
}
