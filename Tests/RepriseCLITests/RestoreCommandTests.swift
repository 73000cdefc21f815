import Reprise
import Testing

@testable import RepriseCLI

/// `reprise restore`: HIS-58 on the command line.
struct RestoreCommandTests {
    private struct Member: Model {
        var id: ID
        var email: String

        static let schema = ModelSchema(
            "member",
            Self.init,
            .id("id", \.id),
            .attribute("email", \.email, unique: true)
        )
    }

    private let place: TestStore
    private var path: String { place.path + "-members" }

    init() throws {
        place = try TestStore()
        let store = try Store.open(at: place.path + "-members", schema: Schema(Member.self))
        defer { store.close() }
        try store.write { try $0.insert(Member(id: "ada", email: "ada@example.org")) }
        try store.write { _ = try $0.delete(Member.self, id: "ada") }
    }

    private func restore(_ arguments: String...) -> TestStore.Answer {
        RunOutside.run(["restore", path, "member", "ada"] + arguments)
    }

    @Test func `a row whose place another one has taken stays away, and that is said`() {
        #expect(RunOutside.run(["put", path, "member", "--id", "new", "email=ada@example.org"]).outcome == .done)
        #expect(restore().outcome == .no)
        for arguments in [["--keep-later"], ["--keep-later", "--plan"]] {
            let answer = RunOutside.run(["restore", path, "member", "ada"] + arguments)
            #expect(answer.outcome == .no)
            #expect(answer.lines.last == #"Nothing was written: member "ada" stays away."#)
        }
    }

    @Test func `a row comes back, and is told to be there`() {
        #expect(restore("--plan").lines.last == #"Would restore member "ada": 1 inserted."#)
        #expect(restore().lines.last?.hasPrefix(#"Restored member "ada": 1 inserted. The head is "#) == true)
        #expect(restore().outcome == .no)
    }
}
