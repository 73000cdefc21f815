/// What a source decided on where its file does not say: which columns tell rows apart, whether numbers are Julian days
/// or seconds, whether a table is a list.
///
/// Such a decision depends on what happens to be in a file, and one row more may change it. So the log keeps it
/// (Specs/format/migration.md), and a newer export of the same source is understood as the one before
/// (``InterpretingSource/understood(as:progress:)``).
public struct SourceInterpretation: Sendable, Equatable {
    /// What was chosen, by what it was chosen for. Both are the source's own words, which it must keep understanding;
    /// nobody else does.
    public private(set) var choices: [String: [String]] = [:]
    /// For what somebody has chosen, and not the file: that is written into the log where nothing else is new, too.
    public let asked: Set<String>
    /// Whether a type that was decided, and does not hold all values any more, may give way to a wider one: in the
    /// decisions of earlier exports, where no program says which types the store has.
    package var mayWiden = false

    /// - Parameters:
    ///   - choices: what was chosen, by what it was chosen for.
    ///   - asked: for what somebody has chosen, and not the file.
    public init(_ choices: [String: [String]] = [:], asked: Set<String> = []) {
        self.choices = choices
        self.asked = asked
    }

    /// What was chosen for something, or nil.
    public subscript(subject: String) -> [String]? {
        get { choices[subject] }
        set { choices[subject] = newValue }
    }

    /// Whether something was chosen before that is chosen in another way now, or of which nothing is: a table that is
    /// empty now says nothing of itself.
    ///
    /// - Complexity: O(earlier choices).
    public func differs(from earlier: SourceInterpretation) -> Bool {
        earlier.choices.contains { subject, choice in
            choices[subject].map { !Self.areSame($0, choice) } ?? true
        }
    }

    /// Adds the choices of others for what there is none of.
    package mutating func add(_ others: SourceInterpretation) {
        choices.merge(others.choices) { own, _ in own }
    }

    /// What was chosen otherwise before, or not at all.
    package func changes(since earlier: SourceInterpretation) -> SourceInterpretation {
        SourceInterpretation(
            choices.filter { subject, choice in
                earlier.choices[subject].map { !Self.areSame($0, choice) } ?? true
            }
        )
    }

    private static func areSame(_ first: [String], _ second: [String]) -> Bool {
        first.elementsEqual(second) { $0.utf8.elementsEqual($1.utf8) }
    }
}
