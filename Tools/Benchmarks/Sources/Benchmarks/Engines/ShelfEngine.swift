import Foundation

/// What rows 11 and 18f ask of an engine.
protocol ShelfEngine: AnyObject {
    static var participant: Participant { get }

    init(in directory: URL, filledBy plan: ShelfPlan) throws
    func close() throws

    /// Deletes albums in one durable commit; their tracks go too, and the entries of those in playlists.
    func deleteAlbums(_ ids: [String]) throws
    func counts() throws -> ShelfCounts

    /// Opens a shelf with the next version of its declaration, in which the tracks of a deleted album stay, and closes
    /// it.
    static func keepTracksOfDeletedAlbums(in directory: URL) throws
    /// Deletes the first album of a shelf of that version, and counts what is left.
    static func countsWithoutFirstAlbum(in directory: URL, _ plan: ShelfPlan) throws -> ShelfCounts
}
