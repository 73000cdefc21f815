import Foundation
import Testing

@testable import RealmFile

/// Files that were made so that reading them takes for ever, or all memory.
struct ForgedFileTests {
    /// Of an element that is a list: its type and one, array 4, and which of its elements.
    private static func list(_ place: Int64) -> Int64 { 20 | 4 << 5 | place << 8 }

    private func value(_ bytes: [UInt8]) throws -> RealmValue {
        let realm = try RealmReader(bytes: bytes)
        let object = try #require(try realm.class(named: "Forged")?.object(withKey: 0))
        return try object.value("property")
    }

    private func codes(_ bytes: [UInt8]) throws -> [RealmFileError.Code?] {
        [
            try refusal { _ = try value(bytes) },
            try refusal { try RealmReader(bytes: bytes).examine() },
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
        #expect(try codes(bytes) == [.damaged, .damaged])
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
            do throws(RealmFileError) {
                let object = try RealmReader(bytes: bytes).class(named: "Forged")?.object(
                    withKey: 0
                )
                answer.value = try object?.value("property")
            } catch {
                answer.code = error.code
            }
            answer.isThere.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        answer.isThere.wait()
        guard depth < 100 else {
            #expect(answer.code == .limitExceeded)
            return
        }
        var value = try #require(answer.value)
        var levels = 0
        while case .list(let inner) = value, let first = inner.first {
            value = first
            levels += 1
        }
        #expect(value == .integer(7) && levels == depth + 1)
    }

    /// Written by one thread and read by another after it was told.
    private final class Answer: @unchecked Sendable {
        let isThere = DispatchSemaphore(value: 0)
        var value: RealmValue?
        var code: RealmFileError.Code?
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
        #expect(try codes(bytes) == [.damaged, .damaged])
    }

    /// Zeros take no room: a file of some hundred bytes can say that it has sixteen million of them.
    @Test(arguments: [65_537, 0xff_ffff])
    func `a list of more elements than Realm puts side by side is refused`(count: Int) throws {
        var file = ForgedFile()
        let lists = file.references([file.zeros(count)])
        let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
        #expect(try codes(bytes) == [.damaged, .damaged])
        var mixed = ForgedFile()
        let leaf = mixed.references([mixed.zeros(count), 0, 0, 0, 0])
        let mixedLists = mixed.references([leaf])
        let others = mixed.finish(leaf: mixedLists, type: .mixed, attributes: [.list, .nullable])
        #expect(try codes(others) == [.damaged, .damaged])
    }

    /// Mixed elements that are all the same text, of eight mebibytes; the other parts of their leaf.
    private func texts(_ count: Int, _ file: inout ForgedFile) -> Int {
        let blob = file.blob(Array(repeating: 0x61, count: Self.textByteCount) + [0])
        let strings = file.references([file.array([Int64(Self.textByteCount + 1)]), blob])
        let kinds = file.array(Array(repeating: 3 | 3 << 5, count: count))
        return file.references([kinds, 0, 0, strings, 0])
    }

    private static let textByteCount = 8 << 20

    /// One text in the file is as many elements as somebody likes.
    @Test(arguments: [20, 40])
    func `a list that would take more than 256 MiB is refused`(count: Int) throws {
        var file = ForgedFile()
        let lists = file.references([texts(count, &file)])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        guard count * Self.textByteCount < 256 << 20 else {
            #expect(try codes(bytes) == [.limitExceeded, .limitExceeded])
            return
        }
        try RealmReader(bytes: bytes).examine()
        guard case .list(let values) = try value(bytes), case .string(let text)? = values.last
        else {
            Issue.record("Not read as a list of texts.")
            return
        }
        #expect(values.count == count && text.utf8.count == Self.textByteCount)
    }

    @Test func `lists within a list take no more than 256 MiB together`() throws {
        var file = ForgedFile()
        let inner = [texts(20, &file), texts(20, &file)]
        let kinds = file.array([Self.list(0), Self.list(1)])
        let leaf = file.references([kinds, 0, 0, 0, file.references(inner)])
        let lists = file.references([leaf])
        let bytes = file.finish(leaf: lists, type: .mixed, attributes: [.list, .nullable])
        #expect(try codes(bytes) == [.limitExceeded, .limitExceeded])
    }

    @Test func `a value is as large as 256 MiB, or four times a larger file`() {
        func elementCount(ofFileWith byteCount: Int) -> Int {
            let budget = ReadingBudget(fileByteCount: byteCount, limitsParts: true)
            var count = 0
            while budget.keep(RealmValue.null.heldByteCount) { count += 1 }
            return count
        }
        let element = MemoryLayout<RealmValue>.stride
        #expect(elementCount(ofFileWith: 100) == (256 << 20) / element)
        #expect(elementCount(ofFileWith: 70 << 20) == (280 << 20) / element)
    }

    @Test func `a thousand zeros side by side are read`() throws {
        var file = ForgedFile()
        let lists = file.references([file.zeros(1000)])
        let bytes = file.finish(leaf: lists, type: .integer, attributes: .list)
        try RealmReader(bytes: bytes).examine()
        #expect(try value(bytes) == .list(Array(repeating: .integer(0), count: 1000)))
    }
}
