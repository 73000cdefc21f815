import RealmFile

/// With what something is refused; nil where it is not. Any other error comes out.
func refusalError(_ body: () throws -> Void) throws -> RealmFileError? {
    do {
        try body()
        return nil
    } catch let error as RealmFileError {
        return error
    }
}

/// The code of the refusal.
func refusal(_ body: () throws -> Void) throws -> RealmFileError.Code? {
    try refusalError(body)?.code
}
