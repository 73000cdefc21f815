import ArgumentParser
import Foundation
import Reprise

extension Participant: ExpressibleByArgument {
    /// Opens the store of an engine; the floor has none.
    fileprivate func open(_ directory: String) throws -> any TrackEngine {
        let place = URL(filePath: directory)
        switch self {
        case .reprise: return try RepriseEngine(in: place)
        case .grdb: return try GRDBEngine(in: place)
        case .floor: throw ValidationError("The floor opens no store.")
        }
    }
}

/// Opens a store and reads one track. Prints the seconds and the track's play count.
struct ColdOpen: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cold-open", shouldDisplay: false)

    @Argument var participant: Participant
    @Argument var directory: String
    @Argument var id: String

    func run() throws {
        var playCount = 0
        let watch = Stopwatch()
        watch.resume()
        let engine = try participant.open(directory)
        try engine.readSeparately([Track.ID(id)]) { playCount = $0.playCount }
        watch.pause()
        try engine.close()
        print(watch.seconds, playCount)
    }
}

/// Fills a store and prints the peak of private memory in bytes.
struct MemoryInsert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory-insert",
        shouldDisplay: false
    )

    @Argument var participant: Participant
    @Argument var directory: String
    @Argument var count: Int

    func run() throws {
        let source = TrackSource()
        let engine = try participant.open(directory)
        var next = 0
        let peak = try PrivateMemory.peak {
            try engine.load {
                guard next < count else { return nil }
                let range = next..<min(count, next + 5000)
                next = range.upperBound
                return source.tracks(range)
            }
        }
        try engine.close()
        print(peak ?? 0)
    }
}

/// Streams a store out and prints the peak of private memory in bytes, the tracks and the sum of their play counts.
struct MemoryStream: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory-stream",
        shouldDisplay: false
    )

    @Argument var participant: Participant
    @Argument var directory: String

    func run() throws {
        let engine = try participant.open(directory)
        var count = 0
        var playCount = 0
        let peak = try PrivateMemory.peak {
            try engine.stream { track in
                count += 1
                playCount += track.playCount
            }
        }
        try engine.close()
        print(peak ?? 0, count, playCount)
    }
}
