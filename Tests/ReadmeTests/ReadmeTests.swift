import TestSupport
import Testing

struct ReadmeTests {
    @Test func `the ten minutes of the README work`() async throws {
        let directory = try TemporaryDirectory(named: "readme")
        let app = TenMinutes(path: directory.path("todo.reprise"))
        let (before, after) = try app.writeAndGoBack()
        #expect(before == ["Buy milk"] && after == ["Buy milk"])
        let (done, shown) = try await app.readAndWatch()
        #expect(done == ["Buy milk"] && shown == [])
        let task = try #require(try app.openSecondVersion())
        #expect(task.isFinished && task.notes == "" && task.title == "Buy milk")
    }
}
