import Reprise
import TestSupport
import Testing

/// A transaction ends with its closure (STO-75). The compiler holds that for programs, as long as the declarations stay
/// as they are, which these tests check.
struct TransactionTokenTests {
    /// The compiler takes the first for a type whose values can be copied, the second for others.
    private func isCopyable<T>(_: T.Type) -> Bool { true }
    private func isCopyable<T: ~Copyable>(_: T.Type) -> Bool { false }

    @Test func `what a transaction reads through cannot be copied out of its closure`() {
        #expect(isCopyable(String.self))
        #expect(!isCopyable(StateToken.self))
        #expect(!isCopyable(ReadTransaction.self))
        #expect(!isCopyable(WriteTransaction.self))
    }

    @Test func `a program that reads needs the token and nothing that can be copied`() throws {
        let text = try Repository.text("Sources/Reprise/Transactions/Reading/StateReading.swift")
        let declaration = try #require(
            text.firstRange(of: "public protocol StateReading: ~Copyable {")
        )
        let lines = text[declaration.upperBound...].split(separator: "\n").prefix { $0 != "}" }
        let requirements = lines.map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("///") }
        #expect(requirements == ["var token: StateToken { get }"])
        for path in try Repository.files(below: "Sources/Reprise", extensions: ["swift"]) {
            for line in try Repository.text(path).split(separator: "\n")
            where line.contains("StateAccess")
                && (line.contains("public ") || line.contains("package "))
            {
                Issue.record(
                    "\(path): \"\(line)\" makes StateAccess public, which can be copied. Hide it."
                )
            }
        }
    }
}
