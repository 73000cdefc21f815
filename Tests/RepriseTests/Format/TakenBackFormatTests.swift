import RepriseLog
import Testing

@testable import Reprise

/// The example of `Specs/format/taken-back.md`, and what commits say of those that they take back (HIS-56).
struct TakenBackFormatTests {
    private static let mark = TakenBackMark(stretches: [9...13, 4...5])

    @Test func `the note is as the page says`() throws {
        try SpecificationPage("taken-back").check(["payload": Self.mark.payload])
        #expect(try TakenBackMark(Self.mark.payload) == Self.mark)
    }

    @Test func `a note that is not as the page says is refused`() {
        let payload = Self.mark.payload
        let newer = #expect(throws: StoreError.self) { try TakenBackMark([2] + payload.dropFirst()) }
        #expect(newer?.code == .newerFormat)
        for wrong in [
            Array(payload.dropLast()), payload + [0], [1, 1, 5, 5], [1, 2, 13, 4, 0, 0], [1, 2, 13, 4, 9, 0],
        ] {
            #expect(throws: (any Error).self) { try TakenBackMark(wrong) }
        }
    }

    /// The notes of the commits of a log, by the commits' last positions.
    private static func marks(_ store: Store) throws -> [UInt64: TakenBackMark] {
        var marks: [UInt64: TakenBackMark] = [:]
        try store.read { state in
            try state.forEachCommit(where: { $0.annotation?.name == TakenBackMark.name }) { commit in
                let payload = try #require(commit.events.last?.annotation?.payload)
                marks[commit.lastPosition.rawValue] = try TakenBackMark(payload)
                return true
            }
        }
        return marks
    }

    @Test(arguments: [false, true])
    func `commits that are taken back together are noted, and so are those taken back with an intent of one's own`(
        isInSteps: Bool
    ) throws {
        var configuration = Store.Configuration()
        if isInSteps { configuration.stepwiseChangeCountMin = 1 }
        let store = try Store.temporary(Jukebox.schema, configuration: configuration)
        func insert(_ id: String, group: String = "") throws -> Position {
            try store.write(CommitContext(group: group)) { try $0.insert(Track(id: Track.ID(id), title: id)) }
            return try store.resolve(.head)
        }
        let (one, two) = (try insert("1"), try insert("2"))
        _ = try insert("3")
        let four = try insert("4")
        #expect(try store.revert(commits: [four]).isDone)
        #expect(try Self.marks(store).isEmpty)
        let several = try #require(try store.revert(commits: [one, two]).commit)
        let named = try #require(try store.revert(commits: [several], context: CommitContext(intent: "oops")).commit)
        _ = (try insert("5", group: "g"), try insert("6", group: "g"))
        let grouped = try store.resolve(.head)
        let undo = try #require(try store.undo()?.commit)
        let marks = try Self.marks(store)
        #expect(Set(marks.keys) == [several.rawValue, named.rawValue, undo.rawValue])
        #expect(marks[several.rawValue]?.stretches == [one.rawValue...two.rawValue])
        #expect(marks[named.rawValue]?.stretches == [several.rawValue - 2...several.rawValue])
        #expect(marks[undo.rawValue]?.stretches == [grouped.rawValue - 1...grouped.rawValue])
        #expect(store.stepwiseCommitCount == (isInSteps ? 4 : 0))
        #expect(try store.verify().isSound)
    }
}
