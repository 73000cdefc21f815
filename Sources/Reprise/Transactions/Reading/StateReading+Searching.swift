/// A full-text search by stored names, for tools that know a store only from its own schema
/// (Specs/behaviour/search.md).
public struct RecordSearch: Sendable, Hashable {
    /// The model's stored name; its schema has a search index.
    public var model: String
    /// What the user typed: words, which must all occur, `begin*` for words that begin so, `"words in a row"`, and
    /// `-word` for what must not occur.
    public var text: String
    /// The only attribute whose words count; nil for all of the index.
    public var attribute: String?
    /// What results must fulfil besides.
    public var filter: FilterExpression?
    /// Whether the last word may be the beginning of one, as when the user is still typing.
    public var isCompleting: Bool
    /// At most this many; nil is all.
    public var limit: Int?

    /// Creates a search. Nothing is checked before it runs.
    ///
    /// - Parameters:
    ///   - model: the model's stored name.
    ///   - text: what the user typed.
    ///   - attribute: the only attribute whose words count; nil for all of the index.
    ///   - filter: what results must fulfil besides.
    ///   - isCompleting: whether the last word may be the beginning of one.
    ///   - limit: at most this many; nil is all.
    public init(
        model: String,
        text: String,
        attribute: String? = nil,
        filter: FilterExpression? = nil,
        isCompleting: Bool = false,
        limit: Int? = nil
    ) {
        self.model = model
        self.text = text
        self.attribute = attribute
        self.filter = filter
        self.isCompleting = isCompleting
        self.limit = limit
    }
}

/// An entity that a search found.
public struct SearchHit<M: Model>: Sendable {
    /// What was found.
    public let model: M
    /// How good it is; comparable only with others of the same search.
    public let score: Double
}

/// A record that a search found.
public struct RecordHit: Sendable {
    /// What was found.
    public let record: Record
    /// How good it is; comparable only with others of the same search.
    public let score: Double
}

extension StateReading where Self: ~Copyable {
    /// The entities in whose searchable attributes the words occur, the best first.
    ///
    /// ```swift
    /// let hits = try store.search(Note.self, "winter jour*", limit: 20) { $0.length > 200 }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - text: what the user typed, see ``RecordSearch/text``. Without a word nothing is found.
    ///   - completing: whether the last word may be the beginning of one, as when the user is still typing.
    ///   - limit: at most this many; nil is all.
    ///   - filter: what results must fulfil besides.
    /// - Throws: ``StoreError`` with the code `invalidQuery` when the model has no search index.
    /// - Complexity: O(entries of the words), and memory of O(limit); a beginning alone takes memory for the rows that
    ///   have a word of it.
    public func search<M: Model>(
        _ type: M.Type = M.self,
        _ text: String,
        completing: Bool = false,
        limit: Int? = 50,
        where filter: ((Fields<M>) -> Filter<M>)? = nil
    ) throws -> [SearchHit<M>] {
        let found = try access.search(
            RecordSearch(
                model: M.schema.name,
                text: text,
                filter: filter.map { Filter($0).expression },
                isCompleting: completing,
                limit: limit
            )
        )
        return try found.compactMap { match in
            let id = Identifier<M>(String(decoding: match.id, as: UTF8.self))
            let (model, isThere) = try listed(id)
            guard isThere else { throw match.missing }
            return model.map { SearchHit(model: $0, score: match.score) }
        }
    }

    /// The records that a search finds, the best first. `lists` says whether their to-many relationships are read too.
    public func records(_ search: RecordSearch, lists: Bool = true) throws -> [RecordHit] {
        try access.search(search).map { match in
            let id = String(decoding: match.id, as: UTF8.self)
            guard let record = try record(model: search.model, id: id, lists: lists) else {
                throw match.missing
            }
            return RecordHit(record: record, score: match.score)
        }
    }
}

extension StateAccess {
    /// The best matches of a search.
    func search(_ search: RecordSearch) throws -> [BestMatches.Match] {
        try run {
            try synchronize?()
            guard search.limit ?? 0 >= 0 else {
                throw StoreError(
                    .invalidQuery,
                    "The limit of a search is negative.",
                    advice: "Use zero or more."
                )
            }
            let model = try model(named: search.model)
            let filter = try search.filter.map {
                try FilterCompiler(
                    schema: workspace.schema,
                    model: model,
                    unconverted: workspace.unconverted
                ).compile($0)
            }
            let executor = try SearchExecutor(
                SearchQuery(search.text, completing: search.isCompleting),
                attribute: search.attribute,
                model: model,
                in: workspace,
                where: filter.map { filter in
                    { [workspace] in try filter.matches($0.subject, in: workspace) }
                }
            )
            let ranking = try executor.ranking()
            var best = BestMatches(limit: search.limit ?? .max)
            try unsafe executor.forEachMatchingKey { key in
                let score = ranking.score(executor.frequencies, length: executor.length)
                unsafe best.add(score, UnsafeRawBufferPointer(rebasing: key[2...]))
                return true
            }
            return best.sorted()
        }
    }
}
