import TestSupport
import Testing

@testable import RealmFile

/// Objects to which more than a thousand others link.
struct ManyOriginsTests {
    private static let origins = (0..<2000).map { Int64($0) }

    private func origins(at reference: Int, _ bytes: [UInt8], version: Int) throws -> [Int64] {
        var found: [Int64] = []
        let source = NodeSource(FileImage(bytes: bytes), try FormatVersion(version))
        try Examination.forEachOrigin(at: reference, source) { found.append($0) }
        return found
    }

    @Test(arguments: [2, 9, 24])
    func `they lie in a tree before version 10 and from version 24 on`(version: Int) throws {
        var file = ForgedFile(version: UInt8(version))
        let leaves = [file.array(Array(Self.origins[..<1000])), file.array(Array(Self.origins[1000...]))]
        let root = file.tree(leaves, of: 1000)
        let few = file.array([7, 8])
        let bytes = file.finish(columnCount: 1)
        #expect(try origins(at: root, bytes, version: version) == Self.origins)
        #expect(try origins(at: few, bytes, version: version) == [7, 8])
    }

    @Test(arguments: [10, 23])
    func `they lie in one array between`(version: Int) throws {
        var file = ForgedFile(version: UInt8(version))
        let root = file.array(Self.origins)
        let bytes = file.finish(columnCount: 1)
        #expect(try origins(at: root, bytes, version: version) == Self.origins)
    }
}
