import Testing

@testable import RealmFile

/// Changes single elements of the arrays of a file, as damage does, found by what they mean.
struct Surgery {
    private(set) var bytes: [UInt8]
    private let realm: RealmReader

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        realm = try RealmReader(bytes: bytes)
    }

    var source: NodeSource { realm.storage.source }

    /// The array of the first rows of a property.
    func leaf(_ className: String, _ property: String) throws -> ArrayNode {
        let realmClass = try #require(realm.class(named: className))
        return try leaf(realmClass, try #require(realmClass.property(named: property)).index)
    }

    /// The array of the first rows that says which objects of one class link to each with one property.
    func origins(of className: String, by origin: String, _ property: String) throws -> ArrayNode {
        let realmClass = try #require(realm.class(named: className))
        let originClass = try #require(realm.class(named: origin))
        let place = try #require(originClass.property(named: property)).index
        let key = realm.storage.tables[originClass.index].columns[place].columnKey
        let columns = realm.storage.tables[realmClass.index].columns
        return try leaf(
            realmClass,
            try #require(
                columns.firstIndex {
                    $0.otherClass == originClass.index && $0.originColumnKey == key
                }
            )
        )
    }

    private func leaf(_ realmClass: RealmClass, _ column: Int) throws -> ArrayNode {
        let table = realm.storage.tables[realmClass.index]
        guard case .clusters(let root) = table.rows else {
            throw RealmFileError(.unsupportedContent, "The rows lie in no clusters.")
        }
        var found: ArrayNode?
        let position = table.columns[column].position
        try ClusterTree(source, root: root).forEachLeaf { cluster throws(RealmFileError) in
            found = try source.node(at: cluster.node.requiredReference(at: position))
            return false
        }
        return try #require(found)
    }

    /// Writes an element of an array of integers or references, in the width that the array has.
    mutating func set(_ index: Int, of node: ArrayNode, to value: Int64) throws {
        let start = node.offset + ArrayNode.headerByteCount
        try #require(node.measure == .bits && index < node.count && node.width > 0)
        if node.width >= 8 {
            let size = node.width / 8
            for byte in 0..<size {
                bytes[start + index * size + byte] = UInt8(
                    truncatingIfNeeded: value >> Int64(8 * byte)
                )
            }
        } else {
            let place = index * node.width
            let mask = UInt8((1 << node.width) - 1) << UInt8(place % 8)
            try #require(value >= 0 && value < 1 << Int64(node.width))
            bytes[start + place / 8] &= ~mask
            bytes[start + place / 8] |= UInt8(value) << UInt8(place % 8)
        }
        let image = FileImage(bytes: bytes)
        let written = try withExtendedLifetime(image) {
            try ArrayNode(at: node.offset, in: image.bytes).integer(at: index)
        }
        try #require(written == value)
    }

    /// Replaces a text that is in the file once or more by another one of as many bytes.
    mutating func replace(_ text: String, by other: [UInt8]) throws {
        let old = Array(text.utf8)
        try #require(old.count == other.count)
        let ranges = bytes.ranges(of: old)
        try #require(!ranges.isEmpty)
        for range in ranges { bytes.replaceSubrange(range, with: other) }
    }
}
