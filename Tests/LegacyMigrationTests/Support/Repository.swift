import Foundation

/// Files beside the tests.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The made-up library that ships with the package.
    static let sample = root.appending(path: "Tools/sample/Library.xml").path

    /// Real libraries, where they are present; they do not ship with the package.
    static func fixture(_ name: String) -> String {
        root.appending(path: "../shared/fixtures/itunes/\(name)").standardized.path
    }

    static var hasFixtures: Bool {
        FileManager.default.fileExists(atPath: fixture("library_1779_tracks.xml"))
    }
}

/// SplitMix64: the same seed gives the same numbers.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
