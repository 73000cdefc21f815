import Reprise
import TestSupport

/// A schema by chance.
extension InventedWorld {
    private static let rules: [DeleteRule] = [.nullify, .nullify, .cascade, .deny]

    /// A world without rows, of two or three models and two to four relations.
    init(seed: inout TestSupport.SeededGenerator) {
        while true {
            let models = Array(["a", "b", "c"].prefix(2 + seed.below(2)))
            var parts = Parts(models: models)
            for number in 0..<2 + seed.below(3) { parts.addRelation(number, &seed) }
            let schema = parts.schema(&seed)
            guard (try? schema.validate()) != nil else { continue }
            let order = models.shuffled(using: &seed)
            self.init(schema: schema, relations: parts.relations, models: models, order: order)
            return
        }
    }

    /// What a schema is made of.
    private struct Parts {
        let models: [String]
        var attributes: [String: [(name: String, type: ValueType, isOptional: Bool)]] = [:]
        var relations: [Relation] = []
        var descriptions: [RelationDescription] = []

        init(models: [String]) {
            self.models = models
            for model in models {
                attributes[model] = [("s0", .int, true), ("s1", .int, true), ("u", .string, true)]
            }
        }

        mutating func addRelation(_ number: Int, _ seed: inout TestSupport.SeededGenerator) {
            let source = seed.pick(models)
            let target = seed.pick(models)
            let kinds: [Relation.Kind] = [.toOne, .toOne, .pair, .list, .list]
            var relation = Relation(
                kind: seed.pick(kinds),
                source: source,
                name: "r\(number)",
                target: target,
                inverse: "q\(number)"
            )
            var rules = (seed.pick(InventedWorld.rules), seed.pick(InventedWorld.rules))
            let kind: RelationDescription.Kind
            switch relation.kind {
            case .toOne:
                if seed.once(in: 4) { relation.inverse = nil }
                relation.isRequired = seed.once(in: 3)
                if relation.isRequired, rules.1 == .nullify {
                    rules.1 = seed.once(in: 2) ? .cascade : .deny
                }
                if relation.inverse != nil {
                    let side = seed.below(4)
                    relation.givesSource = side != 0
                    relation.givesInverse = side < 2
                }
                kind = .reference(slot: addToOne(relation.name, to: source, relation.isRequired))
            case .pair:
                relation.isRequired = seed.once(in: 4)
                if !relation.isRequired { relation.isInverseRequired = seed.once(in: 5) }
                if relation.isRequired, rules.1 == .nullify { rules.1 = .cascade }
                if relation.isInverseRequired, rules.0 == .nullify { rules.0 = .cascade }
                let slot = addToOne(relation.name, to: source, relation.isRequired)
                let other = addToOne("q\(number)", to: target, relation.isInverseRequired)
                let side = seed.below(3)
                relation.givesSource = side != 0
                relation.givesInverse = side < 2
                kind = .pair(sourceSlot: slot, targetSlot: other)
            case .list:
                if seed.once(in: 3) { relation.inverse = nil }
                kind = .list
            }
            descriptions.append(
                RelationDescription(
                    UInt16(number + 1),
                    kind,
                    (self.number(of: source), relation.name),
                    (self.number(of: target), relation.inverse),
                    onDelete: rules
                )
            )
            relations.append(relation)
        }

        private func number(of model: String) -> UInt16 {
            UInt16((models.firstIndex(of: model) ?? 0) + 1)
        }

        /// Returns its place.
        private mutating func addToOne(
            _ name: String,
            to model: String,
            _ isRequired: Bool
        ) -> Int {
            attributes[model, default: []].append((name, .reference, !isRequired))
            return (attributes[model]?.count ?? 1) - 1
        }

        func schema(_ seed: inout TestSupport.SeededGenerator) -> SchemaDescription {
            let hasUnique = seed.once(in: 2)
            var indexCount: UInt16 = 0
            let descriptions = models.map { model in
                var unique: [[Int]] = []
                if hasUnique, seed.once(in: 2) { unique = seed.once(in: 2) ? [[2]] : [[1, 2]] }
                var description = ModelDescription(
                    number(of: model),
                    model,
                    attributes[model] ?? [],
                    unique: unique
                )
                for place in description.indexes.indices {
                    indexCount += 1
                    description.indexes[place].number = indexCount
                }
                return description
            }
            return SchemaDescription(models: descriptions, relations: self.descriptions)
        }
    }
}
