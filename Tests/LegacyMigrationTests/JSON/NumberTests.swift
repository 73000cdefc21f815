import LegacyMigration
import Testing

/// Numbers that a store cannot hold as they are written are rounded or left out, never without a word.
@Suite struct NumberTests {
    private let rounded = LegacyWarning.Kind(rawValue: "roundedNumber")

    private func lines(_ numbers: [String]) throws -> Readout {
        let text = numbers.enumerated().map { "{\"id\":\"\($0.offset)\",\"n\":\($0.element)}\n" }
        return try TemporaryFile.with(text.joined().utf8, named: "x") {
            try Conformance.read(NDJSONSource(path: $0))
        }
    }

    @Test(arguments: [
        "12345678901234567.89", "0.1234567890123456789", "1e-400", "9007199254740993.0",
        "0.90000000000000003e0", "-1.79769313486231572e308", "3e-324", "12345678901234567e-3",
        "0.\(String(repeating: "1", count: 900))",
    ])
    func `a number that loses digits is counted`(text: String) throws {
        #expect(try lines([text, "0.5"]).count(rounded) == 1)
    }

    @Test(arguments: [
        "0.1", "1.0000000000000001e-01", "5e-324", "1.7976931348623157e308", "0.0", "-0.0", "0e99",
        "123456.789", "1.50", "100000000000000000000000.0", "4.9406564584124654e-324", "0.3",
        "0.1000000000000000055511151231257827021181583404541015625",
    ])
    func `one that comes back as it is written is not`(text: String) throws {
        #expect(try lines([text, "0.5"]).count(rounded) == 0)
    }

    @Test func `a number that is too large for a float is left out, and one too small is zero`()
        throws
    {
        let schema = """
            [{"name":"class_D","primaryKey":"id","tableType":"TopLevel","properties":[\
            {"name":"id","type":"int"},{"name":"f","type":"float"}]}]
            """
        let values = [
            "1.7976931348623157e308", "1e-50", "inf", "nan", "0.1", "1.1754944e-38", "16777217",
        ]
        let objects = values.enumerated().map { "{\"id\":\($0.offset),\"f\":\($0.element)}" }
        let readout = try Realm2JSON.read(
            "{\n\"D\":[\(objects.joined(separator: ","))]\n}",
            schema: schema
        )
        #expect(readout.record("D", "0")?["f"] == .float(0))
        #expect(readout.count(.valueOutOfRange) == 1)
        #expect(readout.record("D", "2")?["f"] == .float(.infinity))
        #expect(readout.record("D", "4")?["f"] == .float(0.1))
        #expect(readout.count(rounded) == 2)
    }
}
