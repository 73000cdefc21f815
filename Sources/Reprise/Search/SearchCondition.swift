/// A search as a condition of a filter: a test of single rows, which needs no index, and a way to find all rows that
/// pass it, where there is one.
///
/// Used by one thread at a time.
final class SearchCondition {
    private let query: SearchQuery
    private let attribute: String?
    private let model: CompiledModel
    private let matcher: SearchMatcher

    /// - Parameters:
    ///   - text: what the user typed (SRC-10 to SRC-13).
    ///   - attribute: the attribute to look at, which holds text; nil for those of the model's search index.
    init(_ text: String, attribute: String?, of model: CompiledModel) throws(StoreError) {
        query = try SearchQuery(text)
        self.attribute = attribute
        self.model = model
        let search: SearchDescription
        if let attribute {
            guard let found = model.attribute(named: attribute), found.type == .string else {
                throw StoreError(
                    .invalidQuery,
                    "\(model.name) has no attribute \"\(attribute)\" that holds text.",
                    advice: "Search in one that does."
                )
            }
            search = SearchDescription(number: 0, fields: [.init(slot: found.slot, weight: 1)])
        } else {
            guard let index = model.search else { throw .noSearchIndex(model) }
            search = index
        }
        matcher = SearchMatcher(query, search)
    }

    /// Whether a row passes. O(bytes of the attributes).
    func matches(_ payload: RowPayload) -> Bool {
        matcher.matches(payload)
    }

    /// Whether the model's search index has all that is asked for, so that ``forEachMatch(in:_:)`` can be called.
    var hasIndex: Bool {
        guard let search = model.search else { return false }
        guard let attribute else { return true }
        let slot = model.attribute(named: attribute)?.slot
        return search.fields.contains { $0.slot == slot }
    }

    /// Every row that passes: first those of the tables by identifier, then the changed rows by identifier. `body`
    /// returns false to stop.
    ///
    /// - Throws: `invalidQuery` when there is no index.
    /// - Complexity: O(entries of the words).
    func forEachMatch(in workspace: Workspace, _ body: (RowHit) throws -> Bool) throws {
        let executor = try SearchExecutor(
            query,
            attribute: attribute,
            model: model,
            in: workspace
        )
        try executor.forEachMatch(body)
    }
}

extension StoreError {
    static func noSearchIndex(_ model: CompiledModel) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(model.name) has no search index.",
            advice: "Declare one with .searchable."
        )
    }
}
