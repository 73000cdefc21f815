public import Reprise

/// Temporary stores that have something in them.
extension Store {
    /// Makes a temporary store with these entities, inserted in one commit, in the order given.
    ///
    /// ```swift
    /// let store = try Store.temporary(
    ///     Schema(Note.self, Folder.self),
    ///     rows: [Folder(id: "f"), Note(id: "n", title: "Monday", folder: "f")]
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - schema: the models.
    ///   - rows: the entities. One may lead to those before it.
    ///   - configuration: as for `Store.open(at:schema:configuration:)`.
    /// - Throws: what making the store and inserting throw.
    public static func temporary(
        _ schema: Schema,
        rows: [any Model],
        configuration: Configuration = Configuration()
    ) throws -> Store {
        try temporary(schema, configuration: configuration) { transaction in
            for row in rows { try transaction.insert(row) }
        }
    }

    /// Makes a temporary store with a history: each closure is a commit.
    ///
    /// ```swift
    /// let store = try Store.temporary(
    ///     schema,
    ///     { try $0.insert(Note(id: "n", title: "Monday")) },
    ///     { try $0.update(Note.self, id: "n") { $0.title = "Tuesday" } }
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - schema: the models.
    ///   - configuration: as for `Store.open(at:schema:configuration:)`.
    ///   - first: makes the first commit.
    ///   - more: each makes a further commit. A closure that changes nothing makes none.
    /// - Throws: what making the store throws, and what the closures throw.
    public static func temporary(
        _ schema: Schema,
        configuration: Configuration = Configuration(),
        _ first: (inout WriteTransaction) throws -> Void,
        _ more: (inout WriteTransaction) throws -> Void...
    ) throws -> Store {
        let store = try temporary(schema, configuration: configuration)
        try store.write { try first(&$0) }
        for commit in more { try store.write { try commit(&$0) } }
        return store
    }
}
