import Reprise
import TestSupport

/// What the versions of an evolving declaration say, one after the other.
///
/// A model "item" with attributes that come, go and get other names, and a model "box" that owns items in an order and
/// picks any of them. The identity of an attribute is a number that nothing but the tests know.
struct EvolvingSchema {
    struct Attribute {
        let identity: Int
        var name: String
        /// The names that it had, the latest first.
        var earlierNames: [String] = []
        let isText: Bool
        /// What rows without a value have; nil where the attribute is optional.
        var defaultValue: Value?
        var isIndexed = false
    }

    var attributes: [Attribute] = []
    private(set) var removed: Set<String> = []
    /// What happens to the items of a box that is deleted.
    private(set) var rule = DeleteRule.nullify
    /// What the last change was.
    private(set) var step = "is declared"
    /// Raised with each change: a declaration that said what an earlier one said would be that of older code (STO-85).
    private var version = 1
    private var nextNumber = 0

    init(_ generator: inout SeededGenerator) {
        for _ in 0..<3 { addAttribute(&generator, isOptional: true) }
        step = "is declared"
    }

    func attribute(_ identity: Int) -> Attribute? { attributes.first { $0.identity == identity } }

    /// Changes one thing. Returns whether code from before can go on.
    mutating func change(_ generator: inout SeededGenerator) -> Bool {
        version += 1
        let place = generator.below(attributes.count)
        let other = (place + 1 + generator.below(attributes.count)) % attributes.count
        switch generator.below(8) {
        case 0, 1:
            addAttribute(&generator, isOptional: generator.below(3) == 0)
            return true
        case 2:
            step = "renames \(attributes[place].name)"
            attributes[place].rename(to: name())
        case 3 where place != other && attributes[place].isText == attributes[other].isText:
            step = "exchanges \(attributes[place].name) and \(attributes[other].name)"
            let name = attributes[other].name
            attributes[other].rename(to: attributes[place].name)
            attributes[place].rename(to: name)
        case 4 where attributes.count > 3:
            step = "removes \(attributes[place].name)"
            removed.insert(attributes.remove(at: place).name)
        case 5 where attributes[place].defaultValue == nil:
            step = "makes \(attributes[place].name) required"
            attributes[place].defaultValue = Self.value(attributes[place].isText, &generator)
        case 6:
            rule = [.nullify, .cascade, .deny].filter { $0 != rule }[generator.below(2)]
            step = "changes the rule to \(rule)"
        default:
            step = "\(attributes[place].isIndexed ? "drops" : "adds") the index of \(attributes[place].name)"
            attributes[place].isIndexed.toggle()
        }
        return false
    }

    private mutating func addAttribute(_ generator: inout SeededGenerator, isOptional: Bool) {
        let isText = generator.below(2) == 0
        attributes.append(
            Attribute(
                identity: nextNumber,
                name: name(),
                isText: isText,
                defaultValue: isOptional ? nil : Self.value(isText, &generator),
                isIndexed: generator.below(3) == 0
            )
        )
        step = "adds \(attributes[attributes.count - 1].name)"
    }

    /// One that no attribute has had.
    private mutating func name() -> String {
        nextNumber += 1
        return "a\(nextNumber)"
    }

    static func value(_ isText: Bool, _ generator: inout SeededGenerator) -> Value {
        let number = generator.below(9)
        return isText ? .string(["", "b", "B\u{0}", "é", "e\u{301}", "long \(number)"][number % 6]) : .int(number - 4)
    }

    /// The declaration, with the attributes in any order.
    func declaration(_ generator: inout SeededGenerator) throws -> Schema {
        let shuffled = attributes.shuffled(using: &generator)
        var item = ModelDescription(
            number: 1,
            name: "item",
            version: UInt32(version),
            slotCount: 0,
            attributes: [],
            indexes: []
        )
        for (slot, attribute) in shuffled.enumerated() {
            item.attributes.append(
                AttributeDescription(
                    slot: slot,
                    name: attribute.name,
                    earlierNames: attribute.earlierNames,
                    type: attribute.isText ? .string : .int,
                    isOptional: attribute.defaultValue == nil,
                    defaultValue: attribute.defaultValue
                )
            )
            if attribute.isIndexed {
                let number = UInt16(item.indexes.count + 1)
                item.indexes.append(IndexDescription(number: number, slots: [slot], isUnique: false))
            }
        }
        let box = shuffled.count
        item.attributes.append(AttributeDescription(slot: box, name: "box", type: .reference, isOptional: true))
        item.slotCount = box + 1
        let owner = ModelDescription(number: 2, name: "box", version: 1, slotCount: 0, attributes: [], indexes: [])
        let description = SchemaDescription(
            models: [item, owner],
            relations: [
                RelationDescription(
                    number: 1,
                    kind: .reference(slot: box),
                    source: .init(model: 1, name: "box", onDelete: .nullify),
                    target: .init(model: 2, name: "items", onDelete: rule)
                ),
                RelationDescription(
                    number: 2,
                    kind: .list,
                    source: .init(model: 2, name: "picks", onDelete: .nullify),
                    target: .init(model: 1, name: nil, onDelete: .nullify)
                ),
            ]
        )
        return try Schema(description, removedModels: [], members: ["item": removed])
    }
}

extension EvolvingSchema.Attribute {
    fileprivate mutating func rename(to name: String) {
        earlierNames.insert(self.name, at: 0)
        self.name = name
    }
}

/// What a store with an evolving schema holds, in dictionaries and arrays.
struct EvolvingState: Equatable {
    /// The values that were written, by the identity of their attribute.
    private(set) var items: [String: [Int: Value]] = [:]
    private(set) var boxes: Set<String> = []
    /// The items of each box and what it picks, in their order.
    private(set) var members: [String: [String]] = [:]
    private(set) var picks: [String: [String]] = [:]

    mutating func put(_ id: String, _ values: [Int: Value]) {
        for (identity, value) in values {
            items[id, default: [:]][identity] = value.isNull ? nil : value
        }
        if items[id] == nil { items[id] = [:] }
    }

    mutating func addBox(_ id: String) { boxes.insert(id) }

    mutating func put(_ id: String, into box: String?) {
        if let box, members[box]?.contains(id) == true { return }
        leaveBox(id)
        if let box { members[box, default: []].append(id) }
    }

    private mutating func leaveBox(_ id: String) {
        for box in members.keys { members[box]?.removeAll { $0 == id } }
    }

    mutating func pick(_ box: String, _ id: String, at place: Int) { picks[box, default: []].insert(id, at: place) }
    mutating func unpick(_ box: String, at place: Int) { picks[box]?.remove(at: place) }

    mutating func deleteItem(_ id: String) {
        leaveBox(id)
        for box in picks.keys { picks[box]?.removeAll { $0 == id } }
        items[id] = nil
    }

    /// Returns false where the rule refuses it.
    mutating func deleteBox(_ id: String, _ rule: DeleteRule) -> Bool {
        let owned = members[id] ?? []
        if rule == .deny, !owned.isEmpty { return false }
        if rule == .cascade { for item in owned { deleteItem(item) } }
        members[id] = nil
        picks[id] = nil
        boxes.remove(id)
        return true
    }

    /// What an attribute of an item is, as a reader sees it.
    func value(_ id: String, _ attribute: EvolvingSchema.Attribute) -> Value {
        items[id]?[attribute.identity] ?? attribute.defaultValue ?? .null
    }

    func box(of id: String) -> String? { members.first { $0.value.contains(id) }?.key }
}
