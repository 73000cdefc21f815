import Foundation
import Testing

@testable import RepriseCLI

struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `keys keep the order in which they are given`() {
        let line = text { writer in
            writer.object {
                $0.member("zebra", 1)
                $0.member("ant", "x")
                $0.key("list")
                $0.array {
                    $0.value(1)
                    $0.object { _ in }
                    $0.array { _ in }
                    $0.null()
                }
                $0.member("last", true)
            }
            writer.endLine()
            writer.value(7)
        }
        #expect(line == #"{"zebra":1,"ant":"x","list":[1,{},[],null],"last":true}"# + "\n7")
    }

    @Test(
        arguments: [
            ("plain", #""plain""#),
            ("a\"b\\c/d", #""a\"b\\c/d""#),
            ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
            ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
            ("é🎵\u{2028}", "\"é🎵\u{2028}\""),
            ("", "\"\""),
        ]
    )
    func `strings are escaped no more than JSON demands`(_ string: String, _ expected: String) {
        #expect(text { $0.value(string) } == expected)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
    func `integers keep all their bits`(_ number: Int64) {
        #expect(text { $0.value(number) } == String(number))
        #expect(text { $0.value(UInt64.max) } == "18446744073709551615")
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (200, "200.0"), (-0.0, "-0.0"), (1e300, "1e+300"),
            (.leastNonzeroMagnitude, "5e-324"),
            (.infinity, #""inf""#), (-.infinity, #""-inf""#), (.nan, #""nan""#),
        ] as [(Double, String)]
    )
    func `doubles are written with the shortest digits`(_ number: Double, _ expected: String) {
        #expect(text { $0.value(number) } == expected)
    }

    @Test func `floats are as short as floats can be`() {
        #expect(text { $0.value(Float(0.1)) } == "0.1")
        #expect(text { $0.value(Float.nan) } == #""nan""#)
    }

    @Test func `data is base64 with padding`() {
        #expect(text { $0.value(Data([0, 1, 2, 255])) } == #""AAEC/w==""#)
        #expect(text { $0.value(Data()) } == #""""#)
    }

    @Test func `random texts are read back as they were by another reader`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in: 0...(random.chance(1, in: 3) ? 0x10FFFF : 0x7F),
                        using: &random
                    )
                )
            }
            let original = String(String.UnicodeScalarView(scalars))
            let line = text { writer in writer.object { $0.member("x", original) } }
            let read = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            #expect(read["x"].map { Array($0.utf8) } == Array(original.utf8))
            #expect(
                try JSONValue(parsing: line)
                    == .object([.init(name: "x", value: .string(original))])
            )
        }
    }
}
