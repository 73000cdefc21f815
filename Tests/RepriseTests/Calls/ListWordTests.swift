import Reprise
import TestSupport
import Testing

/// REL-18, REL-19.
struct ListWordTests {
    private let calls: CallStore
    private var store: Store { calls.store }

    init() throws { calls = try CallStore(tasks: 12) }

    private func favourites() throws -> [String] { try calls.ids(Project.favourites, "p") }
    private func tasks() throws -> [String] { try calls.ids(Project.tasks, "p") }

    @Test func `a list is set with the fewest events`() throws {
        var events = try calls.events { try $0.set(Project.favourites, of: "p", to: ["t1", "t2", "t3", "t1"]) }
        #expect(events == ["linked", "linked", "linked", "linked"])
        let entries = try store.entries(Project.favourites, of: "p")
        events = try calls.events { try $0.set(Project.favourites, of: "p", to: ["t1", "t2", "t3", "t1"]) }
        #expect(events == [])
        // The second of the two stays.
        events = try calls.events { try $0.set(Project.favourites, of: "p", to: ["t2", "t3", "t1"]) }
        #expect(events == ["unlinked"])
        #expect(try store.entries(Project.favourites, of: "p") == Array(entries.dropFirst()))
        events = try calls.events { try $0.set(Project.favourites, of: "p", to: ["t1", "t2", "t4", "t3"]) }
        #expect(events.sorted() == ["linked", "moved"])
        #expect(try store.entries(Project.favourites, of: "p").map(\.id).first == entries[3].id)
        #expect(try favourites() == ["t1", "t2", "t4", "t3"])
        events = try calls.events { try $0.removeAll(Project.favourites, of: "p") }
        #expect(events == ["unlinked", "unlinked", "unlinked", "unlinked"])
        #expect(try favourites() == [])
    }

    @Test func `members leave the lists that they were in`() throws {
        try store.write { transaction in
            try transaction.set(Project.tasks, of: "q", to: ["t1", "t2", "t3"])
            try transaction.set(Project.tasks, of: "p", to: ["t4", "t5"])
        }
        let events = try calls.events { try $0.set(Project.tasks, of: "p", to: ["t5", "t2", "t4"]) }
        #expect(events == ["updated", "updated"])
        #expect(try tasks() == ["t5", "t2", "t4"])
        #expect(try calls.ids(Project.tasks, "q") == ["t1", "t3"])
        #expect(try calls.task("t2")?.project == "p")
        try store.write { try $0.set(Project.tasks, of: "p", to: []) }
        #expect(try calls.task("t2")?.project == nil)
    }

    @Test func `appending, inserting, moving and removing are those of an array`() throws {
        try store.write { transaction in
            try transaction.append(Project.tasks, of: "p", "t0")
            try transaction.append(Project.tasks, of: "p", contentsOf: ["t1", "t2"])
            try transaction.insert(Project.tasks, of: "p", "t3", at: 0)
            try transaction.insert(Project.tasks, of: "p", contentsOf: ["t4", "t5"], at: 4)
            try transaction.insert(Project.tasks, of: "p", contentsOf: ["t6", "t7"], at: 1)
        }
        #expect(try tasks() == ["t3", "t6", "t7", "t0", "t1", "t2", "t4", "t5"])
        // Members that are there already move.
        try store.write { try $0.insert(Project.tasks, of: "p", contentsOf: ["t5", "t3", "t8"], at: 4) }
        #expect(try tasks() == ["t6", "t7", "t0", "t5", "t3", "t8", "t1", "t2", "t4"])
        try store.write { try $0.insert(Project.tasks, of: "p", "t4", at: 1) }
        #expect(try tasks() == ["t6", "t4", "t7", "t0", "t5", "t3", "t8", "t1", "t2"])
        try store.write { try $0.append(Project.tasks, of: "p", "t6") }
        #expect(try tasks().last == "t6")
        try store.write { transaction in
            try transaction.remove(Project.tasks, of: "p", at: 1)
            try transaction.remove(Project.tasks, of: "p", atOffsets: [0, 2, 2])
            try transaction.remove(Project.tasks, of: "p", "t8")
        }
        #expect(try tasks() == ["t0", "t3", "t1", "t2", "t6"])
        let count = try store.write { transaction in
            try transaction.append(Project.favourites, of: "p", contentsOf: ["t1", "t2", "t1", "t1"])
            return try transaction.remove(Project.favourites, of: "p", "t1")
        }
        #expect(count == 3)
        #expect(try favourites() == ["t2"])
        #expect(try store.write { try $0.remove(Project.favourites, of: "p", "t1") } == 0)
    }

    @Test func `an index out of range is an error that names the list and its count`() throws {
        try store.write { try $0.set(Project.tasks, of: "p", to: ["t1", "t2"]) }
        let cases: [(inout WriteTransaction) throws -> Void] = [
            { try $0.insert(Project.tasks, of: "p", "t3", at: 3) },
            { try $0.insert(Project.tasks, of: "p", "t3", at: -1) },
            { try $0.remove(Project.tasks, of: "p", at: 2) },
            { try $0.remove(Project.tasks, of: "p", at: -1) },
            { try $0.move(Project.tasks, of: "p", fromOffsets: [0, 2], toOffset: 0) },
            { try $0.move(Project.tasks, of: "p", fromOffsets: [0], toOffset: 3) },
        ]
        for body in cases {
            let error = try #require(calls.error(body))
            #expect(error.code == .entryMissing)
            #expect(error.message.contains("The list \"tasks\" of project \"p\" has 2 entries"))
        }
        #expect(try tasks() == ["t1", "t2"])
    }

    @Test func `what a list cannot be is refused before anything is changed`() throws {
        try store.write { transaction in
            try transaction.set(Project.tasks, of: "p", to: ["t1", "t2"])
            try transaction.insert([Keeper(id: "o"), Keeper(id: "x")])
            try transaction.insert([Stage(id: "s1", owner: "o"), Stage(id: "s2", owner: "o")])
        }
        let cases: [(StoreError.Code, (inout WriteTransaction) throws -> Void)] = [
            (.invalidValue, { try $0.set(Project.tasks, of: "p", to: ["t3", "t3"]) }),
            (.targetMissing, { try $0.set(Project.tasks, of: "p", to: ["t3", "no"]) }),
            (.targetMissing, { try $0.insert(Project.favourites, of: "p", contentsOf: ["t3", "no"], at: 0) }),
            (.entityMissing, { try $0.set(Project.tasks, of: "no", to: ["t3"]) }),
            (.entityMissing, { try $0.append(Project.tasks, of: "no", "t3") }),
            (.invalidValue, { try $0.set(Keeper.steps, of: "o", to: ["s2"]) }),
            (.invalidValue, { try $0.removeAll(Keeper.steps, of: "o") }),
            (.invalidValue, { try $0.remove(Keeper.steps, of: "o", at: 0) }),
            (.unknownRelationship, { try $0.set(Job.likedBy, of: "t1", to: ["p"]) }),
        ]
        for (code, body) in cases {
            let events = try calls.events { transaction in
                do { try body(&transaction) } catch { #expect((error as? StoreError)?.code == code) }
            }
            #expect(events == [])
        }
        // A member that needs an owner can get another one.
        try store.write { try $0.set(Keeper.steps, of: "x", to: ["s2", "s1"]) }
        #expect(try calls.ids(Keeper.steps, "x") == ["s2", "s1"])
    }

    /// As `MutableCollection.move(fromOffsets:toOffset:)`.
    private func moved(_ list: [String], _ offsets: Set<Int>, to end: Int) -> [String] {
        func staying(_ range: Range<Int>) -> [String] { range.filter { !offsets.contains($0) }.map { list[$0] } }
        return staying(0..<end) + offsets.sorted().map { list[$0] } + staying(end..<list.count)
    }

    /// The fewest events that lead from one list to another: by the textbook's longest common subsequence.
    private func fewest(from old: [String], to new: [String]) -> Int {
        var lengths = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for (i, a) in old.enumerated() {
            for (j, b) in new.enumerated() {
                lengths[i + 1][j + 1] = a == b ? lengths[i][j] + 1 : max(lengths[i][j + 1], lengths[i + 1][j])
            }
        }
        let kept = Set(old + new).reduce(0) { sum, id in
            sum + min(old.count { $0 == id }, new.count { $0 == id })
        }
        return (old.count - kept) + (new.count - kept) + kept - lengths[old.count][new.count]
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `lists do as arrays do, whatever is done`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<12).map { "t\($0)" }
        let (favourites, members) = (Project.favourites, Project.tasks)
        var wanted: [String] = []
        var wantedMembers: [String] = []
        for _ in 0..<60 {
            let some = (0..<random.below(5)).map { _ in random.pick(ids) }
            let targets = some.map { Job.ID($0) }
            let index = random.below(wanted.count + 1)
            let offsets = Set((0..<random.below(4)).compactMap { _ in
                wanted.isEmpty ? nil : random.below(wanted.count)
            })
            let before = wanted
            let fresh = Array(ids.shuffled(using: &random).prefix(random.below(9)))
            let events: [String]
            switch random.below(6) {
            case 0:
                wanted.append(contentsOf: some)
                events = try calls.events { try $0.append(favourites, of: "p", contentsOf: targets) }
            case 1:
                wanted.insert(contentsOf: some, at: index)
                events = try calls.events { try $0.insert(favourites, of: "p", contentsOf: targets, at: index) }
            case 2:
                wanted = moved(wanted, offsets, to: index)
                events = try calls.events {
                    try $0.move(favourites, of: "p", fromOffsets: offsets, toOffset: index)
                }
            case 3:
                wanted = wanted.indices.filter { !offsets.contains($0) }.map { wanted[$0] }
                events = try calls.events { try $0.remove(favourites, of: "p", atOffsets: offsets) }
            case 4:
                let next = (wanted + some).shuffled(using: &random).prefix(max(0, wanted.count + 1 - random.below(4)))
                wanted = Array(next)
                events = try calls.events { try $0.set(favourites, of: "p", to: next.map { Job.ID($0) }) }
                #expect(events.count == fewest(from: before, to: wanted))
            default:
                let old = wantedMembers
                wantedMembers = fresh
                let targets = fresh.map { Job.ID($0) }
                events = try calls.events { try $0.set(members, of: "p", to: targets) }
                #expect(events.count == fewest(from: old, to: fresh))
            }
            #expect(events.count <= before.count + wanted.count + 12)
            #expect(try self.favourites() == wanted)
            #expect(try tasks() == wantedMembers)
        }
        #expect(try store.verify().faults == [])
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `many changes in one write do as arrays do`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<12).map { "t\($0)" }
        var wanted: [String] = []
        var members: [String] = []
        for _ in 0..<6 {
            try store.write { transaction in
                for _ in 0..<80 {
                    let target = random.pick(ids)
                    // One place is asked for again and again, until it has no room.
                    let index = random.below(3) > 0 ? min(1, wanted.count) : random.below(wanted.count + 1)
                    switch random.below(6) {
                    case 0 where !wanted.isEmpty:
                        let start = random.below(wanted.count)
                        wanted = moved(wanted, [start], to: index)
                        try transaction.move(Project.favourites, of: "p", fromOffsets: [start], toOffset: index)
                    case 1 where !wanted.isEmpty:
                        let place = random.below(wanted.count)
                        wanted.remove(at: place)
                        try transaction.remove(Project.favourites, of: "p", at: place)
                    case 2:
                        wanted.removeAll { $0 == target }
                        try transaction.remove(Project.favourites, of: "p", Job.ID(target))
                    case 3:
                        let next = members.first { $0 != target && random.below(3) == 0 }
                        members.removeAll { $0 == target }
                        let place = next.flatMap { members.firstIndex(of: $0) } ?? members.count
                        try transaction.append(Project.tasks, of: "p", Job.ID(target))
                        try transaction.move(Project.tasks, of: "p", Job.ID(target), before: next.map { Job.ID($0) })
                        members.insert(target, at: place)
                    default:
                        wanted.insert(target, at: index)
                        try transaction.insert(Project.favourites, of: "p", Job.ID(target), at: index)
                    }
                }
            }
            #expect(try favourites() == wanted)
            #expect(try tasks() == members)
        }
        #expect(try store.verify().faults == [])
    }

    @Test func `a gap that is used up is made anew`() throws {
        try store.write { transaction in
            try transaction.set(Project.favourites, of: "p", to: ["t0", "t1"])
            for _ in 0..<40 {
                try transaction.insert(Project.favourites, of: "p", contentsOf: ["t2", "t3"], at: 1)
            }
        }
        #expect(try favourites() == ["t0"] + (0..<40).flatMap { _ in ["t2", "t3"] } + ["t1"])
        try store.write { transaction in
            try transaction.set(Project.tasks, of: "p", to: ["t0", "t1", "t2", "t3"])
            for _ in 0..<40 {
                try transaction.set(Project.tasks, of: "p", to: ["t0", "t3", "t2", "t1"])
                try transaction.set(Project.tasks, of: "p", to: ["t0", "t2", "t3", "t1"])
                try transaction.set(Project.tasks, of: "p", to: ["t0", "t3", "t4", "t2", "t1"])
                try transaction.set(Project.tasks, of: "p", to: ["t0", "t2", "t3", "t1"])
            }
        }
        #expect(try tasks() == ["t0", "t2", "t3", "t1"])
        #expect(try store.verify().faults == [])
    }

    @Test func `many repeats cost no more than their number`() throws {
        let old = (0..<3_000).map { Job.ID($0 % 2 == 0 ? "t0" : "t1") }
        let new = (0..<3_000).map { Job.ID($0 % 3 == 0 ? "t1" : "t0") }
        try store.write { try $0.set(Project.favourites, of: "p", to: old) }
        try store.write { try $0.set(Project.favourites, of: "p", to: new) }
        #expect(try favourites() == new.map(\.rawValue))
    }
}
