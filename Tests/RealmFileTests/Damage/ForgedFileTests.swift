import Foundation
import TestSupport
import Testing

@testable import RealmFile

/// Files that were made so that reading them takes for ever, or all memory.
struct ForgedFileTests {
    /// Of an element that is a list: its type and one, array 4, and which of its elements.
    private static func list(_ place: Int64) -> Int64 { 20 | 4 << 5 | place << 8 }

    private func value(_ bytes: [UInt8]) throws -> ReadValue {
        let realm = try RealmReader(bytes: bytes)
        let object = try #require(try realm.class(named: "Forged")?.object(withKey: 0))
        return try object.read("property")
    }

    private func dump(_ bytes: [UInt8]) throws {
        let realm = try RealmReader(bytes: bytes)
        let object = try #require(try realm.class(named: "Forged")?.object(withKey: 0))
        var writer = RealmDumpWriter(realm)
        try writer.line(object) { _ in }
    }

    private func codes(_ bytes: [UInt8]) throws -> [RealmFileError.Code?] {
        [
            try refusal { _ = try value(bytes) },
            try refusal { try RealmReader(bytes: bytes).examine() },
            try refusal { try dump(bytes) },
        ]
    }

    /// That the files are made right: one that says nothing wrong is read.
    @Test func `lists within a list are read`() throws {
        var file = ForgedFile()
        let numbers = file.array([1 | 7 << 8, 1 | 8 << 8])
        let inner = file.references([numbers, 0, 0, 0, 0])
        let kinds = file.array([Self.list(0), Self.list(1), 0])
        let collections = file.references([inner, 0])
        let leaf = file.references([kinds, 0, 0, 0, collections])
        let lists = file.references([leaf])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        try RealmReader(bytes: bytes).examine()
        #expect(
            try value(bytes)
                == .list([.list([.integer(7), .integer(8)]), .list([]), .null])
        )
    }

    /// Each level has twice as many lists as the one above it: with sixty of them, no end is in sight.
    @Test func `a list that lies in another one twice is refused`() throws {
        var file = ForgedFile()
        let kinds = file.array([Self.list(0), Self.list(1)])
        var leaf = file.references([file.zeros(2), 0, 0, 0, 0])
        for _ in 0..<60 {
            let collections = file.references([leaf, leaf])
            leaf = file.references([kinds, 0, 0, 0, collections])
        }
        let lists = file.references([leaf])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        #expect(try codes(bytes) == [.damaged, .damaged, .damaged])
    }

    /// Lists in each other as deep as Realm allows, on the stack that secondary threads have on some systems.
    @Test(arguments: [90, 120])
    func `lists deep in each other are read on a small stack, or refused`(depth: Int) throws {
        var file = ForgedFile()
        var leaf = file.references([file.array([1 | 7 << 8]), 0, 0, 0, 0])
        for _ in 0..<depth {
            let kinds = file.array([Self.list(0)])
            let collections = file.references([leaf])
            leaf = file.references([kinds, 0, 0, 0, collections])
        }
        let lists = file.references([leaf])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        let answer = Answer()
        let thread = Thread {
            answer.codes = (try? codes(bytes)) ?? []
            let refused = try? refusal { answer.levelCount = try Self.levelCount(of: bytes) }
            answer.codes.append(refused ?? nil)
            answer.isThere.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        answer.isThere.wait()
        let code: RealmFileError.Code? = depth < 100 ? nil : .limitExceeded
        #expect(answer.codes == Array(repeating: code, count: 4))
        #expect(answer.levelCount == (depth < 100 ? depth + 1 : 0))
    }

    /// Written by one thread and read by another after it was told.
    private final class Answer: @unchecked Sendable {
        let isThere = DispatchSemaphore(value: 0)
        var codes: [RealmFileError.Code?] = []
        var levelCount = 0
    }

    /// How many lists lie in each other, each of them walked through and compared with itself in another reader.
    private static func levelCount(of bytes: [UInt8]) throws -> Int {
        let objects = try [0, 1].map { _ in
            try #require(
                try RealmReader(bytes: bytes).class(named: "Forged")?.object(withKey: 0)
            )
        }
        var value = try objects[0].value("property")
        let other = try objects[1].value("property")
        if case .list(let elements) = value { _ = try ReadValue(.list(elements)) }
        #expect(value == other)
        var levels = 0
        while case .list(let inner) = value {
            value = try #require(try inner.values().first)
            levels += 1
        }
        #expect(value == .integer(7))
        return levels
    }

    @Test func `a list that lies in itself is refused`() throws {
        var file = ForgedFile()
        let kinds = file.array([Self.list(0)])
        // The reference, and before it the header of its array.
        let leaf = file.next + 16
        let collections = file.references([leaf])
        #expect(file.next == leaf)
        file.references([kinds, 0, 0, 0, collections])
        let lists = file.references([leaf])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        #expect(try codes(bytes) == [.damaged, .damaged, .damaged])
    }

    /// Zeros take no room: a file of some hundred bytes can say that it has sixteen million of them.
    @Test(arguments: [65_537, 0xff_ffff])
    func `a list of more elements than Realm puts side by side is refused`(count: Int) throws {
        var file = ForgedFile()
        let lists = file.references([file.zeros(count)])
        let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
        #expect(try codes(bytes) == [.damaged, .damaged, .damaged])
        var mixed = ForgedFile()
        let leaf = mixed.references([mixed.zeros(count), 0, 0, 0, 0])
        let mixedLists = mixed.references([leaf])
        let others = mixed.finish(leaf: mixedLists, type: .mixed, attributes: [.list, .nullable])
        #expect(try codes(others) == [.damaged, .damaged, .damaged])
    }

    @Test func `a thousand zeros side by side are read`() throws {
        var file = ForgedFile()
        let lists = file.references([file.zeros(1000)])
        let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
        try RealmReader(bytes: bytes).examine()
        #expect(try value(bytes) == .list(Array(repeating: .integer(0), count: 1000)))
    }
}
