import Foundation
import GRDB
import Reprise

/// Decoding by column number, which GRDB's documentation names as the fast way.
extension Track: FetchableRecord {
    init(row: Row) throws {
        self.init(
            id: ID(row[0] as String),
            title: row[1],
            artist: row[2],
            album: row[3],
            genre: row[4],
            duration: row[5],
            releaseDate: row[6],
            year: row[7],
            rating: row[8],
            playCount: row[9],
            bpm: row[10],
            addedAt: row[11],
            location: row[12]
        )
    }

    /// The arguments of an INSERT, in the order of the columns.
    var arguments: StatementArguments {
        [
            id.rawValue, title, artist, album, genre, duration, releaseDate, year, rating,
            playCount,
            bpm, addedAt, location,
        ]
    }
}
