import Foundation
import LegacyMigration
import Reprise
import Testing

/// A row has a place for every attribute of its model: what has few each of thousands of members is no class.
@Suite(.serialized) struct SparseClassTests {
    private func open(_ text: String) throws -> SchemaDescription {
        try TemporaryFile.with(text.utf8, named: "x") { try NDJSONSource(path: $0).schema }
    }

    /// Objects of which each has a member that no other has.
    private func sparse(_ count: Int) -> String {
        (0..<count).map { "{\"id\":\"r\($0)\",\"member_\($0)\":\($0)}\n" }.joined()
    }

    @Test func `objects with few each of thousands of members are refused with what to do`() throws {
        let error = try #require(throws: LegacyError.self) { _ = try open(sparse(1000)) }
        #expect(error.code == .limitExceeded)
        #expect(
            error.message.hasPrefix("The objects of \"x\" have 1001 different members, "),
            "\(error)"
        )
        #expect(error.advice.contains("jq"))
    }

    @Test func `the limit counts the members of one class, and the identifier with them`() throws {
        #expect(try open(sparse(511)).models[0].attributes.count == 511)
        #expect(throws: LegacyError.self) { _ = try open(sparse(512)) }
    }

    @Test func `what the advice says makes a dictionary of the members`() throws {
        let text = (0..<2000).map { "{\"id\":\"r\($0)\",\"values\":{\"member_\($0)\":\($0)}}\n" }
        try TemporaryFile.with(text.joined().utf8, named: "x") { path in
            let readout = try Conformance.read(NDJSONSource(path: path))
            #expect(readout.record("x", "r7")?["values"] == .map([.init("member_7", .integer(7))]))
        }
    }

    @Test func `objects that have most of thousands of members are taken`() throws {
        let members = (0..<2000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let text = (0..<3).map { "{\"id\":\"\($0)\",\(members)}\n" }.joined()
        #expect(try open(text).models[0].attributes.count == 2000)
        // Fifteen that have few of them make a sixteenth of the whole, the next one makes less.
        let few = { (count: Int) in
            "{\"id\":\"all\",\(members)}\n" + (0..<count).map { "{\"id\":\"\($0)\"}\n" }.joined()
        }
        #expect(try open(few(15)).models[0].attributes.count == 2000)
        #expect(throws: LegacyError.self) { _ = try open(few(16)) }
    }

    @Test func `a text of Realm's without a schema has the same limit`() throws {
        let objects = (0..<600).map { "{\"_key\":\($0),\"member_\($0)\":\($0)}" }
        let text = "{\n\"T\":[\(objects.joined(separator: ","))]\n}\n"
        #expect(try code { _ = try Realm2JSON.read(text) } == .limitExceeded)
    }

    @Test func `more names than the end of a migration can note are refused before it begins`() throws
    {
        let name = String(repeating: "n", count: 55)
        let line = (0..<15_000).map { "\"\(name)\($0)\":1" }.joined(separator: ",")
        #expect(try code { _ = try open("{\(line)}\n") } == .limitExceeded)
    }

    @Test func `eight times the lines are refused in less than twenty-four times the time`() throws {
        // A quadratic way takes sixty-four times the time. The best of five: other tests run beside this one.
        let clock = ContinuousClock()
        func time(_ count: Int) throws -> Duration {
            let text = sparse(count)
            return try (0..<5)
                .map { _ in try clock.measure { _ = try code { _ = try open(text) } } }
                .min() ?? .zero
        }
        let (short, long) = try (time(1000), time(8000))
        #expect(long < short * 24, "\(short) and \(long)")
    }
}
