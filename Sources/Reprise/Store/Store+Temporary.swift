internal import RepriseLMDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Store {
    /// Makes an empty store for a test or a preview (STO-104). It behaves as any other one, and lies in a directory of
    /// its own among the temporary files of the system. When it is closed, or when the last reference to it goes, it is
    /// removed.
    ///
    /// ```swift
    /// let store = try Store.temporary(Schema(Note.self, Folder.self))
    /// ```
    ///
    /// What a killed process leaves behind is removed by the user's next process that makes a temporary store.
    ///
    /// - Parameters:
    ///   - schema: the models.
    ///   - configuration: as for ``open(at:schema:configuration:)``.
    /// - Throws: ``StoreError`` with the code `permissionDenied`, `diskFull` or `inputOutput`; `storeNotFound` where
    ///   the system has no directory for temporary files, or the configuration asks for a store that is only read.
    /// - Complexity: O(1).
    public static func temporary(
        _ schema: Schema,
        configuration: Configuration = Configuration()
    ) throws -> Store {
        do {
            return try inTemporaryPlace { try open(at: $0, schema: schema, configuration: configuration) }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Makes a store at a path of its own among the temporary files of the system, which goes with it.
    static func inTemporaryPlace(_ make: (_ path: String) throws -> Store) throws -> Store {
        let place = try Leftover.makeDirectory(
            in: FileManager.default.temporaryDirectory.path(percentEncoded: false),
            namePrefix: ".reprise-temporary-"
        )
        do {
            let store = try make("\(place.path)/store.reprise")
            store.temporaryPlace.withLock { $0 = place }
            return store
        } catch {
            place.remove()
            throw error
        }
    }
}
