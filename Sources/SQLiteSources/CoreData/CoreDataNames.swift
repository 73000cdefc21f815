import Reprise
import SQLiteFile

/// What the store's own model says of columns and tables, where the store holds it.
struct CoreDataNames {
    /// What a column of an entity's table is.
    struct Property {
        let name: String
        let form: ValueForm?
        /// The number of the entity that a to-one leads to.
        var target: Int64?
        var inverseName: String?
        var onDelete: DeleteRule = .nullify
        var inverseOnDelete: DeleteRule = .nullify
    }

    /// What a many-to-many relationship is.
    struct List {
        var name: String
        var inverseName: String?
        var onDelete: DeleteRule = .nullify
        var inverseOnDelete: DeleteRule = .nullify
    }

    let model: CoreDataModel?
    private let entities: CoreDataEntities
    private let numbers: [String: Int64]
    /// The properties of all entities of one table, by its root's number and their names in upper case.
    private var properties: [Int64: [String: [CoreDataModel.Property]]] = [:]

    init(_ entities: CoreDataEntities, _ model: CoreDataModel?) {
        self.entities = entities
        self.model = model
        numbers = Dictionary(
            entities.entities.map { ($0.name, $0.number) },
            uniquingKeysWith: { first, _ in first }
        )
        guard let model else { return }
        for entity in entities.entities {
            guard let root = entities.root(of: entity.number) else { continue }
            for property in model[entity.name] {
                let name = property.name.uppercased()
                if properties[root.number]?[name]?.contains(property) ?? false { continue }
                properties[root.number, default: [:]][name, default: []].append(property)
            }
        }
    }

    /// The properties of a name in upper case, and what was added to it to tell columns apart.
    private func find(_ name: some StringProtocol, _ root: Int64) -> (
        [CoreDataModel.Property], suffix: String
    ) {
        let known = properties[root] ?? [:]
        if let found = known[String(name)] { return (found, "") }
        let suffix = String(name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        guard !suffix.isEmpty, let found = known[String(name.dropLast(suffix.count))] else {
            return ([], "")
        }
        return (found, suffix)
    }

    /// What a column of an entity's table is; nil where the model does not say, or not clearly.
    func property(_ column: String, of root: CoreDataEntities.Entity) -> Property? {
        guard column.hasPrefix("Z") else { return nil }
        let (all, suffix) = find(column.dropFirst(), root.number)
        let found = all.filter { property in
            if case .relationship(let relationship) = property.content {
                !relationship.isToMany
            } else {
                true
            }
        }
        guard let first = found.first else { return memberSide(column.dropFirst(), of: root) }
        let name = first.name + suffix
        switch first.content {
        case .attribute(let type, let isExternal):
            guard found.allSatisfy({ $0.content == first.content }) else { return nil }
            return Property(name: name, form: Self.form(type, isExternal))
        case .relationship(let relationship):
            guard let target = numbers[relationship.target],
                found.allSatisfy({ self.root(of: $0) == entities.root(of: target) })
            else { return nil }
            var property = Property(name: name, form: nil, target: target)
            property.onDelete = Self.rule(relationship.deleteRule)
            if let inverse = inverse(of: relationship), inverse.1.isToMany {
                property.inverseName = inverse.0
                property.inverseOnDelete = Self.rule(inverse.1.deleteRule)
            }
            return property
        }
    }

    /// What a column `Z<number><NAME>` is: where the members say whose they are of a to-many that has no inverse. The
    /// number is that of the owner's entity. SwiftData writes so what is declared as an array and nothing else.
    private func memberSide(_ column: Substring, of root: CoreDataEntities.Entity) -> Property? {
        let digits = column.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let owner = entities[number], let ownerRoot = entities.root(of: number)
        else { return nil }
        for list in find(column.dropFirst(digits.count), ownerRoot.number).0 {
            guard case .relationship(let relationship) = list.content, relationship.isToMany,
                relationship.inverse == nil, self.root(of: list) == root,
                model?[owner.name].contains(list) ?? false
            else { continue }
            var property = Property(name: "\(list.name)Of\(owner.name)", form: nil, target: number)
            property.inverseName = list.name
            property.inverseOnDelete = Self.rule(relationship.deleteRule)
            return property
        }
        return nil
    }

    private func root(of property: CoreDataModel.Property) -> CoreDataEntities.Entity? {
        guard case .relationship(let relationship) = property.content,
            let number = numbers[relationship.target]
        else {
            return nil
        }
        return entities.root(of: number)
    }

    private func inverse(of relationship: CoreDataModel.Relationship) -> (
        String, CoreDataModel.Relationship
    )? {
        guard let name = relationship.inverse,
            let property = model?[relationship.target].first(where: { $0.name == name }),
            case .relationship(let inverse) = property.content
        else { return nil }
        return (name, inverse)
    }

    /// What a many-to-many relationship is: its columns are named after both of its sides.
    func list(_ join: CoreDataJoin) -> List {
        let plain = Self.name(join.memberColumn)
        guard let upper = CoreDataJoin.parts(join.memberColumn)?.name,
            let root = entities.root(of: join.ownerNumber)?.number
        else { return List(name: plain) }
        for property in find(upper, root).0 {
            guard case .relationship(let relationship) = property.content, relationship.isToMany
            else { continue }
            var list = List(name: property.name, onDelete: Self.rule(relationship.deleteRule))
            if !join.isReflexive, let inverse = inverse(of: relationship) {
                list.inverseName = inverse.0
                list.inverseOnDelete = Self.rule(inverse.1.deleteRule)
            }
            return list
        }
        return List(name: plain, inverseName: join.isReflexive ? nil : Self.name(join.ownerColumn))
    }

    private static func name(_ column: String) -> String {
        SQLiteName.folded(CoreDataJoin.parts(column)?.name ?? column)
    }

    /// `NSDeleteRule`: no action, nullify, cascade, deny.
    private static func rule(_ number: Int64) -> DeleteRule {
        switch number {
        case 2: .cascade
        case 3: .deny
        default: .nullify
        }
    }

    /// `NSAttributeType`; nil where the column's declared type has to say.
    private static func form(_ type: Int64, _ isExternal: Bool) -> ValueForm? {
        switch type {
        case 100, 200, 300: .int
        case 400: .decimal
        case 500, 600: .double
        case 700, 1200: .string
        case 800: .bool
        case 900: .referenceDate
        case 1000, 1800: isExternal ? .externalData : .referringData
        case 1100: .uuid
        default: nil
        }
    }
}
