import Foundation

/// Who takes part.
enum Participant: String, CaseIterable {
    case reprise = "Reprise"
    case grdb = "GRDB"
    case floor = "floor"
}

/// What Reprise and its peer do in the table. Every write is durable when it returns.
protocol TrackEngine: AnyObject, Sendable {
    static var participant: Participant { get }

    /// Opens the store in a directory that exists, or makes it.
    init(in directory: URL) throws
    func close() throws

    /// Inserts in one commit.
    func insert(_ tracks: [Track]) throws
    /// Inserts one track in a commit of its own, without blocking the caller's thread.
    func insertConcurrently(_ track: Track) async throws
    /// Inserts batch after batch, each durable, by the way that the engine recommends for many.
    func load(_ nextBatch: () -> [Track]?) throws

    /// The tracks of these keys; `use` gets each one. All in one read transaction.
    func readTogether(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws
    /// The same with a read transaction for each.
    func readSeparately(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws
    func tracks(ofGenre genre: String, longerThan duration: Double) throws -> [Track]
    func firstByReleaseDate(_ count: Int) throws -> [Track]
    func tracks(withTitleContaining part: String) throws -> [Track]
    /// The sum of the durations for each genre; nil when the engine cannot do it yet.
    func durationByGenre() throws -> [String: Double]?
    func count() throws -> Int
    /// Hands over every track without holding them all.
    func stream(_ use: (Track) -> Void) throws

    /// Puts into the main file what may lie beside it, so that sizes can be compared.
    func settle() throws
}

extension TrackEngine {
    var participant: Participant { Self.participant }
}

enum BenchmarkError: Error, CustomStringConvertible {
    case missing(Track.ID)
    case notDurable
    case disagreement(String)
    case floor(String)
    case child(String)

    var description: String {
        switch self {
        case .missing(let id): "The track \(id) is not in the store."
        case .notDurable: "The peer does not sync its commits."
        case .disagreement(let text): "The engines disagree: \(text)"
        case .floor(let text): "The floor failed: \(text)"
        case .child(let text): "A child process failed: \(text)"
        }
    }
}
