import ExportFormats
import LegacyRecords

/// Where the elements of a Flatted text are, and which of them are objects of which class.
///
/// Flatted (https://github.com/WebReflection/flatted) writes one array, in which each object, array and text is an
/// element of its own, and where one of them is a value stands its place in the array as a text; the first element is
/// the root. Realm Studio's root is an object of arrays by class.
///
/// Memory: sixteen bytes an element.
final class FlattedIndex: Sendable {
    /// More elements than this are refused: 512 MiB of places.
    static let elementCountMax = 1 << 25

    /// The offset of each element in the file.
    let offsets: [UInt64]

    init(_ input: FileInput, limits: JSONReader.Limits) throws {
        let reader = JSONReader(input, limits: limits)
        guard try reader.next() == .beginArray else { throw FlattedFile.notFlatted }
        var offsets: [UInt64] = []
        while true {
            let token = try reader.next()
            if token == .endArray { break }
            guard offsets.count < Self.elementCountMax else {
                throw LegacyError(
                    .limitExceeded,
                    "The file has more than \(Self.elementCountMax) objects and texts.",
                    advice: "Use realm2json instead, whose output is read without an index."
                )
            }
            offsets.append(reader.valueOffset)
            try reader.skip(from: token)
        }
        guard try reader.next() == .end else { throw FlattedFile.notFlatted }
        try input.checkUnchanged()
        self.offsets = offsets
    }
}
