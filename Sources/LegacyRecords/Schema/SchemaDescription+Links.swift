package import Reprise

/// A relationship as a model has it.
package struct SchemaLink {
    package let name: String
    package let target: String
    /// The to-one of the members that a list is the other side of.
    package let memberToOne: String?
    package let isToOne: Bool
}

extension SchemaDescription {
    /// The to-ones and the lists of a model that can be written.
    package func links(of model: ModelDescription) -> [SchemaLink] {
        var links: [SchemaLink] = []
        func name(_ number: UInt16) -> String { self.model(number)?.name ?? "" }
        func toOne(_ slot: Int, _ target: UInt16) {
            guard let attribute = model.attribute(slot: slot) else { return }
            links.append(
                SchemaLink(name: attribute.name, target: name(target), memberToOne: nil, isToOne: true)
            )
        }
        for relation in relations {
            switch relation.kind {
            case .reference(let slot):
                if relation.source.model == model.number { toOne(slot, relation.target.model) }
                if relation.target.model == model.number, let list = relation.target.name {
                    links.append(
                        SchemaLink(
                            name: list,
                            target: name(relation.source.model),
                            memberToOne: relation.source.name,
                            isToOne: false
                        )
                    )
                }
            case .pair(let sourceSlot, let targetSlot):
                if relation.source.model == model.number {
                    toOne(sourceSlot, relation.target.model)
                }
                if relation.target.model == model.number {
                    toOne(targetSlot, relation.source.model)
                }
            case .list:
                guard relation.source.model == model.number, let list = relation.source.name else {
                    continue
                }
                links.append(
                    SchemaLink(
                        name: list,
                        target: name(relation.target.model),
                        memberToOne: nil,
                        isToOne: false
                    )
                )
            }
        }
        return links
    }

    /// What each model has: attributes, to-ones and lists.
    package var namesByModel: [String: Set<String>] {
        let names = models.map { model in
            (model.name, Set(model.attributes.map(\.name) + links(of: model).map(\.name)))
        }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    /// The lists of a model that a source gives by themselves: not those that follow from its to-ones.
    package func givenLists(
        of model: ModelDescription,
        absent: [String: Set<String>]
    ) -> [SchemaLink] {
        links(of: model).filter { link in
            guard !link.isToOne, absent[model.name]?.contains(link.name) != true else {
                return false
            }
            guard let toOne = link.memberToOne else { return true }
            return absent[link.target]?.contains(toOne) ?? false
        }
    }
}
