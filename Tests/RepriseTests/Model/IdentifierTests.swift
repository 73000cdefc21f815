import Testing

@testable import Reprise

struct IdentifierTests {
    struct Nothing {}

    @Test func `identifiers are equal exactly when their bytes are`() {
        let composed = Identifier<Nothing>("\u{E9}")
        let decomposed = Identifier<Nothing>("e\u{301}")
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
        #expect("a" as Identifier<Nothing> == Identifier("a"))
        #expect("\(composed)" == "\u{E9}")
    }
}
