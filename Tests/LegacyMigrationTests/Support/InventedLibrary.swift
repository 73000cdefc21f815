import Foundation

/// A small library that can be changed and written as XML.
struct InventedLibrary {
    struct Track: Equatable {
        var key: String
        var number: Int
        var title: String
        var album: String?
        var artist: String?
        var playCount: Int?
        var isLoved = false
    }

    struct Playlist: Equatable {
        var key: String
        var name: String
        var parent: String?
        var isFolder = false
        /// Indices of keys of tracks.
        var entries: [String] = []
    }

    var tracks: [Track] = []
    var playlists: [Playlist] = []

    static func key(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    var xml: [UInt8] {
        let numbers = Dictionary(uniqueKeysWithValues: tracks.map { ($0.key, $0.number) })
        return LibraryText.library(
            tracks.map { track in
                var more = ""
                if let album = track.album { more += LibraryText.string("Album", album) }
                if let artist = track.artist { more += LibraryText.string("Artist", artist) }
                if let count = track.playCount {
                    more += LibraryText.integer("Play Count", String(count))
                }
                if track.isLoved { more += "<key>Loved</key><true/>" }
                return LibraryText.track(track.number, track.key, name: track.title, more)
            },
            playlists: playlists.map { playlist in
                LibraryText.playlist(
                    playlist.key,
                    playlist.entries.compactMap { numbers[$0] },
                    parent: playlist.parent,
                    (playlist.isFolder ? "<key>Folder</key><true/>" : "")
                        + LibraryText.string("Name", playlist.name)
                )
            }
        )
    }

    init() {}

    /// As many tracks on albums of three, a folder, and a list with repeats inside it.
    init(trackCount: Int) {
        tracks = (0..<trackCount).map {
            Track(
                key: Self.key(0x100 + $0),
                number: 1000 + $0,
                title: "T\($0)",
                album: "A\($0 / 3)"
            )
        }
        let keys = tracks.map(\.key)
        playlists = [
            Playlist(key: Self.key(0xF0), name: "Folder", isFolder: true),
            Playlist(
                key: Self.key(0xF1),
                name: "List",
                parent: Self.key(0xF0),
                entries: keys.isEmpty ? [] : (0..<trackCount * 2).map { keys[$0 * 7 % trackCount] }
            ),
        ]
    }

    /// Makes a library up.
    init(using random: inout SeededGenerator) {
        for number in 0..<Int.random(in: 0...40, using: &random) {
            tracks.append(Self.track(number, using: &random))
        }
        for number in 0..<Int.random(in: 0...8, using: &random) {
            playlists.append(playlist(number, using: &random))
        }
    }

    /// The library some time later.
    func changed(using random: inout SeededGenerator) -> InventedLibrary {
        var next = self
        for _ in 0..<Int.random(in: 0...12, using: &random) { next.change(using: &random) }
        let keys = Set(next.tracks.map(\.key))
        let folders = Set(next.playlists.filter(\.isFolder).map(\.key))
        for index in next.playlists.indices {
            next.playlists[index].entries.removeAll { !keys.contains($0) }
            if let parent = next.playlists[index].parent, !folders.contains(parent) {
                next.playlists[index].parent = nil
            }
        }
        return next
    }

    private static func track(_ number: Int, using random: inout SeededGenerator) -> Track {
        Track(
            key: key(0x1000 + number),
            number: 10 + number,
            title: ["Café", "Cafe\u{301}", "雨", "T\(number)"].randomElement(using: &random)!,
            album: Bool.random(using: &random) ? "A\(Int.random(in: 0...5, using: &random))" : nil,
            artist: Bool.random(using: &random) ? "B\(Int.random(in: 0...1, using: &random))" : nil,
            playCount: Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : nil,
            isLoved: Bool.random(using: &random)
        )
    }

    private func playlist(_ number: Int, using random: inout SeededGenerator) -> Playlist {
        let folders = playlists.filter(\.isFolder).map(\.key)
        var playlist = Playlist(
            key: Self.key(0x2000 + number),
            name: "P\(Int.random(in: 0...9, using: &random))",
            parent: Bool.random(using: &random) ? folders.randomElement(using: &random) : nil,
            isFolder: Int.random(in: 0...2, using: &random) == 0
        )
        guard !playlist.isFolder, !tracks.isEmpty else { return playlist }
        playlist.entries = (0..<Int.random(in: 0...15, using: &random)).map { _ in
            tracks.randomElement(using: &random)!.key
        }
        return playlist
    }

    private mutating func change(using random: inout SeededGenerator) {
        switch Int.random(in: 0...9, using: &random) {
        case 0:
            let taken = Set(tracks.map(\.key))
            let number = (0...).first { !taken.contains(Self.key(0x1000 + $0)) }!
            tracks.insert(
                Self.track(number, using: &random),
                at: Int.random(in: 0...tracks.count, using: &random)
            )
        case 1 where !tracks.isEmpty:
            tracks.remove(at: Int.random(in: 0..<tracks.count, using: &random))
        case 2 where !tracks.isEmpty:
            let index = Int.random(in: 0..<tracks.count, using: &random)
            let number = tracks[index].number - 10
            tracks[index] = Self.track(number, using: &random)
        case 3 where !tracks.isEmpty:
            let track = tracks.remove(at: Int.random(in: 0..<tracks.count, using: &random))
            tracks.insert(track, at: Int.random(in: 0...tracks.count, using: &random))
        case 4:
            let taken = Set(playlists.map(\.key))
            let number = (0...).first { !taken.contains(Self.key(0x2000 + $0)) }!
            playlists.append(playlist(number, using: &random))
        case 5 where !playlists.isEmpty:
            playlists.remove(at: Int.random(in: 0..<playlists.count, using: &random))
        case 6 where !playlists.isEmpty:
            playlists.shuffle(using: &random)
        case 7 where !playlists.isEmpty:
            let index = Int.random(in: 0..<playlists.count, using: &random)
            playlists[index].entries.shuffle(using: &random)
        case 8 where !playlists.isEmpty && !tracks.isEmpty:
            let index = Int.random(in: 0..<playlists.count, using: &random)
            guard !playlists[index].isFolder else { return }
            let count = playlists[index].entries.count
            playlists[index].entries.insert(
                tracks.randomElement(using: &random)!.key,
                at: Int.random(in: 0...count, using: &random)
            )
        case 9 where !playlists.isEmpty:
            let index = Int.random(in: 0..<playlists.count, using: &random)
            let folders = playlists.filter(\.isFolder).map(\.key)
            playlists[index].parent = folders.randomElement(using: &random)
            if playlists[index].parent == playlists[index].key { playlists[index].parent = nil }
        default: break
        }
    }
}
