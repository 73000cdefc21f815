import TestSupport
import Testing

@testable import Reprise

/// A store and a naive search answer alike, whatever happened to the store (SRC-30, SRC-31).
struct SearchTwinTests {
    private func article(_ random: inout SeededGenerator, _ id: String) -> Article {
        Article(
            id: .init(id),
            title: NaiveSearch.Text.random(&random).rendered(&random),
            text: random.once(in: 5) ? nil : NaiveSearch.Text.random(&random).rendered(&random),
            note: "night",
            year: random.below(5)
        )
    }

    /// Pieces as the naive search takes them, and the text that says so.
    private func query(_ random: inout SeededGenerator) -> ([NaiveSearch.Piece], String) {
        var pieces: [NaiveSearch.Piece] = []
        var texts: [String] = []
        for _ in 0..<(1 + random.below(3)) {
            let count = random.once(in: 4) ? 2 : 1
            let entries = (0..<count).map { _ in
                NaiveSearch.vocabulary[
                    random.once(in: 2)
                        ? random.below(5) : random.below(NaiveSearch.vocabulary.count)
                ]
            }
            var piece = NaiveSearch.Piece(words: entries.map { $0.words[0] })
            var text = entries.map(\.text).joined(separator: random.pick([" ", "-"]))
            if random.once(in: 3), let last = piece.words.last {
                // The beginning of a word, folded.
                piece.isPrefix = true
                let cut = last.unicodeScalars.prefix(1 + random.below(last.unicodeScalars.count))
                piece.words[count - 1] = String(String.UnicodeScalarView(cut))
                text =
                    (entries.dropLast().map(\.text) + [piece.words[count - 1]]).joined(
                        separator: " "
                    ) + "*"
            }
            piece.isExcluded = random.once(in: 6)
            pieces.append(piece)
            texts.append((piece.isExcluded ? "-" : "") + "\"" + text + "\"")
        }
        return (pieces, texts.joined(separator: random.pick([" ", "  "])))
    }

    private func compare(
        _ transaction: borrowing some StateReading & ~Copyable,
        _ random: inout SeededGenerator,
        times: Int = 12
    ) throws {
        let naive = NaiveSearch(articles: try transaction.fetch(FetchDescriptor<Article>()))
        for _ in 0..<times {
            let (pieces, text) = query(&random)
            let year = random.once(in: 3) ? random.below(5) : nil
            let field = random.once(in: 4) ? random.below(2) : nil
            let limit = random.once(in: 2) ? random.below(9) : nil
            let search = RecordSearch(
                model: "article",
                text: text,
                attribute: field.map { ["title", "text"][$0] },
                filter: year.map { .compare(["year"], .less, .int($0)) },
                limit: limit
            )
            let found = try transaction.records(search)
            let all = naive.search(pieces, field: field) { year == nil || $0.year < year ?? 0 }
            let expected = all.prefix(limit ?? .max)
            #expect(found.count == expected.count, "\(text)")
            for (hit, other) in zip(found, expected) {
                #expect(abs(hit.score - other.score) < 1e-9, "\(text): \(hit.record.id)")
            }
            // Scores that differ in the last bit only may come in either order.
            if limit == nil {
                #expect(Set(found.map(\.record.id)) == Set(expected.map(\.id)), "\(text)")
            }
        }
    }

    @Test(arguments: seeds([1, 2, 3, 4], atMost: 2))
    func `a store searches as one would by reading everything`(seed: UInt64) throws {
        let place = try TemporaryDirectory()
        let store = try Store.open(at: place.path("store"), schema: SearchStore.schema)
        defer { store.close() }
        var random = SeededGenerator(seed: seed)
        var points: [Position] = []
        for round in 0..<14 {
            let ids = try store.fetch(FetchDescriptor<Article>()).map(\.id)
            if round % 5 == 1 {
                let batch = (0..<60).map { article(&random, "load-\(round)-\($0 * 7 % 60)") }
                try store.bulkLoad { loader in
                    try loader.batch { transaction in
                        for one in batch { try transaction.insert(one) }
                    }
                    try loader.batch { transaction in
                        try transaction.update(Article.self, id: batch[3].id) { $0.title = "Night" }
                        if let id = ids.first { try transaction.delete(Article.self, id: id) }
                    }
                }
            } else {
                try store.write { transaction in
                    for number in 0..<25 {
                        let next = article(&random, "\(round)-\(number)")
                        switch random.below(4) {
                        case 0 where !ids.isEmpty:
                            let id = random.pick(ids)
                            guard try transaction.fetch(Article.self, id: id) != nil else {
                                continue
                            }
                            try transaction.delete(Article.self, id: id)
                        case 1 where !ids.isEmpty:
                            let id = random.pick(ids)
                            guard try transaction.fetch(Article.self, id: id) != nil else {
                                continue
                            }
                            try transaction.update(Article.self, id: id) {
                                $0.year = next.year
                                if next.year > 1 { $0.title = next.title }
                                if next.year > 2 { $0.text = next.text }
                            }
                        default: try transaction.insert(next)
                        }
                    }
                    try compare(transaction, &random, times: 4)
                }
            }
            points.append(try store.read { $0.position })
            if round % 4 == 3 { try store.rollback(to: .position(random.pick(points))) }
            try store.read { try compare($0, &random) }
            try store.read(asOf: .position(random.pick(points))) { try compare($0, &random) }
        }
        #expect(try store.verify().faults.isEmpty)
        try store.replay(memoryByteCount: 1 << 20)
        try store.read { try compare($0, &random) }
        #expect(try store.verify().faults.isEmpty)
        try store.replay(upTo: .position(random.pick(points)), into: place.path("copy"))
        let copy = try Store.open(at: place.path("copy"), schema: SearchStore.schema)
        defer { copy.close() }
        try copy.read { try compare($0, &random) }
        #expect(try copy.verify().faults.isEmpty)
    }
}
