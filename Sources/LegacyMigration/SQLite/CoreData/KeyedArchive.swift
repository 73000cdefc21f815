/// What `NSKeyedArchiver` writes: a property list with a list of objects that refer to each other by their places.
///
/// Since any object may refer to any other, reading is bounded by a number of steps: when they are used up, nothing
/// more is found.
final class KeyedArchive {
    private let list: BinaryPropertyList
    private let objects: [Int]
    /// How many values may still be looked at.
    private var stepsLeft = 5_000_000
    /// The outermost object.
    let root: Object

    /// An object with named values.
    struct Object {
        fileprivate let values: [String: Int]
    }

    /// Nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard let list = BinaryPropertyList(bytes), let outer = Self.values(list, list.top),
            let objectsNumber = outer["$objects"], case .array(let objects)? = list[objectsNumber],
            let topNumber = outer["$top"], let top = Self.values(list, topNumber),
            let rootNumber = top["root"],
            case .identifier(let place)? = list[rootNumber], place < objects.count,
            let root = Self.values(list, objects[place])
        else { return nil }
        self.list = list
        self.objects = objects
        self.root = Object(values: root)
    }

    private static func values(_ list: BinaryPropertyList, _ number: Int) -> [String: Int]? {
        guard case .dictionary(let pairs)? = list[number] else { return nil }
        var values: [String: Int] = [:]
        for pair in pairs {
            if case .text(let key)? = list[pair.key] { values[key] = pair.value }
        }
        return values
    }

    /// A value by its name: what it refers to, where it is a reference.
    /// Whether all of it could be read within the steps.
    var isComplete: Bool { stepsLeft > 0 }

    private func values(_ number: Int) -> [String: Int]? {
        guard stepsLeft > 0, let values = Self.values(list, number) else { return nil }
        stepsLeft -= 1 + values.count
        return values
    }

    private func value(_ name: String, of object: Object) -> (
        number: Int, object: BinaryPropertyList.Object
    )? {
        guard let number = object.values[name], let found = list[number] else { return nil }
        guard case .identifier(let place) = found else { return (number, found) }
        guard place < objects.count, let target = list[objects[place]] else { return nil }
        return (objects[place], target)
    }

    func text(_ name: String, of object: Object) -> String? {
        guard case .text(let text)? = value(name, of: object)?.object, text != "$null" else {
            return nil
        }
        return text
    }

    func integer(_ name: String, of object: Object) -> Int64? {
        guard case .integer(let number)? = value(name, of: object)?.object else { return nil }
        return number
    }

    func bool(_ name: String, of object: Object) -> Bool {
        guard case .bool(let value)? = value(name, of: object)?.object else { return false }
        return value
    }

    func object(_ name: String, of object: Object) -> Object? {
        guard let found = value(name, of: object), case .dictionary = found.object else {
            return nil
        }
        return values(found.number).map(Object.init)
    }

    /// The objects in a value that is an archived array, set or dictionary.
    func elements(_ name: String, of object: Object) -> [Object] {
        guard let collection = self.object(name, of: object),
            case .array(let numbers)? = value("NS.objects", of: collection)?.object
        else { return [] }
        stepsLeft -= numbers.count
        return numbers.compactMap { number in
            guard stepsLeft > 0, case .identifier(let place)? = list[number], place < objects.count
            else {
                return nil
            }
            return values(objects[place]).map(Object.init)
        }
    }
}
