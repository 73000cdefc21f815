import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files of the repository, found from where this file is.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The paths of all files below a folder, relative to the root, sorted.
    static func files(below folder: String, extensions: Set<String>) throws -> [String] {
        let base = root.appending(path: folder).path
        var found: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: base) {
            guard let last = path.split(separator: ".").last, extensions.contains(String(last))
            else { continue }
            if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { continue }
            found.append("\(folder)/\(path)")
        }
        return found.sorted()
    }
}

/// The worked examples of a page in `Specs/format`: fences that begin with ```` ```hex ```` and a name. Each line is
/// bytes, and after a semicolon a remark; `61*200` is a byte 200 times.
struct SpecificationPage {
    let examples: [String: [UInt8]]

    init(_ name: String) throws {
        var examples: [String: [UInt8]] = [:]
        var current: String?
        for line in try Repository.text("Specs/format/\(name).md").split(separator: "\n") {
            if line.hasPrefix("```") {
                current = nil
                if line.hasPrefix("```hex ") {
                    let title = String(line.dropFirst(7))
                    try #require(examples[title] == nil, "\(name).md has two examples \"\(title)\"")
                    examples[title] = []
                    current = title
                }
            } else if let current {
                for token in line.prefix(while: { $0 != ";" }).split(separator: " ") {
                    let parts = token.split(separator: "*")
                    let byte = try #require(UInt8(parts[0], radix: 16), "\(name).md: \(line)")
                    let count =
                        parts.count == 2 ? try #require(Int(parts[1]), "\(name).md: \(line)") : 1
                    examples[current]?.append(contentsOf: repeatElement(byte, count: count))
                }
            }
        }
        self.examples = examples
    }

    /// Compares every example with what the code writes; none may be left over on either side.
    func check(_ written: [String: [UInt8]]) {
        #expect(
            Set(examples.keys) == Set(written.keys),
            "every example is checked, and everything has an example"
        )
        for (name, bytes) in written.sorted(by: { $0.key < $1.key }) where examples[name] != bytes {
            Issue.record(
                "\(name)\n  is written as \(hex(bytes))\n  and specified as \(hex(examples[name] ?? []))"
            )
        }
    }
}
