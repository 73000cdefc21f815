import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `migrate --explain`: how an export is understood, before anything is written.
@Suite struct ExplainTests {
    @Test func `what decides about an export is shown, and nothing is made`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        let answer = files.reprise("migrate", files.path("todo.sqlite"), "--explain")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let lines = answer.output.split(separator: "\n")
        #expect(lines.first == "source   sqlite:todo.sqlite")
        #expect(lines.contains("decided  The records of \"reminders\" are told apart by id."))
        #expect(lines.contains("decided  \"reminderstags\" is a list: reminderID has tagID."))
        #expect(lines.contains { $0.hasPrefix("remindersListID  remindersLists?") })
        #expect(!FileManager.default.fileExists(atPath: files.store))
    }

    @Test(arguments: ["18-swiftdata-orderindex/trips.store", "21-sqlitedata-types/todo.sqlite"])
    func `the mapping file that is shown changes nothing`(place: String) throws {
        let parts = place.split(separator: "/").map(String.init)
        let files = try UserFiles(parts[0])
        let rules = files.reprise("migrate", files.path(parts[1]), "--explain", "--json").output
        try rules.write(toFile: files.path("rules.json"), atomically: false, encoding: .utf8)
        #expect(files.migrate(parts[1]).outcome == .done)
        let head = try files.head()
        let again = files.migrate(parts[1], "--mapping", files.path("rules.json"))
        #expect(again.outcome == .done, "\(again.diagnostics)")
        #expect(try files.head() == head)
    }

    @Test func `without a store only that is done`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        let answer = files.reprise("migrate", files.path("todo.sqlite"))
        #expect(answer.outcome == .usage)
        #expect(answer.diagnostics.contains("Say --into <store>, or --explain."))
    }
}
