import Reprise

/// The annotations of one name that migrations of one source have written. A name and a key lead to the last one only,
/// so each says where the one before it is (Specs/format/migration.md).
struct AnnotationChain {
    let name: String
    /// The identity of the source, as text.
    let key: String

    /// The last one.
    ///
    /// - Parameters:
    ///   - owned: what migrations of the source have written. Annotations of the same name and key that somebody else
    ///     has written are passed over.
    ///   - first: none before that position is looked for.
    /// - Complexity: O(log n); where somebody else has written one since, O(events since).
    func last(
        in owned: PositionRanges,
        from first: Position = .origin,
        of state: borrowing ReadTransaction
    ) throws -> Annotation? {
        guard let last = try state.annotation(name: name, key: key), last.position >= first else { return nil }
        if owned.contains(last.position) { return last }
        var found: Annotation?
        try state.forEachCommit(
            from: first,
            to: last.position,
            reversed: true,
            where: { $0.annotation?.name == name }
        ) { commit in
            found = commit.events.compactMap(\.annotation).last { isMember($0) && owned.contains($0.position) }
            return found == nil
        }
        return found
    }

    /// The one before another one, at the position that this one says; nil where it says none.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord` where there is none.
    /// - Complexity: O(log n).
    func annotation(
        before annotation: Annotation,
        at position: UInt64?,
        of state: borrowing ReadTransaction
    ) throws -> Annotation? {
        guard let position else { return nil }
        guard position < annotation.position.rawValue else { throw MigrationLog.unreadable(key) }
        return try self.annotation(at: Position(rawValue: position), of: state)
    }

    /// The one at a position.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord` where there is none.
    /// - Complexity: O(log n).
    func annotation(at position: Position, of state: borrowing ReadTransaction) throws -> Annotation {
        guard let annotation = try state.event(at: position)?.annotation, isMember(annotation) else {
            throw MigrationLog.unreadable(key)
        }
        return annotation
    }

    private func isMember(_ annotation: Annotation) -> Bool {
        annotation.name == name && annotation.key.utf8.elementsEqual(key.utf8)
    }
}
