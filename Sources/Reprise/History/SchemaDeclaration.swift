internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One declaration of a schema in the log.
package struct SchemaDeclaration: Sendable {
    /// 1 for the first declaration of the store, then gapless; 0 where none was made yet.
    package let number: Int
    /// The position of its event.
    package let position: Position
    /// What the clock said then.
    package let at: Date
    package let schema: SchemaDescription

    /// What is in force before the first declaration: no model.
    package static let none = SchemaDeclaration(
        number: 0,
        position: .origin,
        at: .distantPast,
        schema: SchemaDescription(models: [], relations: [])
    )
}

extension ReadTransaction {
    /// Every declaration of the store, the oldest first, whatever the state that is read. Rollbacks take none away.
    ///
    /// - Throws: ``StoreError``: `corrupted` where the log cannot be read, `newerFormat`.
    /// - Complexity: O(declarations · log n).
    package func schemaDeclarations() throws -> [SchemaDeclaration] {
        try access.run {
            let base = access.workspace.logBase
            let log = LogReader(base, table: access.tables.log, head: state.log.head)
            let history = try SchemaHistory(of: state, base, access.tables)
            let found = try zip(history.positions, [history.present] + history.earlier).map { position, schema in
                guard let commit = try log.commit(holding: position) else {
                    throw StoreError.damage("The log has no schema at position \(position).")
                }
                return SchemaDeclaration(
                    number: Int(commit.metadata.schema),
                    position: Position(position),
                    at: Date(microsecondsSince1970: commit.metadata.timeMicroseconds),
                    schema: schema
                )
            }
            return found.reversed()
        }
    }
}
