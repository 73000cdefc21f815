import Reprise
import SQLiteFile

/// A private copy of a store, in which a migration is made of which nothing shall stay.
///
/// It is in a directory below `TMPDIR` or `/tmp` that only its owner may enter. Its files have no name any more as soon
/// as they are open, so that nothing of the user's data stays, however the process ends; what one leaves that is killed
/// while it copies, the next copy removes.
struct TrialStore {
    let store: Store
    private let directory: PrivateDirectory

    /// Where copies are made that are made within `$parent.withValue`; nil is the directory for temporary files.
    @TaskLocal static var parent: String?
    /// How many bytes there are for those made within `$roomByteCountMax.withValue`, where the file system has as many.
    @TaskLocal static var roomByteCountMax = Int.max

    private struct NoRoom: Error {}

    /// Copies a store.
    ///
    /// - Parameter progress: called now and then; what it throws ends the copy.
    /// - Returns: nil where there is no room for the copy and a quarter more, or none can be made for other reasons.
    /// - Throws: what `progress` throws, and a `StoreError` where the store is closed.
    /// - Complexity: O(bytes of the store's file).
    init?(of store: Store, progress: () throws -> Void) throws {
        let parent = Self.parent ?? PrivateDirectory.parent
        PrivateDirectory.removeLeftBehind(in: parent, for: .store)
        guard let directory = try? PrivateDirectory(in: parent, for: .store) else { return nil }
        do {
            let room = min(directory.roomByteCount ?? .max, Self.roomByteCountMax)
            self.store = try store.copy(to: directory.path) { _, byteCount in
                guard byteCount + byteCount / 4 <= room else { throw NoRoom() }
                try progress()
            }
            self.directory = directory
            directory.removeFiles()
        } catch let error as StoreError where error.code != .closed {
            directory.remove()
            return nil
        } catch is NoRoom {
            directory.remove()
            return nil
        } catch {
            directory.remove()
            throw error
        }
    }

    /// Lets go of the copy. To be called once.
    func remove() {
        store.close()
        directory.remove()
    }
}
