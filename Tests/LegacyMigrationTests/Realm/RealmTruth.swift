import Foundation

/// What a made-up Realm file of music holds, as realm-core tells it: read from lines of JSON, with nothing of the
/// reader.
struct RealmTruth {
    struct Album {
        var title: String
        var tracks: [String]
    }

    struct Playlist {
        var name: String
        var tracks: [String]
    }

    struct Track {
        var title: String
        var artist: String
        var durationBits: UInt64
        var genre: String?
        /// Seconds since 1970.
        var releaseSeconds: Int?
    }

    private(set) var tracks: [String: Track] = [:]
    private(set) var albums: [String: Album] = [:]
    private(set) var playlists: [String: Playlist] = [:]

    init(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var keys: [Int: String] = [:]
        var lists: [(class: String, id: String, name: String, links: [Int])] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            guard let name = object?["t"] as? String, let key = object?["k"] as? Int,
                let values = object?["v"] as? [String: Any], let id = values["id"] as? String
            else { continue }
            switch name {
            case "class_RealmTrack":
                keys[key] = id
                let bits = (values["duration"] as? [String: String])?["$d"]
                let date = (values["releaseDate"] as? [String: [Int]])?["$ts"]
                tracks[id] = Track(
                    title: values["title"] as? String ?? "",
                    artist: values["artist"] as? String ?? "",
                    durationBits: bits.flatMap { UInt64($0, radix: 16) } ?? 0,
                    genre: values["genre"] as? String,
                    releaseSeconds: date?.first
                )
            case "class_RealmAlbum", "class_RealmPlaylist":
                let links = (values["tracks"] as? [[String: Int]])?.compactMap { $0["$link"] } ?? []
                let title = values["title"] as? String ?? values["name"] as? String ?? ""
                lists.append((name, id, title, links))
            default: continue
            }
        }
        for list in lists {
            let members = list.links.compactMap { keys[$0] }
            if list.class == "class_RealmAlbum" {
                albums[list.id] = Album(title: list.name, tracks: members)
            } else {
                playlists[list.id] = Playlist(name: list.name, tracks: members)
            }
        }
    }
}

extension Repository {
    /// A small made-up Realm file that ships with the package.
    static func realm(_ name: String) -> String {
        root.appending(path: "Tests/RealmFileTests/Fixtures/\(name)").path
    }

    /// A larger one, where the files beside the repository are present.
    static func sharedRealm(_ name: String) -> String {
        root.appending(path: "../shared/fixtures/realm/generated/\(name)").standardized.path
    }
}
