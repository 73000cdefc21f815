import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct AssignmentTests {
    private static let uuid = "123E4567-E89B-12D3-A456-426614174000"

    @Test(
        arguments: [
            ("title=So What", .string("So What")), ("title=\"Heroes\"", .string("\"Heroes\"")),
            ("title=a=b", .string("a=b")), ("title:=\"\"", .string("")),
            ("title:=\"x\\ny\"", .string("x\ny")), ("pages=", .null), ("pages:=null", .null),
            ("pages=-12", .int(-12)), ("pages=9223372036854775807", .int(.max)),
            ("pages:=12", .int(12)), ("weight=1.5e3", .double(1500)), ("weight=nan", .double(.nan)),
            ("weight=-inf", .double(-.infinity)), ("weight:=\"inf\"", .double(.infinity)),
            ("score=0.1", .float(0.1)), ("isLent=true", .bool(true)),
            ("isLent:=false", .bool(false)),
            ("published=2001-01-01T00:00:01.5Z", .date(Date(timeIntervalSinceReferenceDate: 1.5))),
            ("cover=AAE=", .data(Data([0, 1]))),
            ("key=\(uuid)", .uuid(UUID(uuidString: uuid) ?? UUID())),
            ("author=miles", .reference("miles")), ("author=", .null),
            ("tags=[\"a\",null]", .list([.string("a"), .null])), ("tags=", .null),
            ("years=[1,2]", .set([.int(2), .int(1)])),
            ("notes={\"k\":\"v\"}", .map([.init("k", .string("v"))])),
            ("size={\"width\":2}", .embedded([.init("width", .double(2))])),
            (
                "size={\"unit\":\"mm\",\"width\":2.5}",
                .embedded([.init("width", .double(2.5)), .init("unit", .string("mm"))])
            ),
        ] as [(String, Value)]
    )
    func `an assignment gives the attribute's type`(_ argument: String, _ value: Value) throws {
        let assignment = try Assignment(argument, model: SampleSchema.book)
        #expect(assignment.value == value)
        #expect(argument.hasPrefix(assignment.name))
    }

    @Test(
        arguments: [
            "0", "-0", "0.1", "-12.50", "1e127", "1e-128", "99999999999999999999999999999999999999",
            "123456789.123456789", "100000000000000000000000000000000000000000e2",
            "0e999999999999999999",
        ]
    )
    func `a decimal keeps every digit`(_ text: String) throws {
        let assignment = try Assignment("price=\(text)", model: SampleSchema.book)
        guard case .decimal(let decimal) = assignment.value else {
            Issue.record("\(assignment.value)")
            return
        }
        var writer = JSONWriter()
        writer.value(assignment.value)
        let again = try Assignment(
            "price:=" + String(decoding: writer.bytes, as: UTF8.self),
            model: SampleSchema.book
        )
        #expect(again.value == assignment.value)
        #expect(Double(decimal.description) == Double(text))
    }

    @Test(
        arguments: [
            ("title", .usage, "`title` is not of the form key=value."),
            ("titel=x", .usage, "book has no attribute `titel`."),
            ("id=x", .usage, "The identifier of a book cannot be assigned."),
            ("title=", .badData, "book.title cannot be nil."),
            ("pages=1.5", .badData, "book.pages takes a whole number of 64 bits, not `1.5`."),
            (
                "pages=9223372036854775808", .badData,
                "book.pages takes a whole number of 64 bits, not `9223372036854775808`."
            ),
            (
                "weight=1e999", .badData,
                "book.weight takes a number, nan, inf or -inf, not `1e999`."
            ),
            ("weight=0x10", .badData, "book.weight takes a number, nan, inf or -inf, not `0x10`."),
            (
                "price=1234567890123456789012345678901234567891", .badData,
                "book.price takes a number of at most 38 digits, not `1234567890123456789012345678901234567891`."
            ),
            (
                "price=1e128", .badData,
                "book.price takes a number of at most 38 digits, not `1e128`."
            ),
            (
                "price=12abc", .badData,
                "book.price takes a number of at most 38 digits, not `12abc`."
            ),
            ("isLent=yes", .badData, "book.isLent takes true or false, not `yes`."),
            ("cover=?", .badData, "book.cover takes base64, not `?`."),
            (
                "published=2001-02-30", .badData,
                "book.published takes a day from 01 to 28, not `2001-02-30`."
            ),
            ("tags=[1]", .badData, "book.tags[0] takes a string, not the number 1."),
            ("tags=[", .badData, "book.tags takes a JSON value, not the end at character 2."),
            ("tags={}", .badData, "book.tags takes a JSON array, not an object."),
            ("years=[null]", .badData, "book.years[0] takes a whole number of 64 bits, not null."),
            ("notes={\"k\":1}", .badData, "book.notes.k takes a string, not the number 1."),
            ("size={}", .badData, "book.size.width takes a number, nan, inf or -inf, not null."),
            (
                "size={\"width\":1,\"x\":2}", .badData,
                "book.size takes one of the fields width, unit, not `x`."
            ),
            ("pages:=\"1\"", .badData, "book.pages takes a whole number of 64 bits, not a string."),
            ("pages:=", .badData, "book.pages takes a JSON value, not the end at character 1."),
        ] as [(String, Outcome, String)]
    )
    func `a mistake is explained`(
        _ argument: String,
        _ outcome: Outcome,
        _ message: String
    ) throws {
        let failure = try #require(throws: CommandFailure.self) {
            try Assignment(argument, model: SampleSchema.book)
        }
        #expect(failure.outcome == outcome)
        #expect(failure.message == message)
        #expect(failure.advice.hasSuffix(".") || failure.advice.hasSuffix("?"))
    }

    @Test func `values are written as the JSON that assignments read`() throws {
        let values: [(String, Value)] = [
            ("title", .string("\u{1}é")), ("weight", .double(.nan)), ("score", .float(0.1)),
            ("published", .date(Date(timeIntervalSinceReferenceDate: -0.1))),
            ("cover", .data(Data([1, 2, 3]))), ("tags", .list([.string("x"), .null])),
            ("notes", .map([.init("k", .string("v"))])), ("price", .decimal(.nan)),
            ("size", .embedded([.init("width", .double(-.infinity))])), ("author", .reference("x")),
        ]
        for (name, value) in values {
            var writer = JSONWriter()
            writer.value(value)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            let read = try Assignment("\(name):=\(text)", model: SampleSchema.book)
            #expect(read.value == value, "\(text)")
        }
    }
}
