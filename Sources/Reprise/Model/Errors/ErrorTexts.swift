#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a user is shown: `error.localizedDescription` is the sentence on what happened (VAL-04).
extension StoreError: LocalizedError {
    /// What happened.
    public var errorDescription: String? { message }
    /// What to do.
    public var recoverySuggestion: String? { advice }
}

/// What a user is shown: `error.localizedDescription` is the sentence on what is wrong and where.
extension SchemaError: LocalizedError {
    /// What is wrong, where, and what to do.
    public var errorDescription: String? { description }
}

/// What a user is shown: `error.localizedDescription` is the sentence on what is wrong.
extension ValueError: LocalizedError {
    /// What is wrong and what to do.
    public var errorDescription: String? { description }
}
