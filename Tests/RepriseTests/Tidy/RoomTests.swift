import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folders of the engine use each other one way: each only those that stand before it in the list.
struct RoomTests {
    private static let folder = "Sources/Reprise"
    private static let rooms = [
        "Base", "Model", "Views", "Fold", "Rules", "Search", "Query", "Transactions", "History", "Rebuild",
        "Changes", "Integrity", "Live", "Store",
    ]

    @Test func `every folder of the engine uses only those below it`() throws {
        var files: [(path: String, room: Int, source: SwiftSource)] = []
        for path in try Repository.files(below: Self.folder, extensions: ["swift"]) {
            let name = String(path.dropFirst(Self.folder.count + 1).prefix { $0 != "/" })
            guard let room = Self.rooms.firstIndex(of: name) else {
                Issue.record(
                    "\(path) is in no room. Put it into \(Self.rooms.joined(separator: ", ")), or add one to the list."
                )
                continue
            }
            files.append((path, room, SwiftSource(try Repository.text(path))))
        }
        try #require(files.count > 100)
        // Types of one name in several rooms are told apart by the compiler, and not here.
        var homes: [String: Set<Int>] = [:]
        for file in files {
            for type in file.source.declared { homes[type, default: []].insert(file.room) }
        }
        let arrows = files.flatMap { file in
            file.source.used.subtracting(file.source.named).sorted().compactMap { type in
                homes[type].flatMap { $0.count == 1 ? $0.first : nil }.map { (file, type, home: $0) }
            }
        }
        // So that a test that reads nothing cannot pass.
        try #require(arrows.contains { $0.home < $0.0.room })
        for (file, type, home) in arrows where home > file.room {
            Issue.record(
                """
                \(file.path) uses \(type), which belongs to \(Self.rooms[home]), above \(Self.rooms[file.room]). \
                Move one of them, or hand in from above what is needed.
                """
            )
        }
    }

    @Test func `an arrow that points up is seen`() {
        let source = SwiftSource(
            """
            /// Uses Store in a comment, and "Store" in a text.
            struct Lower: Middle {
                let text = "Store"
                let inner: Upper.Inner
            }
            """
        )
        #expect(source.declared == ["Lower"])
        #expect(source.used == ["Lower", "Middle", "Upper"])
    }
}

/// Which types a file declares at its top, and which names of types it uses: words that begin with a capital letter,
/// outside of comments and texts, unless they belong to another name (`Outer.Inner`).
struct SwiftSource {
    private(set) var declared: Set<String> = []
    /// Those and the types within them.
    private(set) var named: Set<String> = []
    private(set) var used: Set<String> = []

    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let (slash, star, quote) = (UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\""))
        func begins(_ pattern: [UInt8], at index: Int) -> Bool {
            index + pattern.count <= bytes.count
                && pattern.indices.allSatisfy { bytes[index + $0] == pattern[$0] }
        }
        func end(of pattern: [UInt8], from index: Int) -> Int {
            var index = index
            while index < bytes.count, !begins(pattern, at: index) { index += 1 }
            return min(index + pattern.count, bytes.count)
        }
        var (index, depth, previous, isMember) = (0, 0, "", false)
        while index < bytes.count {
            let byte = bytes[index]
            if byte == slash, begins([slash, slash], at: index) {
                index = end(of: [UInt8(ascii: "\n")], from: index)
            } else if byte == slash, begins([slash, star], at: index) {
                index = end(of: [star, slash], from: index + 2)
            } else if byte == quote, begins([quote, quote, quote], at: index) {
                index = end(of: [quote, quote, quote], from: index + 3)
            } else if byte == quote {
                // Names within interpolations are passed over with the text.
                index += 1
                while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\n") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index += 1
            } else if Self.isWord(byte) {
                let start = index
                while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
                let word = String(decoding: bytes[start..<index], as: UTF8.self)
                if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
                    if !isMember { used.insert(word) }
                    if Self.kinds.contains(previous) {
                        named.insert(word)
                        if depth == 0 { declared.insert(word) }
                    }
                }
                previous = word
                isMember = false
            } else {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                isMember = byte == UInt8(ascii: ".")
                index += 1
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
