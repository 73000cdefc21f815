import Foundation
import LegacyMigration
import Reprise
import Testing

/// A newer table, or newer lines of JSON, has its keys where an earlier one had them, whatever its new rows would say
/// by themselves (Specs/format/migration.md, "Decisions").
@Suite struct EarlierKeyTests {
    private static let csv = "id,name\na,1\nb,2\nc,3\n"
    private static let lines = #"{"id":"a","v":1}"# + "\n" + #"{"id":"b","v":2}"# + "\n" + #"{"id":"c","v":3}"# + "\n"

    @Test func `rows keep their keys though most of the rows of a newer file repeat one`() throws {
        let csv = try TextSequel(Self.csv, named: "t.csv")
        let rows = try csv.again(Self.csv + "a,4\na,5\na,6\n")
        #expect(rows.counts["t"]?.inserted == 3 && rows.counts["t"]?.deleted == 0)
        #expect(rows.warningCounts[.duplicateKey] == 3 && rows.warningCounts[.positionalKey] == nil)
        let json = try TextSequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines + String(repeating: #"{"id":"a","v":4}"# + "\n", count: 3))
        #expect(objects.counts["t"]?.inserted == 3 && objects.counts["t"]?.deleted == 0)
        #expect(objects.warningCounts[.duplicateKey] == 3 && objects.warningCounts[.positionalKey] == nil)
    }

    @Test func `rows that had no keys get none though a column could be some now`() throws {
        let csv = try TextSequel("id,name\na,1\na,2\na,3\n", named: "t.csv")
        let rows = try csv.again("id,name\na,1\na,2\na,3\nb,4\nc,5\nd,6\ne,7\n")
        #expect(rows.counts["t"]?.inserted == 4 && rows.counts["t"]?.deleted == 0)
        #expect(rows.warningCounts == [.positionalKey: 1])
        let some = String(repeating: #"{"id":"a","v":1}"# + "\n", count: 3)
        let json = try TextSequel(some, named: "t.ndjson")
        let others = Self.lines.replacingOccurrences(of: "\"a\"", with: "\"d\"") + #"{"id":"e"}"#
        let objects = try json.again(some + others)
        #expect(objects.counts["t"]?.inserted == 4 && objects.counts["t"]?.deleted == 0)
        #expect(objects.warningCounts[.positionalKey] == 1)
    }

    @Test func `another column with a likelier name changes nothing`() throws {
        let csv = try TextSequel("uuid,name\na,1\nb,2\n", named: "t.csv")
        let rows = try csv.again("id,uuid,name\n1,a,1\n2,b,2\n3,c,3\n")
        #expect(rows.counts["t"]?.inserted == 1 && rows.counts["t"]?.deleted == 0)
        let json = try TextSequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines.replacingOccurrences(of: "{", with: #"{"_id":7,"#))
        #expect(objects.counts["t"]?.inserted == 0 && objects.counts["t"]?.deleted == 0)
    }

    @Test func `where the column of the keys is gone, that is a loss`() throws {
        let csv = try TextSequel(Self.csv, named: "t.csv")
        #expect(try csv.again("key,name\na,1\nb,2\nc,3\n").warningCounts[.changedKey] == 1)
        let json = try TextSequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines.replacingOccurrences(of: "\"id\"", with: "\"pk\""))
        #expect(objects.warningCounts[.changedKey] == 1 && objects.counts["t"]?.deleted == 0)
    }

    @Test func `a column of keys whose letters are of another case now stays the one`() throws {
        let csv = try TextSequel("ID,name\na,1\nb,2\n", named: "t.csv")
        let rows = try csv.again("id,name\na,1\nb,2\nb,3\n")
        #expect(rows.warningCounts[.changedKey] == nil && rows.counts["t"]?.deleted == 0)
        #expect(try csv.values("name") == ["a": .int(1), "b": .int(2), "b-2": .int(3)])
    }

    @Test func `a column that is an attribute or none stays so, though one row says otherwise`() throws {
        let json = try TextSequel(#"{"id":"k1"}"# + "\n" + #"{"id":"k2"}"# + "\n" + #"{"v":3}"#, named: "t.ndjson")
        let objects = try json.again(#"{"id":"k1"}"# + "\n" + #"{"id":"k2"}"# + "\n" + #"{"id":"k3","v":3}"#)
        #expect(objects.warningCounts[.vanishedProperty] == nil)
        #expect(try json.values("id_2")["k2"] == .string("k2"))
        let others = try TextSequel(Self.lines, named: "t.ndjson")
        let repeated = try others.again(Self.lines + #"{"id":"a","v":4}"#)
        #expect(repeated.warningCounts[.unmappedProperty] == nil && repeated.warningCounts[.duplicateKey] == 1)
        let csv = try TextSequel("id,name\na,1\nb,2\n,3\n", named: "t.csv")
        let rows = try csv.again("id,name\na,1\nb,2\nc,3\n")
        #expect(rows.warningCounts[.vanishedProperty] == nil)
        #expect(try csv.values("id_2")["b"] == .string("b"))
        let exact = try TextSequel(Self.csv, named: "t.csv")
        let more = try exact.again(Self.csv + "a,4\n")
        #expect(more.warningCounts[.unmappedProperty] == nil && more.warningCounts[.duplicateKey] == 1)
    }

    @Test func `an object without the member that names the classes leaves the others in theirs`() throws {
        let text = #"{"class":"a","id":1}"# + "\n" + #"{"class":"b","id":1}"# + "\n"
        let json = try TextSequel(text, named: "t.ndjson")
        let report = try json.again(text + #"{"id":2}"# + "\n")
        // It is one of a class that no earlier export had.
        #expect(report.warningCounts[.unknownClass] == nil)
        #expect(report.counts.values.reduce(0) { $0 + $1.inserted } == 1)
        #expect(report.counts.values.allSatisfy { $0.deleted == 0 })
    }

    @Test func `the log has these very words for it`() throws {
        let csv = try TextSequel(Self.csv, named: "t.csv")
        #expect(
            try csv.choices("csv:t.csv").hasSuffix(
                #","choices":[["key","member","id"],["type \"id\"","identifier"],["type \"name\"","int"]]}"#
            )
        )
        let none = try TextSequel("name\nx\n", named: "t.csv")
        #expect(
            try none.choices("csv:t.csv").hasSuffix(
                #","choices":[["key","none"],["type \"name\"","string"]]}"#
            )
        )
        let untitled = try TextSequel("1,Oslo\n2,Bonn\n3,Rome\n", named: "t.csv")
        #expect(
            try untitled.choices("csv:t.csv").hasSuffix(
                #","choices":[["header","none"],["key","none"],["type \"column1\"","int"],["type \"column2\"","string"]]}"#
            )
        )
        let large = try TextSequel("title,duration\nA,215000\nB,60500\n", named: "t.csv")
        #expect(
            try large.choices("csv:t.csv").hasSuffix(
                #","choices":[["key","none"],["type \"duration\"","int","milliseconds"],["type \"title\"","string"]]}"#
            )
        )
        let tracks = try TextSequel("title,artist,isrc\nA,X,1\n", named: "t.csv")
        #expect(try tracks.choices("csv:t.csv").contains(#"["key","playlist"]"#))
        let json = try TextSequel(#"{"class":"a","id":1}"# + "\n" + #"{"class":"b","v":1}"# + "\n", named: "t.ndjson")
        #expect(
            try json.choices("ndjson:t.ndjson").hasSuffix(
                #","choices":[["class","member","class"],["key a","member","id"],["key b","none"],"#
                    + #"["type \"a\".\"id\"","int"],["type \"b\".\"v\"","int"]]}"#
            )
        )
    }
}
