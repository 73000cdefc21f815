import ArgumentParser
import Reprise

struct FetchArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Shows entities of one model.",
        discussion: """
            Expressions: == != < <= > >= && || ! ( ), in [..], between .. and .., contains, startsWith, \
            endsWith, isNil, and paths through to-one relationships. A comparison has a value on its right, or \
            an attribute of the same type. Strings and ISO 8601 dates stand in double quotes. contains[c] does \
            not see case, [d] no diacritics, [cd] neither. Lists and to-many relationships: tracks.any(..), \
            tracks.all(..), tracks.count; in a list of values `it` is the element.

            matches "words" finds words in what the model declares as searchable, whatever their case and \
            accents: all of the words, begin* for words that begin so, \"words in a row\" and -word for what \
            must not occur. title matches "words" looks into one attribute. `reprise search` has the best first.

            Examples:
              reprise fetch music track --id 1F0E
              reprise fetch music track --where 'genre == "Jazz" && rating > 80'
              reprise fetch music track --where 'album.title == "Blue"' --sort year:desc
              reprise fetch music track --where 'addedAt < "2020-01-01"' --count
              reprise fetch music track --where 'artist ==[cd] "bjork"'
              reprise fetch music track --where 'matches "so wha*"'
              reprise fetch music track --columns id,title,genre --csv > tracks.csv
              reprise fetch music playlist --where 'tracks.any(genre == "Jazz")'
              reprise fetch music album --where 'tracks.count > 20' --explain
              reprise fetch music track --group-by genre --aggregate 'sum(duration)'
              reprise fetch music playlist --as-of before-import --json
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The name of the model.")
    var model: String

    @Option(parsing: .unconditional, help: "Only the entity with this identifier.")
    var id: String?

    @OptionGroup var query: QueryArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Leave out this many of the first.", valueName: "count")
    )
    var offset: Int?

    @Flag(help: "Only their number.")
    var count = false

    @Option(
        help: ArgumentHelp(
            "Attributes, separated by commas: shows a line for each combination of values.",
            valueName: "keys"
        )
    )
    var groupBy: String?

    @Option(
        help: ArgumentHelp(
            "Figures, separated by commas: count, sum(..), average(..), min(..), max(..), count(..), distinct(..).",
            valueName: "figures"
        )
    )
    var aggregate: String?

    @Flag(help: "Show how the query is answered, with estimates and what there was.")
    var explain = false

    @Option(help: ArgumentHelp("The state then: \(Point.help).", valueName: "point"))
    var asOf: String?

    @OptionGroup var columns: ColumnsArguments

    @Flag(help: "Print lines of separated values (RFC 4180), the names in the first.")
    var csv = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json && !csv }

    func validate() throws {
        if id != nil, query.filter != nil || query.sort != nil || query.limit != nil || offset != nil {
            throw ValidationError(
                "--id names one entity; it cannot be combined with --where, --sort, --limit or --offset."
            )
        }
        let hasGroups = groupBy != nil || aggregate != nil
        if [count || id != nil, explain, hasGroups].count(where: \.self) > 1 {
            throw ValidationError(
                "--explain, --group-by or --aggregate, and --count or --id exclude one another."
            )
        }
        if csv, answer.json || count || explain {
            throw ValidationError("--csv excludes --json, --count and --explain.")
        }
        if columns.columns != nil, count || explain || hasGroups {
            throw ValidationError("--columns chooses what of entities is shown. Leave it out, or show entities.")
        }
        if let offset, offset < 0 { throw ValidationError.negative("--offset", offset) }
    }

    func command() throws -> any Command {
        FetchCommand(
            store: store.location,
            model: model,
            id: id,
            filter: query.filter,
            sort: query.sortKeys,
            limit: query.limit,
            offset: offset ?? 0,
            isCountOnly: count,
            isExplained: explain,
            groupKeys: groupBy.map { $0.split(separator: ",").map(String.init) } ?? [],
            aggregates: aggregate.map { $0.split(separator: ",").map(String.init) } ?? [],
            columns: columns.names,
            point: try asOf.map { try Point(typed: $0) } ?? .head,
            isJSON: answer.json,
            isCSV: csv
        )
    }
}

extension ValidationError {
    /// A count that was given as less than nothing.
    static func negative(_ option: String, _ count: Int) -> ValidationError {
        ValidationError(
            "\(option) is 0 or more, and \(count) is less. Leave it out to have them all."
        )
    }
}
