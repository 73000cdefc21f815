import Foundation
import TestSupport

@testable import Reprise

/// A search as one would write it down: over all entities of a state, with Swift's own strings. It knows the words of
/// ``vocabulary`` only, whose folding it is told.
struct NaiveSearch {
    struct Hit: Equatable {
        let id: String
        let score: Double
    }

    /// What a word looks like in text, and the words that it is. The first is the whole, the others are its parts.
    static let vocabulary: [(text: String, words: [String])] = [
        ("Night", ["night"]), ("NIGHT", ["night"]), ("nightfall", ["nightfall"]),
        ("nights", ["nights"]),
        ("Été", ["ete"]), ("e\u{301}te", ["ete"]), ("l'été", ["lete", "ete"]),
        ("L’Amour", ["lamour", "amour"]),
        ("don't", ["dont", "don"]), ("Straße", ["strasse"]), ("Röyksopp", ["royksopp"]),
        ("øre", ["ore"]),
        ("東", ["東"]), ("京", ["京"]), ("2nd", ["2nd"]), ("a", ["a"]), ("ab", ["ab"]),
        ("abc", ["abc"]),
        (String(repeating: "é", count: 70), [String(repeating: "e", count: 64)]),
        (String(repeating: "E", count: 66), [String(repeating: "e", count: 64)]),
    ]

    /// Text of an article: indices into the vocabulary.
    struct Text: Equatable {
        let parts: [Int]

        static func random(_ random: inout SeededGenerator, most: Int = 7) -> Text {
            Text(
                parts: (0..<random.below(most)).map { _ in
                    random.once(in: 2) ? random.below(5) : random.below(vocabulary.count)
                }
            )
        }

        func rendered(_ random: inout SeededGenerator) -> String {
            parts.map { vocabulary[$0].text }.joined(
                separator: random.pick([" ", ", ", "-", " / ", "\n"])
            )
        }

        static func parse(_ text: String) -> Text {
            let separators: Set<Unicode.Scalar> = [" ", ",", "-", "/", "\n"]
            let pieces = text.unicodeScalars.split(whereSeparator: separators.contains)
            return Text(
                parts: pieces.map { piece in
                    let bytes = Array(String(piece).utf8)
                    return vocabulary.firstIndex { Array($0.text.utf8) == bytes } ?? 0
                }
            )
        }
    }

    /// A piece of a query.
    struct Piece {
        var words: [String]
        var isPrefix = false
        var isExcluded = false
    }

    let articles: [Article]

    private typealias Place = (field: Int, position: Int, word: String, isPart: Bool)

    private func places(_ article: Article) -> [Place] {
        var places: [Place] = []
        for (field, text) in [article.title, article.text ?? ""].enumerated() {
            for (position, part) in Text.parse(text).parts.enumerated() {
                for (index, word) in Self.vocabulary[part].words.enumerated() {
                    places.append((field, position, word, index > 0))
                }
            }
        }
        return places
    }

    private func matches(_ piece: Piece, _ index: Int, _ word: String) -> Bool {
        let wanted = piece.words[index]
        return piece.isPrefix && index == piece.words.count - 1
            ? word.hasPrefix(wanted) : word == wanted
    }

    private func has(_ piece: Piece, _ places: [Place]) -> Bool {
        places.contains { first in
            piece.words.indices.allSatisfy { index in
                places.contains {
                    $0.field == first.field && $0.position == first.position + index
                        && matches(piece, index, $0.word)
                }
            }
        }
    }

    func search(_ pieces: [Piece], field: Int? = nil, _ filter: (Article) -> Bool = { _ in true })
        -> [Hit]
    {
        let required = pieces.filter { !$0.isExcluded }
        guard !required.isEmpty else { return [] }
        let all = articles.map { (article: $0, places: places($0)) }
        func weight(_ place: Place) -> Double { place.field == 0 ? 2 : 1 }
        func length(_ places: [Place]) -> Double {
            places.filter { !$0.isPart }.reduce(0) { $0 + weight($1) }
        }
        var terms: [(Piece, Int)] = []
        for piece in required { for index in piece.words.indices { terms.append((piece, index)) } }
        let counts = terms.map { piece, index in
            all.map { entry in
                Set(entry.places.map(\.word).filter { matches(piece, index, $0) }).count
            }
        }
        let entries = counts.map { $0.reduce(0, +) }.reduce(0, +)
        let lengths = counts.map { count in
            zip(count, all).reduce(0) { $0 + Double($1.0) * length($1.1.places) }
        }.reduce(0, +)
        let mean = entries > 0 ? max(1, lengths / Double(entries)) : 1
        var hits: [Hit] = []
        for (article, everywhere) in all {
            let places = everywhere.filter { field == nil || $0.field == field }
            guard required.allSatisfy({ has($0, places) }), filter(article),
                !pieces.contains(where: { $0.isExcluded && has($0, places) })
            else { continue }
            var score = 0.0
            for (number, (piece, index)) in terms.enumerated() {
                let n = Double(min(counts[number].reduce(0, +), all.count))
                let idf = log(1 + (Double(all.count) - n + 0.5) / (n + 0.5))
                let f = places.filter { matches(piece, index, $0.word) }.reduce(0) {
                    $0 + weight($1)
                }
                score += idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length(everywhere) / mean))
            }
            hits.append(Hit(id: article.id.rawValue, score: score))
        }
        return hits.sorted {
            $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id
        }
    }
}
