/// What `NSKeyedArchiver` writes: a property list with a list of objects that refer to each other by their places.
///
/// Since any object may refer to any other, reading is bounded: everything that is decoded is paid for first, by the
/// number of its bytes or elements. When nothing is left to pay with, nothing more is found.
package final class KeyedArchive {
    private let objects: [Int]
    private let reader: Reader
    /// The outermost object.
    package let root: Object

    /// An object with named values.
    package struct Object {
        fileprivate let values: [String: Int]
    }

    /// Nil for anything else.
    package init?(_ bytes: [UInt8]) {
        guard let list = BinaryPropertyList(bytes) else { return nil }
        let reader = Reader(list)
        guard let outer = reader.values(list.top),
            let objectsNumber = outer["$objects"],
            case .array(let objects)? = reader.object(objectsNumber),
            let topNumber = outer["$top"], let top = reader.values(topNumber),
            let rootNumber = top["root"],
            case .identifier(let place)? = reader.object(rootNumber), place < objects.count,
            let root = reader.values(objects[place])
        else { return nil }
        self.reader = reader
        self.objects = objects
        self.root = Object(values: root)
    }

    /// Decodes objects as long as there is something left to pay with.
    private final class Reader {
        private let list: BinaryPropertyList
        private(set) var stepsLeft = 5_000_000
        /// The names of values, which objects share: each is decoded once.
        private var names: [Int: String] = [:]

        init(_ list: BinaryPropertyList) {
            self.list = list
        }

        func object(_ number: Int) -> BinaryPropertyList.Object? {
            guard let size = list.size(of: number) else { return nil }
            guard size < stepsLeft else {
                stepsLeft = 0
                return nil
            }
            stepsLeft -= 1 + size
            return list[number]
        }

        private func name(_ number: Int) -> String? {
            if let name = names[number] { return name }
            guard case .text(let name)? = object(number) else { return nil }
            names[number] = name
            return name
        }

        func values(_ number: Int) -> [String: Int]? {
            guard case .dictionary(let pairs)? = object(number) else { return nil }
            var values: [String: Int] = [:]
            // Of a name that is there several times the last value counts. A long one is looked at once.
            var known: Set<Int> = []
            for pair in pairs.reversed() where stepsLeft > 0 {
                stepsLeft -= 1
                guard known.insert(pair.key).inserted, let key = name(pair.key), values[key] == nil else { continue }
                values[key] = pair.value
            }
            return values
        }
    }

    /// Whether all of it could be read within the steps.
    package var isComplete: Bool { reader.stepsLeft > 0 }

    /// A value by its name: what it refers to, where it is a reference.
    private func value(_ name: String, of object: Object) -> (
        number: Int, object: BinaryPropertyList.Object
    )? {
        guard let number = object.values[name], let found = reader.object(number) else {
            return nil
        }
        guard case .identifier(let place) = found else { return (number, found) }
        guard place < objects.count, let target = reader.object(objects[place]) else { return nil }
        return (objects[place], target)
    }

    package func text(_ name: String, of object: Object) -> String? {
        guard case .text(let text)? = value(name, of: object)?.object, text != "$null" else {
            return nil
        }
        return text
    }

    package func integer(_ name: String, of object: Object) -> Int64? {
        guard case .integer(let number)? = value(name, of: object)?.object else { return nil }
        return number
    }

    func bool(_ name: String, of object: Object) -> Bool {
        guard case .bool(let value)? = value(name, of: object)?.object else { return false }
        return value
    }

    package func object(_ name: String, of object: Object) -> Object? {
        guard let found = value(name, of: object), case .dictionary = found.object else {
            return nil
        }
        return reader.values(found.number).map(Object.init)
    }

    /// The objects in a value that is an archived array, set or dictionary.
    package func elements(_ name: String, of object: Object) -> [Object] {
        guard let collection = self.object(name, of: object),
            case .array(let numbers)? = value("NS.objects", of: collection)?.object
        else { return [] }
        return numbers.compactMap { number in
            guard case .identifier(let place)? = reader.object(number), place < objects.count else {
                return nil
            }
            return reader.values(objects[place]).map(Object.init)
        }
    }
}
