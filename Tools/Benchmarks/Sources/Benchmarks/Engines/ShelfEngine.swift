import Foundation

/// What row 11 asks of an engine.
protocol ShelfEngine: AnyObject {
    static var participant: Participant { get }

    init(in directory: URL, filledBy plan: ShelfPlan) throws
    func close() throws

    /// Deletes albums in one durable commit; their tracks go too, and the entries of those in playlists.
    func deleteAlbums(_ ids: [String]) throws
    func counts() throws -> ShelfCounts
}
