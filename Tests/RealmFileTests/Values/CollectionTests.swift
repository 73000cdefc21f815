import TestSupport
import Testing

@testable import RealmFile

/// Lists, sets and dictionaries, which are read when they are walked through.
struct CollectionTests {
    /// The value of the only object.
    private func value(_ bytes: [UInt8]) throws -> RealmValue {
        let realm = try RealmReader(bytes: bytes)
        let object = try #require(try realm.class(named: "Forged")?.object(withKey: 0))
        return try object.value("property")
    }

    private func elements(_ value: RealmValue) throws -> RealmElements {
        switch value {
        case .list(let elements), .set(let elements): return elements
        default: throw Unexpected()
        }
    }

    private func dictionary(_ value: RealmValue) throws -> RealmDictionary {
        guard case .dictionary(let dictionary) = value else { throw Unexpected() }
        return dictionary
    }

    private struct Unexpected: Error {}

    private func numbers(_ numbers: [Int64], isSet: Bool = false) -> [UInt8] {
        var file = ForgedFile()
        let leaves = stride(from: 0, to: numbers.count, by: 10).map {
            file.array(Array(numbers[$0..<min($0 + 10, numbers.count)]))
        }
        let lists = file.references([file.tree(leaves, of: 10)])
        return file.finish(leaf: lists, type: .integer, attributes: isSet ? .set : .list)
    }

    @Test func `elements are found by their places, and walked through in order`() throws {
        let list = try elements(value(numbers(Array(0..<100))))
        #expect(try list.count() == 100)
        for index in 0..<100 { #expect(try list.element(at: index) == .integer(Int64(index))) }
        #expect(try refusal { _ = try list.element(at: 100) } == .invalidRequest)
        #expect(try refusal { _ = try list.element(at: -1) } == .invalidRequest)
        #expect(try list.values() == (0..<100).map { .integer($0) })
        var met: [RealmValue] = []
        try list.forEach { element in
            met.append(element)
            return met.count < 13
        }
        #expect(met == (0..<13).map { .integer($0) })
        #expect(throws: Unexpected.self) { try list.forEach { _ in throw Unexpected() } }
    }

    /// The reader is gone, and the file that it kept is not.
    @Test func `a collection keeps the file that it lies in`() throws {
        func list() throws -> RealmElements { try elements(value(numbers([1, 2, 3]))) }
        let kept = try list()
        #expect(try kept.values() == [.integer(1), .integer(2), .integer(3)])
    }

    @Test func `collections are equal when what lies in them is`() throws {
        let first = try value(numbers([1, 2, 3]))
        #expect(try first == value(numbers([1, 2, 3])))
        #expect(try first != value(numbers([1, 2])))
        #expect(try first != value(numbers([1, 2, 3, 4])))
        #expect(try first != value(numbers([1, 2, 4])))
        #expect(try first != value(numbers([1, 2, 3], isSet: true)))
        #expect(try elements(first) == elements(value(numbers([1, 2, 3]))))
        #expect(first != .null && first != .integer(1))
    }

    /// The first leaf is sound, the second one has elements of another kind.
    @Test func `a damaged part ends the walk where it lies`() throws {
        var file = ForgedFile()
        let broken = file.blob([1, 2, 3])
        let tree = file.tree([file.array([1, 2]), broken], of: 2)
        let bytes = file.finish(leaf: file.references([tree]), type: .integer, attributes: .list)
        let list = try elements(value(bytes))
        #expect(try list.count() == 4)
        #expect(try list.element(at: 1) == .integer(2))
        var iterator = list.makeIterator()
        let first = try iterator.next()
        let second = try iterator.next()
        #expect(first == .integer(1) && second == .integer(2))
        var error: RealmFileError?
        do throws(RealmFileError) { _ = try iterator.next() } catch let caught { error = caught }
        #expect(error?.code == .damaged && error?.offset == UInt64(broken))
        let third = try iterator.next()
        #expect(third == nil)
        #expect(try refusal { _ = try list.values() } == .damaged)
        #expect(try refusal { _ = try list.element(at: 2) } == .damaged)
        // Equal to itself, which needs no reading, and to no other.
        #expect(list == list)
        #expect(try list != elements(value(bytes)))
    }

    /// Each walk has a budget of its own: a list can be walked through as often as somebody likes, and so can those
    /// that it hands over.
    @Test func `a list within a list is walked through more than once`() throws {
        var file = ForgedFile()
        let inner = file.references([file.array([1 | 7 << 8, 1 | 8 << 8]), 0, 0, 0])
        let leaf = file.references([
            file.array([20 | 4 << 5]), 0, 0, 0, file.references([inner]),
        ])
        let bytes = file.finish(
            leaf: file.references([leaf]),
            type: .mixed,
            attributes: [.list, .nullable]
        )
        let outer = try elements(value(bytes))
        var walked = 0
        try outer.forEach { element in
            for _ in 0..<1000 {
                let values = try elements(element).values()
                #expect(values == [.integer(7), .integer(8)])
                walked += 1
            }
            return true
        }
        #expect(walked == 1000)
    }

    private func dictionary(_ keys: [String], valueCount: Int, version: UInt8 = 24) -> [UInt8] {
        var file = ForgedFile(version: version)
        let keyLeaf = file.names(keys)
        let kinds = file.array((0..<valueCount).map { 1 | Int64($0) << 8 })
        let valueLeaf = file.references([kinds, 0, 0, 0])
        let root =
            version < 23
            ? file.references([keys.count << 1 | 1, keyLeaf, valueLeaf])
            : file.references([keyLeaf, valueLeaf])
        let dictionaries = file.references([root])
        return file.finish(
            rows: file.references([1 << 1 | 1, dictionaries]),
            type: 1 << 16 | Int64(RealmValueType.mixed.rawValue),
            attributes: Int64(ColumnAttributes([.dictionary, .nullable]).rawValue)
        )
    }

    @Test(arguments: [22, 24] as [UInt8])
    func `a dictionary has its entries, in either form`(version: UInt8) throws {
        let bytes = dictionary(["a", "b", "c"], valueCount: 3, version: version)
        try RealmReader(bytes: bytes).examine()
        let dictionary = try dictionary(value(bytes))
        #expect(try dictionary.count() == 3)
        let entries = try dictionary.entries()
        #expect(entries.map(\.key) == [.string("a"), .string("b"), .string("c")])
        #expect(entries.map(\.value) == [.integer(0), .integer(1), .integer(2)])
        var keys: [RealmValue] = []
        try dictionary.forEach { entry in
            keys.append(entry.key)
            return keys.count < 2
        }
        #expect(keys == [.string("a"), .string("b")])
        #expect(try value(bytes) == value(bytes))
        let other = self.dictionary(["a", "b", "d"], valueCount: 3, version: version)
        #expect(try value(bytes) != value(other))
    }

    @Test(arguments: [22, 24] as [UInt8])
    func `a key that is there twice is found, and one without a value`(version: UInt8) throws {
        let repeated = dictionary(["a", "b", "a"], valueCount: 3, version: version)
        #expect(try refusal { try RealmReader(bytes: repeated).examine() } == .damaged)
        let uneven = dictionary(["a", "b", "c"], valueCount: 2, version: version)
        #expect(try refusal { try RealmReader(bytes: uneven).examine() } == .damaged)
        #expect(try refusal { _ = try self.dictionary(value(uneven)).entries() } == .damaged)
    }

    @Test func `a list of links has places for objects that never arrived`() throws {
        let realm = try Fixtures.reader("unresolved")
        let playlists = try #require(realm.class(named: "RealmPlaylist"))
        let tracks = try #require(playlists.property(named: "tracks"))
        var passedOver = 0
        try playlists.forEachObject { playlist in
            let list = try elements(playlist.value(tracks))
            let values = try list.values()
            let missingCount = try playlist.unresolvedLinkCount(tracks)
            let count = try list.count()
            #expect(count == values.count + missingCount)
            let places = try (0..<count).map { try list.element(at: $0) }
            #expect(places.filter { $0 != .null } == values)
            passedOver += missingCount
            return true
        }
        #expect(passedOver > 0)
    }

    /// Seconds and their parts lie in trees of their own, whose leaves end at
    /// other elements.
    @Test func `dates of old are read from two trees side by side`() throws {
        var file = ForgedFile(version: 9)
        let null: Int64 = -1
        let seconds = file.tree(
            [[0, 1, 2], [3, null, 5]].map { file.array([null] + $0) },
            of: 3
        )
        let nanoseconds = file.tree(
            [file.array([0, 10]), file.array([20, 30]), file.array([0, 50])],
            of: 2
        )
        let dates = file.references([seconds, nanoseconds])
        let bytes = file.finish(
            column: file.references([file.references([dates])]),
            type: RawType.subtable,
            elementType: RealmValueType.timestamp.rawValue
        )
        try RealmReader(bytes: bytes).examine()
        let list = try elements(value(bytes))
        let expected: [RealmValue] = (0..<6).map {
            $0 == 4
                ? .null : .timestamp(RealmTimestamp(seconds: $0, nanoseconds: Int32($0) * 10))
        }
        #expect(try list.count() == 6)
        #expect(try list.values() == expected)
        for index in 0..<6 { #expect(try list.element(at: index) == expected[index]) }
    }
}
