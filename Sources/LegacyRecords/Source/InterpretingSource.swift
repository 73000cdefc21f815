public import ExportFormats

/// A source that decides on something that its file does not say, so that a newer export has to be understood as the
/// first one was.
public protocol InterpretingSource: LegacySource {
    /// What the source decided on where its file does not say; nothing where that always does.
    var interpretation: SourceInterpretation { get }

    /// The same export, understood as an earlier one of the same source was, as far as its file allows. What is
    /// understood otherwise all the same is warned of when it is read.
    ///
    /// - Parameters:
    ///   - earlier: what was decided then. What it does not name is decided anew.
    ///   - progress: called now and then, on the caller's thread; returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: as that of opening the source, at most.
    func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self
}

/// What is known of any source: one that is not an ``InterpretingSource`` decides on nothing.
extension LegacySource {
    public var interpretation: SourceInterpretation {
        (self as? any InterpretingSource)?.interpretation ?? SourceInterpretation()
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        guard let source = self as? any InterpretingSource else { return self }
        return try source.understood(as: earlier, progress: progress) as? Self ?? self
    }
}
