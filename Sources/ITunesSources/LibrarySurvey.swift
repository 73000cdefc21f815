import ExportFormats
import LegacyRecords

/// Finds out whether a property list is a music library, and which one.
final class LibrarySurvey: PropertyListHandler {
    private(set) var libraryID: String?
    private var depth = 0
    private var hasTracks = false

    /// What a survey found.
    struct Result {
        let stamp: ExportFile.Stamp
        let libraryID: String?
    }

    /// Reads the file as far as its `Library Persistent ID`, or to its end when it has none.
    static func run(_ opening: SourceOpening) throws -> Result {
        let survey = LibrarySurvey()
        try PropertyListReader(CheckedStream(opening.input())).read(survey)
        guard survey.libraryID != nil || survey.hasTracks else { throw LibraryReader.notALibrary }
        return Result(stamp: opening.stamp, libraryID: survey.libraryID)
    }

    func open(_ container: PropertyListContainer, key: String) throws -> Bool {
        if depth == 1, key == "Tracks", container == .dictionary { hasTracks = true }
        guard depth == 0 else { return false }
        guard container == .dictionary else { throw LibraryReader.notALibrary }
        depth = 1
        return true
    }

    func close() throws { depth = 0 }

    func scalar(_ scalar: PropertyListScalar, key: String) throws {
        guard depth == 1, key == "Library Persistent ID" else { return }
        guard let text = scalar.string, KeyRegistry.isUsable(text) else { return }
        libraryID = text
        throw EnoughRead()
    }
}
