import Foundation
import LegacyMigration
import Testing

@testable import ExportFormats

@Suite struct JSONReaderTests {
    private func read(
        _ bytes: some Sequence<UInt8>,
        isLenient: Bool = false,
        limits: JSONReader.Limits = JSONReader.Limits()
    ) throws -> JSONValue {
        let options = JSONReader.Options(isLenient: isLenient)
        let reader = JSONReader(MemoryInput(bytes), options: options, limits: limits)
        let value = try reader.value(from: try reader.next())
        guard try reader.next() == .end else { throw reader.malformed("goes on") }
        return value
    }

    private func refusal(_ text: String, isLenient: Bool = false) throws -> LegacyError.Code? {
        try code { _ = try read(text.utf8, isLenient: isLenient) }
    }

    @Test(arguments: [
        "{}", "[]", "0", "-0", "1.5e-3", "\"\"", "[1,[2,{\"a\":null}],true,false]",
        "{\"a\":{\"b\":[]},\"c\":\"\\u0041\"}",
    ])
    func `well-formed texts are read and written again`(text: String) throws {
        let value = try read(text.utf8)
        #expect(try read(value.text.utf8) == value)
        #expect(value.text == text.replacing("\\u0041", with: "A"))
    }

    @Test func `white space may stand between all tokens`() throws {
        let value = try read(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n".utf8)
        #expect(value.text == "{\"a\":[1,2],\"b\":{}}")
    }

    @Test(arguments: [
        ("\"\\ud83d\\ude00\"", "😀"),
        ("\"\\u00e9\\/\\b\\f\\n\\r\\t\\\\\\\"\"", "é/\u{8}\u{c}\n\r\t\\\""),
        ("\"\\ud83d\"", "\u{FFFD}"), ("\"\\ude00x\"", "\u{FFFD}x"),
        ("\"\\ud83d\\ud83d\\ude00\"", "\u{FFFD}😀"), ("\"\\ud83d\\n\"", "\u{FFFD}\n"),
        ("\"\\u0000\"", "\u{0}"), ("\"\u{7F}\u{FFFF}\u{10FFFF}\"", "\u{7F}\u{FFFF}\u{10FFFF}"),
    ])
    func `escapes and surrogates are read`(text: String, expected: String) throws {
        guard case .string(let read) = try read(text.utf8) else {
            Issue.record("no text")
            return
        }
        #expect(read.utf8.elementsEqual(expected.utf8))
    }

    // The cases of "Parsing JSON is a minefield" that every parser has to refuse, by kind.
    @Test(arguments: [
        ("", LegacyError.Code.empty), ("   ", .empty), ("[", .truncated), ("{\"a\":", .truncated),
        ("\"abc", .truncated), ("[1,", .truncated), ("[1,]", .malformed), ("[,1]", .malformed),
        ("[1 2]", .malformed), ("{\"a\" 1}", .malformed), ("{\"a\":1,}", .malformed),
        ("{a:1}", .malformed), ("{'a':1}", .malformed), ("{1:1}", .malformed), ("[1]]", .malformed),
        ("{}{}", .malformed), ("01", .malformed), ("-", .truncated), ("-a", .malformed),
        ("1.", .truncated), ("[1.]", .malformed), (".5", .malformed), ("+1", .malformed),
        ("[1e]", .malformed), ("[1e+]", .malformed), ("0x10", .malformed), ("nul", .malformed),
        ("tru", .malformed), ("True", .malformed), ("nan", .malformed), ("Infinity", .malformed),
        ("\"\\x\"", .malformed), ("\"\\u12G4\"", .malformed), ("\"\\u12", .truncated),
        ("\"a\nb\"", .malformed), ("[\"\u{0}\"]", .malformed), ("[\"a\"\u{0}]", .malformed),
        ("[1}", .malformed), ("{\"a\":1]", .malformed), ("//x\n1", .malformed),
        ("\u{FEFF}", .empty), ("[\u{FEFF}1]", .malformed), ("[1\u{A0}]", .malformed),
    ])
    func `what is no JSON is refused`(text: String, expected: LegacyError.Code) throws {
        #expect(try refusal(text) == expected, "\(text)")
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xC3, 0x22], 2),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xC3, 0x5C, 0x6E, 0x22], 1), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
        ] as [([UInt8], UInt64)]
    )
    func `bytes that are no UTF-8 are refused where they are`(bytes: [UInt8], place: UInt64) throws
    {
        do {
            _ = try read(bytes)
            Issue.record("read")
        } catch let error as LegacyError {
            #expect(error.code == .invalidText && error.byteOffset == place && error.line == 1)
        }
    }

    @Test func `an error says in which line it is`() throws {
        do {
            _ = try read("[\n1,\n  oops\n]".utf8)
            Issue.record("read")
        } catch let error as LegacyError {
            #expect(error.line == 3)
        }
    }

    @Test(arguments: [[0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF], [0, 0x7B], [0x7B, 0]] as [[UInt8]])
    func `other encodings are refused by name`(bytes: [UInt8]) throws {
        #expect(try code { _ = try read(bytes) } == .unsupportedEncoding)
    }

    @Test func `the lenient form reads what realm2json prints`() throws {
        let value = try read(
            "[nan,-nan,inf,-inf,NaN,Infinity,-Infinity,\"a\u{1}\nb\"]".utf8,
            isLenient: true
        )
        guard case .array(let elements) = value else { return }
        #expect(elements.count == 8)
        #expect(elements[7] == .string("a\u{1}\nb"))
        #expect(elements[3] == .number(JSONNumber(text: "-inf")))
        #expect(try refusal("nanx", isLenient: true) == .malformed)
    }

    @Test func `numbers are exact whole ones, or the nearest Double`() {
        #expect(JSONNumber(text: "9223372036854775807").integer == .max)
        #expect(JSONNumber(text: "-9223372036854775808").integer == .min)
        #expect(JSONNumber(text: "9223372036854775808").integer == nil)
        #expect(JSONNumber(text: "1.0").integer == nil)
        #expect(JSONNumber(text: "1e999").double == nil)
        #expect(JSONNumber(text: "5e-324").double == .leastNonzeroMagnitude)
        #expect(JSONNumber(text: "1.7976931348623157e308").double == .greatestFiniteMagnitude)
    }

    @Test func `values may be nested 512 deep, and 200000 brackets are refused`() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try refusal(deep) == nil)
        #expect(try refusal("[" + deep + "]") == .limitExceeded)
        #expect(try refusal(String(repeating: "[", count: 200_000)) == .limitExceeded)
        #expect(try refusal(String(repeating: "{\"a\":", count: 200_000)) == .limitExceeded)
    }

    @Test func `texts, numbers and trees beyond the limits are refused`() throws {
        var limits = JSONReader.Limits()
        limits.stringByteCountMax = 1 << 20
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        let quote = [UInt8(ascii: "\"")]
        #expect(try code { _ = try read(quote + long + quote, limits: limits) } == nil)
        #expect(
            try code { _ = try read(quote + long + [0x78] + quote, limits: limits) }
                == .limitExceeded
        )
        #expect(JSONReader.Limits().stringByteCountMax == 256 << 20)
        #expect(try refusal(String(repeating: "1", count: 5000)) == .limitExceeded)
        limits.treeValueCountMax = 100
        let wide = "[" + Array(repeating: "1", count: 100).joined(separator: ",") + "]"
        #expect(try code { _ = try read(wide.utf8, limits: limits) } == .limitExceeded)
    }

    @Test func `a text that lies across the ends of buffers is read whole`() throws {
        let long = String(repeating: "aé😀\\u00e9", count: 100_000)
        guard case .string(let text) = try read("\"\(long)\"".utf8) else { return }
        #expect(text == String(repeating: "aé😀é", count: 100_000))
    }

    @Test func `a part can be passed over without being held`() throws {
        let reader = JSONReader(MemoryInput("[{\"a\":[1,2,{}]},3]".utf8))
        #expect(try reader.next() == .beginArray)
        try reader.skip(from: try reader.next())
        #expect(try reader.next() == .number(JSONNumber(text: "3")))
        #expect(try reader.next() == .endArray)
        #expect(try reader.next() == .end)
        #expect(try reader.next() == .end)
    }

    @Test func `a sequence has one value on a line`() throws {
        let options = JSONReader.Options(isSequence: true)
        let reader = JSONReader(MemoryInput("{}\n\n1\n".utf8), options: options)
        #expect(try reader.next() == .beginObject)
        #expect(try reader.next() == .endObject)
        #expect(try reader.next() == .number(JSONNumber(text: "1")))
        #expect(try reader.next() == .end)
        let other = JSONReader(MemoryInput("{} {}".utf8), options: options)
        _ = try other.next()
        _ = try other.next()
        #expect(try code { _ = try other.next() } == .malformed)
    }

    @Test func `seeded damage gives an error or a value, never a trap`() throws {
        let text = Array(
            "{\"Ab\":[{\"_key\":1,\"x\":[1.5e3,-0,true,null,\"\\ud83d\\ude00é\"]},{}],\"c\":\"\\n\"}"
                .utf8
        )
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<mutant.count, using: &random)
                mutant[place] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                mutant.removeLast(Int.random(in: 0..<mutant.count, using: &random))
            }
            do {
                _ = try read(mutant, isLenient: Bool.random(using: &random))
            } catch is LegacyError {}
        }
    }
}
