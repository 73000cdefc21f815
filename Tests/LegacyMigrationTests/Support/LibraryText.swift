/// Puts small libraries together.
enum LibraryText {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// A library with the given tracks and playlists, each a dictionary made by the functions
    /// below.
    static func library(
        _ tracks: [String],
        playlists: [String] = [],
        id: String? = "0123456789ABCDEF",
        playlistsFirst: Bool = false
    ) -> [UInt8] {
        let parts = [
            "<key>Tracks</key><dict>\(tracks.joined())</dict>",
            "<key>Playlists</key><array>\(playlists.joined())</array>",
        ]
        let identity = id.map { "<key>Library Persistent ID</key><string>\($0)</string>" } ?? ""
        let body = (playlistsFirst ? parts.reversed() : parts).joined(separator: "\n")
        return Array("\(head)<dict>\(identity)\(body)</dict></plist>".utf8)
    }

    /// A track with its number and key, and more lines.
    static func track(_ number: Int, _ key: String?, name: String? = "T", _ more: String = "")
        -> String
    {
        let name = name.map { "<key>Name</key><string>\($0)</string>" } ?? ""
        let key = key.map { "<key>Persistent ID</key><string>\($0)</string>" } ?? ""
        return "<key>\(number)</key><dict><key>Track ID</key><integer>\(number)</integer>"
            + "\(name)\(key)\(more)</dict>"
    }

    static func playlist(
        _ key: String?,
        _ entries: [Int] = [],
        parent: String? = nil,
        _ more: String = ""
    ) -> String {
        let name = "<key>Name</key><string>P</string>"
        let key = key.map { "<key>Playlist Persistent ID</key><string>\($0)</string>" } ?? ""
        let parent = parent.map { "<key>Parent Persistent ID</key><string>\($0)</string>" } ?? ""
        let items = entries.map { "<dict><key>Track ID</key><integer>\($0)</integer></dict>" }
        return "<dict>\(name)\(more)\(key)\(parent)<key>Playlist Items</key>"
            + "<array>\(items.joined())</array></dict>"
    }

    static func string(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><string>\(value)</string>"
    }

    static func integer(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><integer>\(value)</integer>"
    }

    static func date(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><date>\(value)</date>"
    }
}
