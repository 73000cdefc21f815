/// Puts together a Realm file with one class, one property and one object, as no app writes it.
package struct ForgedFile {
    private var content: [UInt8]

    /// - Parameter version: of the format.
    package init(version: UInt8 = 24) {
        content = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [version, 0, 0, 0]
    }

    /// Where the next array will lie.
    package var next: Int { content.count }

    /// An array of numbers of 64 bits, or of references.
    @discardableResult
    package mutating func array(
        _ values: [Int64],
        hasReferences: Bool = false,
        isInner: Bool = false
    ) -> Int {
        let offset = next
        header(
            flags: (hasReferences ? 0x40 : 0) | (isInner ? 0x80 : 0) | 7,
            count: values.count
        )
        for value in values {
            for byte in 0..<8 {
                content.append(UInt8(truncatingIfNeeded: value >> Int64(8 * byte)))
            }
        }
        return offset
    }

    /// An array of numbers of 32 bits.
    package mutating func array(narrow values: [Int32]) -> Int {
        let offset = next
        header(flags: 6, count: values.count)
        for value in values {
            for byte in 0..<4 {
                content.append(UInt8(truncatingIfNeeded: value >> Int32(8 * byte)))
            }
        }
        content += [UInt8](repeating: 0, count: -content.count & 7)
        return offset
    }

    @discardableResult
    package mutating func references(_ values: [Int]) -> Int {
        array(values.map { Int64($0) }, hasReferences: true)
    }

    /// An array of zeros, which takes no room.
    package mutating func zeros(_ count: Int, flags: UInt8 = 0) -> Int {
        let offset = next
        header(flags: flags, count: count)
        return offset
    }

    /// A tree over leaves that have as many elements each.
    package mutating func tree(_ leaves: [Int], of elementCount: Int) -> Int {
        var level = leaves
        var count = elementCount
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 1000).map { start in
                let children = level[start..<min(start + 1000, level.count)]
                // All leaves are full, but perhaps those below the last inner array.
                let total = min(children.count * count, leaves.count * elementCount - start * count)
                let numbers = [count << 1 | 1] + children + [total << 1 | 1]
                return array(numbers.map { Int64($0) }, hasReferences: true, isInner: true)
            }
            count *= 1000
        }
        return level[0]
    }

    /// A tree of a thousand zeros in each of so many leaves, of eight bytes each.
    package mutating func zeros(leafCount: Int) -> Int {
        tree((0..<leafCount).map { _ in zeros(1000) }, of: 1000)
    }

    /// A leaf of mixed elements that are all the same text.
    ///
    /// - Parameter count: how many.
    package mutating func texts(_ count: Int, byteCount: Int) -> Int {
        let blob = blob(Array(repeating: 0x61, count: byteCount) + [0])
        let strings = references([array([Int64(byteCount + 1)]), blob])
        // The type and one, array 3, and its first text, in eight bits each.
        let kinds = next
        header(flags: 4, count: count)
        content += [UInt8](repeating: 3 | 3 << 5, count: count)
        content += [UInt8](repeating: 0, count: -count & 7)
        return references([kinds, 0, 0, strings, 0])
    }

    /// An array of bytes.
    package mutating func blob(_ bytes: [UInt8]) -> Int {
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

    /// A leaf of short texts of up to fourteen bytes.
    package mutating func names(_ texts: [String]) -> Int {
        let offset = next
        header(flags: 1 << 3 | 5, count: texts.count)
        for text in texts {
            let padding = 15 - text.utf8.count
            content += Array(text.utf8) + [UInt8](repeating: 0, count: padding) + [UInt8(padding)]
        }
        return offset
    }

    /// A tree over leaves of 256 rows each, the last one perhaps of fewer.
    ///
    /// - Parameter rowCount: of all of them.
    package mutating func clusters(_ leaves: [Int], rowCount: Int) -> Int {
        var level = leaves
        var rowsPerChild = 256
        var depth = 1
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 256).map { start in
                let children = level[start..<min(start + 256, level.count)]
                let total = min(children.count * rowsPerChild, rowCount - start * rowsPerChild)
                let numbers = [0, depth << 1 | 1, total << 1 | 1] + children
                return array(numbers.map { Int64($0) }, hasReferences: true, isInner: true)
            }
            rowsPerChild *= 256
            depth += 1
        }
        return level[0]
    }

    /// The file, with as many objects as there are rows.
    /// - Parameters:
    ///   - rows: the root of their tree.
    ///   - type: of the property, as the file numbers it.
    ///   - attributes: likewise.
    ///   - isPrimary: whether the property identifies objects.
    ///   - linksToItself: whether the property's links lead to the class.
    package mutating func finish(
        rows: Int,
        type: Int64,
        attributes: Int64,
        isPrimary: Bool = false,
        linksToItself: Bool = false
    ) -> [UInt8] {
        let types = array([type])
        let attributes = array([attributes])
        let names = name("property")
        let spec = references([types, names, attributes, 0, 0, zeros(1)])
        var parts = [spec, 0, rows, 1, 0, 0, 0]
        // What the other class of each property is, and the property there; the first class has number zero.
        parts += linksToItself ? [zeros(1), zeros(1)] : [0, 0]
        if isPrimary { parts += [0, 0, 1] }
        let table = references(parts)
        return finish(table: table)
    }

    /// The file, with a property of links to its own class, and what each object knows of the links to it.
    ///
    /// - Parameter rows: the root of the tree of objects, whose leaves have an array for either.
    package mutating func finish(linksAndOrigins rows: Int) -> [UInt8] {
        let (link, origins, nullable): (Int64, Int64, Int64) = (12, 14, 16)
        let parts = [
            array([link, origins]), name("property"), array([nullable, 0]), 0, 0, array([0, 1]),
        ]
        let opposite = [array([0, 0]), array([1, 0])]
        return finish(table: references([references(parts), 0, rows, 1, 0, 0, 0] + opposite))
    }

    /// The file, with properties of no name and no object.
    package mutating func finish(columnCount: Int) -> [UInt8] {
        let names = zeros(columnCount, flags: 1 << 3)
        let keys = next
        header(flags: 5, count: columnCount)
        for key in 0..<columnCount {
            content += [UInt8(truncatingIfNeeded: key), UInt8(truncatingIfNeeded: key >> 8)]
        }
        content += [UInt8](repeating: 0, count: -content.count & 7)
        let parts = [zeros(columnCount), names, zeros(columnCount), 0, 0, keys]
        return finish(table: references([references(parts), 0, 0, 1]))
    }

    /// A file of version 9, whose column is a tree of its own.
    /// - Parameters:
    ///   - column: the root of the column.
    ///   - type: of the property, as the file numbers it.
    ///   - elementType: likewise of the elements, where the property is a list of values.
    package mutating func finish(column: Int, type: Int, elementType: Int? = nil) -> [UInt8] {
        var subspecs = 0
        if let elementType {
            let parts = [array([Int64(elementType)]), name("element"), array([0])]
            subspecs = references([references(parts)])
        }
        let spec = references([array([Int64(type)]), name("property"), array([0]), subspecs])
        let table = references([spec, references([column])])
        return finish(table: table)
    }

    private mutating func finish(table: Int) -> [UInt8] {
        let tableNames = name("class_Forged")
        let tables = references([table])
        let root = references([tableNames, tables])
        for byte in 0..<8 { content[byte] = UInt8(truncatingIfNeeded: root >> (8 * byte)) }
        return content
    }
}
