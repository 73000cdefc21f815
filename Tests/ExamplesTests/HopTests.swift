import Reprise
import TestSupport
import Testing

@testable import TodoV1
@testable import TodoV10
@testable import TodoV2
@testable import TodoV3

/// The newest version opens a store of any version in one step (STO-89, STO-91, STO-93).
struct HopTests {
    @Test(arguments: Rung.all.dropLast())
    func `one step leads to the same content as every step`(from rung: Rung) throws {
        let climbed = try Ladder.used(upTo: rung.number)
        for later in Rung.all[rung.number...] { try climbed.with(later) { _ in } }
        let hopped = try Ladder.used(upTo: rung.number)
        let content = try hopped.with(Rung.newest) { store in
            let faults = try store.verify().faults
            #expect(faults == [])
            return try store.content()
        }
        #expect(content.count > 4)
        #expect(try climbed.with(Rung.newest) { try $0.content() } == content)
        try hopped.byNames { store in
            #expect(try store.content() == content)
            #expect(try store.verify().faults == [])
            let digest = try store.read { $0.digest }
            #expect(try store.replay().digest == digest)
        }
        // And it can be used from there.
        try hopped.with(Rung.newest) { store in
            try store.write { try $0.insert(TodoV10.Task(id: "more", summary: "More", project: "home")) }
            #expect(try store.verify().faults == [])
        }
    }

    @Test(arguments: Rung.all)
    func `a rollback brings back what every version before had`(from rung: Rung) throws {
        // STO-86. Labels have become tags by code, which does not run again for what a rollback brings back: the
        // content of then is that of a step without the code.
        let hopped = try Ladder.used(upTo: rung.number)
        let expected = try (1...rung.number).map { number in
            let ladder = try Ladder.used(upTo: number)
            if number >= 9 { return try ladder.with(Rung.newest) { try $0.content() } }
            return try ladder.with(TodoV10.TodoApp.models) { try $0.content() }
        }
        try hopped.with(Rung.newest) { store in
            for (place, head) in hopped.heads.enumerated().reversed() {
                let comment: Comment = "to version \(place + 1)"
                let report = try store.rollback(to: .position(head))
                #expect(try store.content() == expected[place], comment)
                // What functions make of the rows that come back is a commit of its own behind the rollback.
                let digest = try store.read(asOf: .position(report.head)) { $0.digest }
                #expect(digest == report.digest, comment)
                #expect(try store.verify().faults == [], comment)
            }
            // Forwards again, from the oldest content to the newest.
            if let head = hopped.heads.last { try store.rollback(to: .position(head)) }
            #expect(try store.content() == expected.last)
        }
        let (content, faults) = try hopped.byNames { (try $0.content(), try $0.verify().faults) }
        #expect(content == expected.last)
        #expect(faults == [])
    }

    @Test(arguments: Rung.all.dropLast())
    func `older versions are told that the store is newer, and leave it as it is`(rung: Rung) throws {
        // STO-85
        let ladder = try Ladder.used(upTo: 10)
        func state() throws -> String { try ladder.byNames { try $0.read { "\($0.head) \($0.digest)" } } }
        let before = try state()
        let error = #expect(throws: StoreError.self) { try ladder.with(rung) { _ in } }
        #expect(error?.code == .newerSchema)
        #expect(try state() == before)
    }

    @Test(arguments: [2, 3])
    func `the first version works with a store to which only was added since`(number: Int) throws {
        // STO-85
        let ladder = try Ladder.used(upTo: number)
        let count = try ladder.byNames { try $0.statistics().schemaNumber }
        try ladder.with(Rung.all[0]) { store in
            let report = try #require(try store.fetch(TodoV1.Todo.self, id: "report"))
            #expect(report.text == "Write the report" && report.labels == ["office", "money"])
            _ = try store.write { try $0.update(TodoV1.Todo.self, id: "report") { $0.isDone = true } }
            try store.write { try $0.insert(TodoV1.Todo(id: "old", text: "By old code", list: "home")) }
            #expect(try store.verify().faults == [])
        }
        #expect(try ladder.byNames { try $0.statistics().schemaNumber } == count)
        try ladder.with(Rung.all[number - 1]) { store in
            let report = try store.read { try $0.record(model: "todo", id: "report") }
            #expect(report?["isPinned"] == .bool(true) && report?["estimate"] == .int(240))
            #expect(report?["isDone"] == .bool(true))
            let old = try store.read { try $0.record(model: "todo", id: "old") }
            #expect(old?["isPinned"] == .bool(false) && old?["dueTime"] == .null)
            #expect(try store.verify().faults == [])
        }
    }
}
