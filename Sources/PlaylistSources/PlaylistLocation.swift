import ExportFormats
import Foundation

/// Where an entry of a playlist file is, in one form for all ways of writing it. The disk is not looked at.
public enum PlaylistLocation {
    /// The form in which locations are compared.
    ///
    /// * `file:` URLs become paths, without the host `localhost` and with percent-escapes resolved; `file:///C:/x`
    ///   is `C:/x`.
    /// * Other URLs stay as they are.
    /// * Windows paths (`C:\x`, `\\server\x`, and names with backslashes but no slash) have slashes.
    /// * Relative paths go on from `folder`.
    /// * `.` and `..` are resolved by the text alone.
    ///
    /// - Parameters:
    ///   - location: a path or a URL, as a playlist or a library has it.
    ///   - folder: the absolute path of the folder of the playlist.
    /// - Complexity: O(length).
    public static func resolved(_ location: String, in folder: String = "/") -> String {
        if let path = path(ofFileURL: location) { return withoutDots(path) }
        if isURL(location) { return location }
        var path = location
        if isWindowsPath(path) { path = path.replacing("\\", with: "/") }
        if path.hasPrefix("/") || hasDrive(path) { return withoutDots(path) }
        return withoutDots(folder.hasSuffix("/") ? folder + path : folder + "/" + path)
    }

    /// A path with its percent-escapes resolved, as VLC writes them; nil for a URL, and for a path without any.
    static func decoded(path: String) -> String? {
        guard !isAbsolute(uri: path), path.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return path.removingPercentEncoding.flatMap { $0 == path ? nil : $0 }
    }

    /// The last part of a location without its extension, for an entry that says no title.
    static func title(of location: String) -> String {
        let path = isURL(location) ? String(location.prefix { $0 != "?" && $0 != "#" }) : location
        let last = path.split(separator: "/").last.map(String.init) ?? location
        let name = isURL(location) ? last.removingPercentEncoding ?? last : last
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// The folder of a playlist, as an absolute path.
    static func folder(of path: String) -> String {
        let absolute =
            path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        let parts = absolute.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/")
    }

    /// What a playlist is called by its file: the folder belongs to it, since many are called `playlist.m3u8`.
    static func fileName(of path: String) -> String {
        let name = SourceFile.name(of: path)
        let folder = withoutDots(folder(of: path)).split(separator: "/").last
        return folder.map { "\($0)/\(name)" } ?? name
    }

    private static func path(ofFileURL location: String) -> String? {
        guard location.utf8.count > 5, location.prefix(5).lowercased() == "file:" else {
            return nil
        }
        var rest = String(location.dropFirst(5))
        if rest.hasPrefix("//") {
            rest = String(rest.dropFirst(2))
            let host = rest.prefix { $0 != "/" }
            // Another host is a share of Windows.
            rest =
                host.isEmpty || host.lowercased() == "localhost"
                ? String(rest.dropFirst(host.count)) : "//" + rest
        }
        let path = rest.removingPercentEncoding ?? rest
        return path.hasPrefix("/") && hasDrive(String(path.dropFirst()))
            ? String(path.dropFirst()) : path
    }

    /// What a URI reference means beside a base (RFC 3986, section 5.2, as far as the paths of files need it).
    ///
    /// - Parameters:
    ///   - reference: a URI, or a part of one.
    ///   - base: another URI, or nil where there is none; relative ones give relative ones.
    static func joined(_ reference: String, to base: String?) -> String {
        guard let base, !isAbsolute(uri: reference) else { return reference }
        let path = base.prefix { $0 != "?" && $0 != "#" }
        guard !reference.isEmpty else { return String(path) }
        let root = rootByteCount(ofURI: path)
        if reference.hasPrefix("//") { return path.prefix { $0 != "/" } + reference }
        if reference.hasPrefix("/") { return path.utf8.prefix(root).text + reference }
        let start = path.utf8.prefix(root).text
        var folders = path.utf8.dropFirst(root).text
            .split(separator: "/", omittingEmptySubsequences: false).dropLast().map(String.init)
        if folders.isEmpty, root > 0 { folders = [""] }
        var parts = reference.split(separator: "/", omittingEmptySubsequences: false)
        while let first = parts.first, first == "." || first == ".." {
            parts.removeFirst()
            guard first == ".." else { continue }
            // Above the root there is nothing; above the beginning of a relative base there may be.
            if let last = folders.last, !last.isEmpty, last != ".." {
                folders.removeLast()
            } else if root == 0, folders.first != "" {
                folders.append("..")
            }
        }
        return start + (folders + parts.map(String.init)).joined(separator: "/")
    }

    /// How much of a URI stands before its path: the scheme and the authority.
    private static func rootByteCount(ofURI uri: Substring) -> Int {
        var rest = uri.utf8[...]
        guard isAbsolute(uri: String(uri)), let colon = rest.firstIndex(of: UInt8(ascii: ":"))
        else {
            return 0
        }
        rest = rest[rest.index(after: colon)...]
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
        }
        return uri.utf8.count - rest.count
    }

    private static func isAbsolute(uri: String) -> Bool {
        isURL(uri) || uri.prefix(5).lowercased() == "file:"
    }

    /// A location as XSPF has it, a URI, whose relative ones are percent-escaped paths.
    static func unescaped(uri: String) -> String {
        isAbsolute(uri: uri) ? uri : uri.removingPercentEncoding ?? uri
    }

    /// A scheme of two letters or more and a colon: one letter is a drive.
    private static func isURL(_ location: String) -> Bool {
        let scheme = location.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count >= 2, scheme.count < min(32, location.utf8.count),
            let first = scheme.first, (0x61...0x7A).contains(first | 32)
        else { return false }
        let isScheme = scheme.allSatisfy {
            (0x61...0x7A).contains($0 | 32) || (0x30...0x39).contains($0)
                || [0x2B, 0x2D, 0x2E].contains($0)
        }
        // Names of files have colons too, so that the authority must follow.
        return isScheme && location.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
            || location.hasPrefix("spotify:")
    }

    private static func hasDrive(_ path: String) -> Bool {
        let bytes = Array(path.utf8.prefix(3))
        return bytes.count >= 2 && (0x61...0x7A).contains(bytes[0] | 32)
            && bytes[1] == UInt8(ascii: ":")
            && (bytes.count == 2 || bytes[2] == UInt8(ascii: "/") || bytes[2] == UInt8(ascii: "\\"))
    }

    private static func isWindowsPath(_ path: String) -> Bool {
        guard path.utf8.contains(UInt8(ascii: "\\")) else { return false }
        return hasDrive(path) || path.hasPrefix("\\\\") || !path.utf8.contains(UInt8(ascii: "/"))
    }

    private static func withoutDots(_ path: String) -> String {
        var root = ""
        var rest = path[...]
        if hasDrive(path) {
            root = String(path.prefix(2)) + "/"
            rest = path.dropFirst(2)
        } else if path.hasPrefix("//") {
            root = "//"
        } else if path.hasPrefix("/") {
            root = "/"
        }
        var parts: [Substring] = []
        for part in rest.split(separator: "/") where part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(part)
            }
        }
        return root + parts.joined(separator: "/")
    }
}

extension Sequence where Element == UInt8 {
    fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
