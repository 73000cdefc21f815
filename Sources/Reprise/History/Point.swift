#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A point in the history of a store.
public enum Point: Sendable, Hashable {
    /// Now.
    case head
    /// Right after the event at this position; within a commit, before that commit.
    case position(Position)
    /// The position of a snapshot.
    case snapshot(String)
    /// After the last commit whose time is not after this one. Last is meant by position: the time of a commit is what
    /// the clock said then, and a clock may have been set back since.
    case date(Date)
}
