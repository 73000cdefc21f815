import Foundation
import LegacyMigration
import Testing

/// Every kind of warning says what it means.
@Suite struct WarningMeaningTests {
    /// The kinds that the sources declare.
    private static func declared() throws -> [(name: String, rawValue: String)] {
        let folder = Repository.root.appending(path: "Sources/LegacyRecords/Warnings")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var kinds: [(String, String)] = []
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for match in text.matches(of: /static let (\w+) = Self\(rawValue: "(\w+)"\)/) {
                kinds.append((String(match.1), String(match.2)))
            }
        }
        return kinds
    }

    @Test func `every kind of warning has a meaning that can follow a count`() throws {
        let kinds = try Self.declared()
        #expect(kinds.count > 60)
        for kind in kinds {
            #expect(kind.name == kind.rawValue)
            let meaning = LegacyWarning.Kind(rawValue: kind.rawValue).meaning
            #expect(meaning != nil, "\(kind.name) has none: add it to LegacyWarning+Meaning.swift.")
            #expect(meaning?.hasSuffix(".") != true && meaning?.first?.isUppercase != true)
        }
        #expect(LegacyWarning.Kind(rawValue: "somebodyElses").meaning == nil)
    }

    @Test func `every kind of warning that has a meaning is declared once`() throws {
        let names = try Self.declared().map(\.rawValue)
        #expect(Set(names).count == names.count)
    }
}
