import LegacyRecords
import Reprise

/// What earlier exports of a source had and this one has not, though the store has a place for it: classes,
/// attributes and lists.
struct VanishedParts: Sendable {
    /// One of them.
    private struct Part {
        /// The attribute or list; nil for the whole class.
        let field: String?
        let isList: Bool
        /// What an attribute has in a row that has nothing in it.
        let nothing: Value?
    }

    /// By the stored names of the models, in the order of their names.
    private let parts: [(model: String, parts: [Part])]
    /// Whether the rows of the source lose what they have there: see ``DetailedSource/infersSchema``.
    private let takesAway: Bool

    var isEmpty: Bool { parts.isEmpty }

    /// - Parameter history: what the log says of the source's exports so far.
    init(of source: some LegacySource, _ history: SourceHistory, in store: SchemaDescription) {
        takesAway = source.infersSchema
        // What is lost of a damaged file is said as such, and the file says nothing of the rest.
        guard !source.isPartial else {
            parts = []
            return
        }
        parts = history.fields.sorted { $0.key < $1.key }
            .compactMap { model, fields in
                guard let ours = store.model(named: model) else { return nil }
                guard source.schema.model(named: model) != nil else {
                    // Rows that go because their class has none any more are counted as deleted.
                    if source.infersSchema { return nil }
                    return (model, [Part(field: nil, isList: false, nothing: nil)])
                }
                let missing = fields.subtracting(SourceShape.fields(of: source, model))
                let parts = missing.sorted()
                    .compactMap { Self.part($0, of: ours, source, history, in: store) }
                return parts.isEmpty ? nil : (model, parts)
            }
    }

    /// An attribute or list that the store has a place for; nil where it has none, or where the export says the same
    /// on the other side of the relationship.
    private static func part(
        _ name: String,
        of model: ModelDescription,
        _ source: some LegacySource,
        _ history: SourceHistory,
        in store: SchemaDescription
    ) -> Part? {
        if let attribute = model.attribute(named: name) {
            if SourceShape.isOtherSideGiven(ofToOne: name, of: model, source, in: store) {
                return nil
            }
            // The other side of a one-to-one is an attribute, too.
            let toOne = store.toOnes(of: model).first { $0.name == name }
            if let toOne, let partner = toOne.partner,
                SourceShape.fields(of: source, toOne.target).contains(partner)
            {
                return nil
            }
            let nothing = Value.nothing(of: attribute.type)
            return Part(field: name, isList: false, nothing: nothing)
        }
        let list = store.toManys(of: model).first { $0.name == name }
        guard let list, !SourceShape.isMemberToOneGiven(of: list, source) else { return nil }
        // Of the two sides of one relationship the to-one is named.
        if let toOne = list.memberToOne, history.fields[list.target]?.contains(toOne) == true {
            return nil
        }
        return Part(field: name, isList: true, nothing: nil)
    }

    /// A warning for each of which a row of the source still has something.
    ///
    /// - Parameter isOurs: whether migrations of the source have written what is at a position.
    /// - Complexity: nothing where nothing has vanished; otherwise O(rows of the models that are hit), and mostly the
    ///   first few of them.
    func warnings(
        in state: borrowing ReadTransaction,
        isOurs: (Position) -> Bool
    ) throws -> [LegacyWarning] {
        var warnings: [LegacyWarning] = []
        for (model, parts) in parts {
            var left = parts
            var found: Set<String?> = []
            try state.forEachRecord(RecordQuery(model: model), lists: false) { row in
                guard isOurs(row.created) else { return true }
                var rest: [Part] = []
                for part in left {
                    if try Self.has(part, row, in: state) {
                        found.insert(part.field)
                    } else {
                        rest.append(part)
                    }
                }
                left = rest
                return !left.isEmpty
            }
            for part in parts where found.contains(part.field) {
                warnings.append(warning(of: part, of: model))
            }
        }
        return warnings
    }

    private static func has(
        _ part: Part,
        _ row: Record,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard let field = part.field else { return true }
        guard part.isList else {
            guard let value = row.values.first(where: { $0.name == field })?.value else {
                return false
            }
            return !value.isNull && value != part.nothing
        }
        var isFilled = false
        try state.forEachEntry(of: field, model: row.model, id: row.id) { _ in
            isFilled = true
            return false
        }
        return isFilled
    }

    private func warning(of part: Part, of model: String) -> LegacyWarning {
        guard let field = part.field else {
            return LegacyWarning(
                kind: .vanishedClass,
                message:
                    "The export has no class \(model) any more, which an earlier one had; the rows that came from"
                    + " it stay as they are."
            )
        }
        let outcome =
            takesAway
            ? "what an earlier one had there is taken out of the rows that it has"
            : "rows keep what an earlier one had there"
        return LegacyWarning(
            kind: .vanishedProperty,
            message: "The export has no \(field) of \(model) any more; \(outcome)."
        )
    }
}
