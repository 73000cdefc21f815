package import Reprise

extension SchemaDescription {
    /// The models in an order in which the targets of to-ones come before those that point to them, where there is one.
    /// Otherwise as in the schema.
    package var targetsFirst: [String] {
        var order: [String] = []
        var isVisited = Set<UInt16>()
        var targets: [UInt16: [UInt16]] = [:]
        for relation in relations {
            switch relation.kind {
            case .reference:
                targets[relation.source.model, default: []].append(relation.target.model)
            case .pair, .list: break
            }
        }
        for model in models {
            // A walk with a stack of its own: a schema from a file may be a long chain.
            var stack: [(number: UInt16, next: Int)] = []
            if isVisited.insert(model.number).inserted { stack.append((model.number, 0)) }
            while let top = stack.last {
                let others = targets[top.number] ?? []
                if top.next < others.count {
                    stack[stack.count - 1].next += 1
                    let other = others[top.next]
                    if isVisited.insert(other).inserted { stack.append((other, 0)) }
                } else {
                    if let name = self.model(top.number)?.name { order.append(name) }
                    stack.removeLast()
                }
            }
        }
        return order
    }
}
