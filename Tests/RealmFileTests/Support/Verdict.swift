@testable import RealmFile

/// What becomes of bytes that may be damaged. An error of another kind than `RealmFileError` comes out.
enum Verdict {
    /// They are refused when they are opened.
    case closed(RealmFileError)
    /// They are refused when they are examined.
    case unsound(RealmFileError)
    /// They are found sound, and were read.
    case sound(Content)

    init(_ bytes: [UInt8]) throws {
        let realm: RealmReader
        do throws(RealmFileError) {
            realm = try RealmReader(bytes: bytes)
        } catch {
            self = .closed(error)
            return
        }
        if let error = try refusalError({ try realm.examine() }) {
            // Reading without having examined must do no harm either.
            _ = try refusalError { _ = try Content(realm) }
            self = .unsound(error)
            return
        }
        self = .sound(try Content(realm))
    }

    var error: RealmFileError? {
        switch self {
        case .closed(let error), .unsound(let error): error
        case .sound: nil
        }
    }

    var content: Content? {
        if case .sound(let content) = self { return content }
        return nil
    }
}
