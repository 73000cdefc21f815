@testable import RealmFile

/// Puts together a file of version 24 with one class, one property and one object, as no app writes it.
struct ForgedFile {
    private var content = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [24, 0, 0, 0]

    /// Where the next array will lie.
    var next: Int { content.count }

    /// An array of numbers of 64 bits, or of references.
    @discardableResult
    mutating func array(_ values: [Int64], hasReferences: Bool = false) -> Int {
        let offset = next
        header(flags: (hasReferences ? 0x40 : 0) | 7, count: values.count)
        for value in values {
            for byte in 0..<8 {
                content.append(UInt8(truncatingIfNeeded: value >> Int64(8 * byte)))
            }
        }
        return offset
    }

    @discardableResult
    mutating func references(_ values: [Int]) -> Int {
        array(values.map { Int64($0) }, hasReferences: true)
    }

    /// An array of zeros, which takes no room.
    mutating func zeros(_ count: Int) -> Int {
        let offset = next
        header(flags: 0, count: count)
        return offset
    }

    /// An array of bytes.
    mutating func blob(_ bytes: [UInt8]) -> Int {
        let offset = next
        header(flags: 2 << 3, count: bytes.count)
        content += bytes
        content += [UInt8](repeating: 0, count: -bytes.count & 7)
        return offset
    }

    private mutating func name(_ text: String) -> Int {
        let offset = next
        header(flags: 1 << 3 | 6, count: 1)
        content += Array(text.utf8) + [UInt8](repeating: 0, count: 31 - text.utf8.count)
        content.append(UInt8(31 - text.utf8.count))
        return offset
    }

    private mutating func header(flags: UInt8, count: Int) {
        content += [0x41, 0x41, 0x41, 0x41, flags]
        content += [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    /// The file.
    /// - Parameters:
    ///   - leaf: the array with the property's value.
    ///   - type: of the property, as the file numbers it.
    ///   - attributes: likewise.
    mutating func finish(leaf: Int, type: RealmValueType, attributes: ColumnAttributes) -> [UInt8] {
        let cluster = references([1 << 1 | 1, leaf])
        let types = array([Int64(type.rawValue)])
        let attributes = array([Int64(attributes.rawValue)])
        let names = name("property")
        let spec = references([types, names, attributes, 0, 0, zeros(1)])
        let table = references([spec, 0, cluster, 1])
        let tableNames = name("class_Forged")
        let tables = references([table])
        let root = references([tableNames, tables])
        for byte in 0..<8 { content[byte] = UInt8(truncatingIfNeeded: root >> (8 * byte)) }
        return content
    }
}
