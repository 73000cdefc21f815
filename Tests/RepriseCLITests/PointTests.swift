import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct PointTests {
    @Test(
        arguments: [
            ("head", .head), ("0", .position(Position(rawValue: 0))),
            ("18446744073709551615", .position(Position(rawValue: .max))),
            ("2001-01-01", .date(Date(timeIntervalSinceReferenceDate: 0))),
            ("2001-01-01T00:00:00.5Z", .date(Date(timeIntervalSinceReferenceDate: 0.5))),
            ("before-import", .snapshot("before-import")), ("Head", .snapshot("Head")),
            ("2024-13-01", .snapshot("2024-13-01")), ("+1", .snapshot("+1")),
            ("-1", .snapshot("-1")),
        ] as [(String, Point)]
    )
    func `a point is told by its form`(_ text: String, _ point: Point) throws {
        #expect(try Point(typed: text) == point)
    }

    @Test(arguments: ["", "18446744073709551616", "99999999999999999999999"])
    func `what can be no point is wrong use`(_ text: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try Point(typed: text) }
        #expect(failure.outcome == .usage)
    }

    @Test func `a snapshot without a name is named after the time, and not like a date`() throws {
        let name = SnapshotCommand.defaultName(at: Date(timeIntervalSinceReferenceDate: 0.5))
        #expect(name == "snapshot-20010101-000000")
        #expect(try Point(typed: name) == .snapshot(name))
    }
}
