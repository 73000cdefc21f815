import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// Results so many that they are decoded on a second thread are those of one thread, and so are errors.
struct ManyRowsTests {
    struct Song: Model, Hashable {
        var id: ID
        var genre: String
        var title: String
        var length: Int
        var note: String?

        static let schema = ModelSchema(
            "song",
            version: 1,
            Self.init,
            .id("id", \.id),
            .attribute("genre", \.genre, indexed: true),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("note", \.note)
        )
    }

    private let place: ScratchPlace
    private static let genres = ["waltz", "polka", "tango", "samba", "rumba"]
    private static let count = 7500

    init() throws {
        place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Song.self))
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<Self.count { try transaction.insert(Self.song(number)) }
        }
    }

    private static func song(_ number: Int) -> Song {
        let text = String(number * 7919 % 1_000_003)
        return Song(
            id: Song.ID(id(number)),
            genre: genres[number % genres.count],
            title: "title " + String(repeating: "é", count: number % 4) + text,
            length: number * 31 % 4001,
            note: number % 5 == 0 ? nil : String(repeating: "n", count: number % 40)
        )
    }

    private static func id(_ number: Int) -> String {
        String(repeating: "0", count: 6 - String(number).count) + String(number)
    }

    private static func key(_ number: Int) -> [UInt8] { [0, 1] + Array(id(number).utf8) }

    private func open() throws -> Store { try Store.open(existing: place("store")) }

    private var all: FetchDescriptor<Song> { FetchDescriptor() }

    private var questions: [FetchDescriptor<Song>] {
        [
            all,
            all.where { $0.genre == "waltz" },
            all.where { $0.genre == "polka" && $0.length > 900 },
            all.sorted(by: \.length),
            all.sorted(by: \.length, .descending).limit(2500),
            all.sorted(by: \.title),
            all.where { $0.genre == "polka" }.offset(700).limit(700),
            all.where { $0.title.contains("1") },
            all.limit(513),
        ]
    }

    /// What is handed over one by one is decoded where it is found.
    private func check(_ transaction: borrowing some StateReading & ~Copyable) throws {
        for question in questions {
            var expected: [Song] = []
            try transaction.forEach(question) {
                expected.append($0)
                return true
            }
            #expect(expected.count > RowRelay.rowCountAlone)
            let found = try transaction.fetch(question)
            #expect(found == expected)
        }
    }

    /// QRY-20, QRY-23, QRY-26
    @Test func `many results are those that are handed over one by one`() throws {
        let store = try open()
        defer { store.close() }
        let before = try store.statistics().head
        try store.read { try check($0) }
        try store.write { transaction in
            for number in stride(from: 0, to: Self.count, by: 7) {
                _ = try transaction.update(Song.self, id: Song.ID(Self.id(number))) { song in
                    song.length += 5000
                    song.genre = "waltz"
                }
            }
            try check(transaction)
        }
        try store.read { try check($0) }
        try store.read(asOf: .position(before)) { try check($0) }
    }

    /// QRY-20
    @Test func `many threads that ask for many results all get them`() async throws {
        let store = try open()
        defer { store.close() }
        let question = questions[2]
        let expected = try store.fetch(question)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    for _ in 0..<5 where try store.fetch(question) != expected { return false }
                    return true
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    /// STO-33, QRY-32: rows that the filter throws away are looked at in an index, too.
    @Test(arguments: [3, 4000, 7499])
    func `damage behind an index is found wherever the row is`(_ number: Int) throws {
        let genre = Self.song(number).genre
        try StoreSurgery.editRow(Self.key(number), at: place("store"), mendsChecksum: false) {
            $0[$0.count - 1] ^= 1
        }
        let store = try open()
        defer { store.close() }
        let kept = all.where { $0.genre == genre && $0.title != "" }
        let thrownAway = all.where { $0.genre == genre && $0.title == "" }
        for question in [kept, thrownAway, kept.offset(1600)] {
            try store.read { transaction in
                let plan = try QueryExecutor(question.query, in: transaction.access).plan
                guard case .index = plan.access else {
                    Issue.record("This is about an index, not \(plan.access).")
                    return
                }
            }
        }
        for question in [kept, thrownAway, kept.offset(1600), all.sorted(by: \.length), all] {
            let error = #expect(throws: StoreError.self) { try store.fetch(question) }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains(Self.id(number)) == true)
        }
        // The others do not meet it.
        for other in Self.genres where other != genre {
            let found = try store.fetch(all.where { $0.genre == other && $0.title != "" })
            #expect(found.count == Self.count / Self.genres.count)
        }
    }

    /// Two rows are wrong in different ways: the error is about the first of them.
    @Test(arguments: [(4500, 4505), (4505, 4500), (3500, 7000), (7000, 3500), (7495, 30), (30, 35)])
    func `the first error in the order of the results is thrown`(
        _ undecodable: Int,
        _ damaged: Int
    ) throws {
        try StoreSurgery.editRow(Self.key(undecodable), at: place("store"), mendsChecksum: true) {
            guard let start = $0.firstRange(of: Array("title".utf8))?.lowerBound else { return }
            $0[start] = 0xFF
        }
        try StoreSurgery.editRow(Self.key(damaged), at: place("store"), mendsChecksum: false) {
            $0[$0.count - 1] ^= 1
        }
        let store = try open()
        defer { store.close() }
        for question in [all, all.where { $0.genre == "waltz" && $0.title != "" }] {
            let error = #expect(throws: StoreError.self) { try store.fetch(question) }
            let isText = undecodable < damaged
            #expect(error?.code == (isText ? .invalidValue : .corrupted))
            #expect(error?.message.contains(Self.id(min(undecodable, damaged))) == true)
        }
    }

    @Test func `text of every length is read as it is, and what is no text is refused`() throws {
        for count in 0...40 {
            let plain = [UInt8](repeating: 0x61, count: count)
            #expect(
                try unsafe plain.withUnsafeBytes { try unsafe String.read($0) }.utf8.count == count
            )
            for place in 0..<count {
                var broken = plain
                broken[place] = 0x80
                #expect(throws: ValueError(.invalidText)) {
                    try unsafe broken.withUnsafeBytes { try unsafe String.read($0) }
                }
                guard place + 1 < count else { continue }
                var accented = plain
                (accented[place], accented[place + 1]) = (0xC3, 0xA9)
                let text = try unsafe accented.withUnsafeBytes { try unsafe String.read($0) }
                #expect(Array(text.utf8) == accented)
            }
        }
    }
}
