import Reprise
import Testing

@testable import RepriseCLI

/// An app that changes from one export to the next: what it adds arrives, what it gives up stays.
@Suite struct GrowingAppTests {
    @Test func `an export that says nothing fixes nothing`() throws {
        let files = try UserFiles("15-empty-realm-first")
        let first = files.migrate("empty/default.realm")
        #expect(first.outcome == .done)
        #expect(first.output.contains("no class"), "\(first.output)")
        let second = files.migrate("full/default.realm")
        #expect(second.outcome == .done, "\(second.diagnostics)")
        #expect(try files.schema().models.count == 9)
        #expect(files.verify("full/default.realm").outcome == .done)
    }

    @Test func `a table that an update has dropped is a line and no difference`() throws {
        let files = try UserFiles("16-vanished-class-fails-verify")
        #expect(files.migrate("v1/app.sqlite").outcome == .done)
        #expect(files.migrate("v2/app.sqlite").outcome == .done)
        let answer = files.verify("v2/app.sqlite")
        #expect(answer.outcome == .done, "\(answer.output)")
        #expect(answer.output.contains("The export has no class b any more"), "\(answer.output)")
    }
}
