import ExportFormats
import SQLiteFile

extension LegacyError {
    /// The same failure in the words of all sources.
    init(_ error: SQLiteFileError) {
        let code: Code =
            switch error.code {
            case .noSuchFile: .noSuchFile
            case .notAFile: .notAFile
            case .permissionDenied: .permissionDenied
            case .inputOutput, .noSpace: .inputOutput
            case .cancelled: .cancelled
            case .changedWhileReading: .changedWhileReading
            case .empty: .empty
            case .notADatabase: .unknownFormat
            case .truncated: .truncated
            case .damaged: .damaged
            case .invalidText: .invalidText
            case .limitExceeded: .limitExceeded
            case .unsupportedContent: .unsupportedVersion
            case .invalidRequest: .malformed
            }
        guard code != .cancelled else {
            self = .cancelled
            return
        }
        self.init(code, error.message, advice: error.advice)
    }
}
