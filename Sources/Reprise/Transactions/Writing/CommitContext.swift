#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a commit says of itself, for the people who read the history.
public struct CommitContext: Sendable, Hashable {
    /// What the user meant, such as `list.reorder`. At most 1024 bytes.
    ///
    /// Commits with the intents `migrate`, `bulk.load`, `schema.declare` and `schema.convert` are on no stack of undo.
    /// A commit with the intent `undo` or `redo` and a ``causation`` counts as having taken that commit back.
    public var intent: String
    /// Who did it; nil takes the store's ``Store/Configuration/actor``.
    public var actor: String?
    /// What ties commits together that belong to one action or one migration. Those of one actor that follow each other
    /// with the same text are one step of an undo.
    public var correlation: String
    /// The event that led to this commit.
    public var causation: Position?

    /// Creates a context for one of several commits that an undo takes back together.
    ///
    /// ```swift
    /// let drag = CommitContext(group: UUID().uuidString, intent: "task.drag")
    /// ```
    ///
    /// - Parameters:
    ///   - group: what the commits have in common, at most 1024 bytes. It becomes the ``correlation``.
    ///   - intent: what the user meant, at most 1024 bytes.
    ///   - actor: who makes the change, at most 1024 bytes; nil takes the store's ``Store/Configuration/actor``.
    public init(group: String, intent: String = "", actor: String? = nil) {
        self.init(intent: intent, actor: actor, correlation: group)
    }

    /// Creates a context. Without arguments it says nothing, and the actor is the store's.
    ///
    /// - Parameters:
    ///   - intent: what the user meant, at most 1024 bytes.
    ///   - actor: who makes the change, at most 1024 bytes; nil takes the store's ``Store/Configuration/actor``.
    ///   - correlation: what ties commits together, at most 1024 bytes.
    ///   - causation: the event that led to this commit.
    public init(
        intent: String = "",
        actor: String? = nil,
        correlation: String = "",
        causation: Position? = nil
    ) {
        self.intent = intent
        self.actor = actor
        self.correlation = correlation
        self.causation = causation
    }
}

extension Date {
    /// Microseconds since 1970, as commits carry their time; a date that does not fit becomes the nearest that does.
    var microsecondsSince1970: Int64 {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        if microseconds.isNaN { return 0 }
        return Int64(exactly: max(-9.2e18, min(9.2e18, microseconds))) ?? 0
    }

    init(microsecondsSince1970 microseconds: Int64) {
        // From the reference date in one division, so that the date is the one nearest to the microsecond.
        let (sinceReference, overflow) = microseconds.subtractingReportingOverflow(
            978_307_200_000_000
        )
        self.init(
            timeIntervalSinceReferenceDate: Double(overflow ? .min : sinceReference) / 1_000_000
        )
    }
}
