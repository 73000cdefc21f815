import Reprise

/// Reads `count`, `sum(duration)`, `average(rating)`, `min(year)`, `max(year)`, `count(genre)` and `distinct(genre)`.
struct AggregateText {
    /// As it was written: the name of its column.
    let name: String
    let aggregate: Aggregate

    private static let figures = ["sum", "average", "min", "max", "count", "distinct"]

    init(_ text: String, _ vocabulary: WhereVocabulary) throws(CommandFailure) {
        name = text
        if text == "count" {
            aggregate = .count
            return
        }
        guard let open = text.firstIndex(of: "("), text.last == ")" else {
            throw Self.mistake(text)
        }
        let figure = String(text[..<open])
        let path = try Self.path(
            String(text[text.index(after: open)...].dropLast()),
            "--aggregate",
            vocabulary
        )
        switch figure {
        case "sum": aggregate = .sum(path)
        case "average": aggregate = .average(path)
        case "min": aggregate = .min(path)
        case "max": aggregate = .max(path)
        case "count": aggregate = .countOf(path)
        case "distinct": aggregate = .countDistinct(path)
        default: throw Self.mistake(text, Spelling.nearest(to: figure, in: Self.figures))
        }
    }

    /// The attribute, or the path through to-one relationships, that an option names.
    static func path(
        _ text: String,
        _ option: String,
        _ vocabulary: WhereVocabulary
    ) throws(CommandFailure) -> FieldPath {
        let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        do throws(WhereVocabulary.PathMistake) {
            _ = try vocabulary.type(of: path)
        } catch {
            let name = DisplayWidth.visible(path[min(error.component, path.count - 1)])
            throw CommandFailure(
                .usage,
                "\(option) expected \(error.expected), found `\(name)`.",
                advice: error.suggestion.map { "Did you mean \($0)?" }
                    ?? "Name an attribute, or a path such as album.title."
            )
        }
        return FieldPath(path)
    }

    private static func mistake(_ text: String, _ suggestion: String? = nil) -> CommandFailure {
        CommandFailure(
            .usage,
            "--aggregate cannot read `\(DisplayWidth.visible(text))`.",
            advice: suggestion.map { "Did you mean \($0)?" }
                ?? "Write count, or sum, average, min, max, count or distinct of an attribute: sum(duration)."
        )
    }
}
