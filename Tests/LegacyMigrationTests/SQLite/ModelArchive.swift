import Foundation

/// Writes what Core Data keeps in `Z_MODELCACHE`, as far as the reader looks at it: a keyed archive in a binary
/// property list, in the stored blocks of DEFLATE.
struct ModelArchive: Sendable {
    struct Property {
        var name: String
        var type: Int?
        var flags = 0
        var target: String?
        var inverse: String?
        var isToMany = false
        var deleteRule = 1

        static func attribute(_ name: String, _ type: Int, flags: Int = 0) -> Property {
            Property(name: name, type: type, flags: flags)
        }

        static func relationship(
            _ name: String,
            to target: String,
            inverse: String?,
            isToMany: Bool = false,
            deleteRule: Int = 1
        ) -> Property {
            Property(
                name: name,
                target: target,
                inverse: inverse,
                isToMany: isToMany,
                deleteRule: deleteRule
            )
        }
    }

    private indirect enum Node: Sendable {
        case text(String)
        case integer(Int)
        case identifier(Int)
        case array([Node])
        case dictionary([(String, Node)])
    }

    private var objects: [Node] = [.text("$null")]
    private let root: Int

    /// - Parameter sharesProperties: whether all entities have those of the first, which are written once.
    init(_ entities: [(name: String, properties: [Property])], sharesProperties: Bool = false) {
        var shared: Node?
        root = 1
        objects.append(.integer(0))
        var entityPlaces: [Node] = []
        for entity in entities {
            let properties =
                sharesProperties ? shared ?? add(entity.properties) : add(entity.properties)
            shared = properties
            let name = add(.text(entity.name))
            entityPlaces.append(
                add(.dictionary([("NSEntityName", name), ("NSProperties", properties)]))
            )
        }
        let values = add(.dictionary([("NS.objects", .array(entityPlaces))]))
        let all = add(.dictionary([("values", values)]))
        objects[root] = .dictionary([("NSEntities", all)])
    }

    private mutating func add(_ properties: [Property]) -> Node {
        var propertyPlaces: [Node] = []
        for property in properties {
            var values: [(String, Node)] = [("NSPropertyName", add(.text(property.name)))]
            if let type = property.type {
                values.append(("NSAttributeType", .integer(type)))
                values.append(("NSFlagsKey", .integer(property.flags)))
            }
            if let target = property.target {
                values.append(("_NSDestinationEntityName", add(.text(target))))
                values.append(("NSMaxCount", .integer(property.isToMany ? 0 : 1)))
                values.append(("NSDeleteRule", .integer(property.deleteRule)))
                if let inverse = property.inverse {
                    values.append(("_NSInverseRelationshipName", add(.text(inverse))))
                }
            }
            propertyPlaces.append(add(.dictionary(values)))
        }
        return add(.dictionary([("NS.objects", .array(propertyPlaces))]))
    }

    private mutating func add(_ node: Node) -> Node {
        objects.append(node)
        return .identifier(objects.count - 1)
    }

    /// The property list.
    var bytes: [UInt8] {
        var encoded: [[UInt8]] = []
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
        }
        func mark(_ kind: UInt8, _ count: Int) -> [UInt8] {
            count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + number(count, 4)
        }
        func write(_ node: Node) -> Int {
            let place = encoded.count
            encoded.append([])
            switch node {
            case .text(let text): encoded[place] = mark(5, text.utf8.count) + Array(text.utf8)
            case .integer(let value): encoded[place] = [0x13] + number(value, 8)
            case .identifier(let value): encoded[place] = [0x81] + number(value, 2)
            case .array(let nodes):
                let places = nodes.map(write)
                encoded[place] = mark(10, nodes.count) + places.flatMap { number($0, 3) }
            case .dictionary(let pairs):
                let keys = pairs.map { write(.text($0.0)) }
                let values = pairs.map { write($0.1) }
                encoded[place] = mark(13, pairs.count) + (keys + values).flatMap { number($0, 3) }
            }
            return place
        }
        let top = write(
            .dictionary([
                ("$objects", .array(objects)), ("$top", .dictionary([("root", .identifier(root))])),
            ])
        )
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in encoded {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += number(offset, 4) }
        return bytes + [0, 0, 0, 0, 0, 0, 4, 3] + number(encoded.count, 8) + number(top, 8)
            + number(table, 8)
    }

    /// The property list in stored blocks.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(60_000)
            rest = rest.dropFirst(piece.count)
            let count = piece.count
            result += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
            result += [UInt8(count & 255 ^ 255), UInt8(count >> 8 ^ 255)]
            result += piece
        } while !rest.isEmpty
        return result
    }

    /// As SQL writes bytes.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
}
