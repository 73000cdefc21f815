public import Reprise

extension RelationDescription {
    /// A relation between two models; either side is left empty when the row at the other is deleted, unless told
    /// otherwise.
    ///
    /// - Parameters:
    ///   - source: the number of the model that holds the to-one, and what it calls it.
    ///   - target: the other model, and what it calls its side; nil where that has no name.
    ///   - rules: what happens at the other end when a row of the one or the other is deleted.
    public init(
        _ number: UInt16,
        _ kind: Kind,
        _ source: (model: UInt16, name: String),
        _ target: (model: UInt16, name: String?),
        onDelete rules: (source: DeleteRule, target: DeleteRule) = (.nullify, .nullify)
    ) {
        self.init(
            number: number,
            kind: kind,
            source: .init(model: source.model, name: source.name, onDelete: rules.source),
            target: .init(model: target.model, name: target.name, onDelete: rules.target)
        )
    }
}
