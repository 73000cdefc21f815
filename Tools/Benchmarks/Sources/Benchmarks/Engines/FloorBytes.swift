import Foundation
import Reprise

/// The bytes that the floor writes for a track: laid out and as long as Reprise's own (Specs/format), without the
/// hashes and checksums, whose room is filled with zeros.
enum FloorBytes {
    static let blockHeader = [UInt8](repeating: 0, count: 144)
    static let blockPayloadByteCountMax = 65_536

    /// Number of slots, the end of each, the values one after the other.
    static func payload(_ track: Track) -> [UInt8] {
        var ends: [UInt8] = [12, 0]
        var values: [UInt8] = []
        func add(_ bytes: some Sequence<UInt8>) {
            values.append(contentsOf: bytes)
            append(UInt16(values.count), to: &ends)
        }
        func add(_ number: UInt64?) {
            if let number { append(number, to: &values) }
            append(UInt16(values.count) | (number == nil ? 0x8000 : 0), to: &ends)
        }
        add(track.title.utf8)
        add(track.artist.utf8)
        add(track.album.utf8)
        add(track.genre.utf8)
        add(track.duration.bitPattern)
        add(track.releaseDate.timeIntervalSinceReferenceDate.bitPattern)
        add(UInt64(track.year))
        add(track.rating.map { UInt64($0) })
        add(UInt64(track.playCount))
        add(track.bpm.bitPattern)
        add(track.addedAt?.timeIntervalSinceReferenceDate.bitPattern)
        add(track.location.utf8)
        return ends + values
    }

    /// Length, type, version, model, identifier, previous, cause and the payload.
    static func event(_ track: Track, payload: [UInt8]) -> [UInt8] {
        let id = Array(track.id.rawValue.utf8)
        let fields = [1, 1, 1, UInt8(id.count)] + id + [0, 0] + payload
        return [UInt8(fields.count & 0x7F | 0x80), UInt8(fields.count >> 7)] + fields
    }

    static func rowKey(_ id: Track.ID) -> [UInt8] { [0, 1] + id.rawValue.utf8 }

    /// Checksum, created, revision, payload.
    static func rowValue(payload: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 24) + payload
    }

    static func genreKey(_ track: Track) -> [UInt8] {
        [0, 1, 1] + track.genre.utf8 + [0, 0] + track.id.rawValue.utf8
    }

    static func dateKey(_ track: Track) -> [UInt8] {
        let bits = track.releaseDate.timeIntervalSinceReferenceDate.bitPattern
        let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        var key: [UInt8] = [0, 2, 1]
        append(ordered.bigEndian, to: &key)
        return key + track.id.rawValue.utf8
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }
}
