import LegacyMigration
import RealmFile

/// A Realm file that a command names by its path, and the file with its key.
struct RealmLocation: Equatable, Sendable {
    let path: String
    var keyFile: String?

    /// What is to be done where no sound copy can be had.
    static let salvageAdvice = "Or take what is provably whole of it with --salvage."

    /// Opens the file, showing how far that is where it has to be decrypted or to be salvaged.
    ///
    /// - Parameters:
    ///   - salvages: whether parts of the file may be damaged.
    ///   - console: who is shown that.
    func open(salvages: Bool = false, in console: borrowing Console) throws -> RealmReader {
        let key = try keyFile.map(Self.key)
        FaultSignal.isReading(export: DisplayWidth.visible(path), andStore: false)
        let meter = console.progress("Reading", unit: "byte")
        defer { meter.finish() }
        let interruption = console.interruption
        func goesOn(_ step: RealmOpeningProgress) -> Bool {
            meter.update(done: UInt64(step.bytesRead), total: UInt64(step.byteCount))
            return !interruption.isRequested()
        }
        guard !salvages else {
            return try RealmReader(salvaging: path, key: key, progress: goesOn)
        }
        return try Self.advising { try RealmReader(path: path, key: key, progress: goesOn) }
    }

    /// Runs what reads a file that has to be sound; of one that is not it is said that it can be salvaged.
    static func advising<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as RealmFileError where error.isDamage {
            var failure = error.failure
            failure.advice += " " + salvageAdvice
            throw failure
        }
    }

    /// A key's file holds its 64 bytes, or 128 hexadecimal digits.
    static func key(in path: String) throws -> [UInt8] {
        // A key's file is short; of a long one no more is read than tells so.
        let bytes = try LegacyFormat.prefix(of: path)
        if bytes.count == 64 { return bytes }
        if let key = digits(bytes) { return key }
        throw CommandFailure(
            .badData,
            "The key's file \(DisplayWidth.visible(path)) holds no key.",
            advice: "It should hold the 64 bytes of the key, or 128 hexadecimal digits."
        )
    }

    private static func digits(_ bytes: [UInt8]) -> [UInt8]? {
        let digits = bytes.filter { !Character(Unicode.Scalar($0)).isWhitespace }
            .map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 128 else { return nil }
        var key: [UInt8] = []
        for place in stride(from: 0, to: 128, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            key.append(UInt8(high << 4 | low))
        }
        return key
    }
}

extension RealmFileError {
    /// Whether parts of the file may be whole nevertheless.
    var isDamage: Bool { [.damaged, .truncated, .limitExceeded].contains(code) }

    /// What the command says and returns.
    var failure: CommandFailure {
        if code == .cancelled { return .readingInterrupted }
        let outcome: Outcome =
            switch code {
            case .noSuchFile, .notAFile, .permissionDenied: .noInput
            case .inputOutput: .inputOutput
            case .invalidRequest: .usage
            case .cancelled: .interrupted
            case .notARealm, .wrongKey, .invalidKey, .unsupportedFormat, .unsupportedContent,
                .damaged,
                .truncated, .limitExceeded:
                .badData
            }
        let place = offset.map { " (at byte \($0))" } ?? ""
        return CommandFailure(outcome, message + place, advice: advice)
    }
}
