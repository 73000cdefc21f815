import ExportFormats
import LegacyRecords

/// The links of lines of JSON with the types of MongoDB's Extended JSON: a property of `$oid`s is a link where each of
/// them is the key of an object of one class of the export.
struct IdentifierLinks: Sendable {
    /// The classes that may be meant, by class and property.
    private var candidates: [String: [String: Set<String>]] = [:]

    /// None.
    init() {}

    /// Finds the properties that hold nothing but `$oid`s. Reads the file once more where there are some.
    ///
    /// - Parameter input: gives the bytes for that.
    init(_ survey: JSONSurvey, in export: JSONExport, _ input: () throws -> FileInput) throws {
        let keyed = survey.order.filter { survey.classes[$0]?.key.likelyKey != nil }
        for className in survey.order where !keyed.isEmpty {
            guard let found = survey.classes[className] else { continue }
            for property in found.properties where property.name != found.key.likelyKey?.name {
                let isList = property.direct.kinds == .list && property.elements.nullCount == 0
                guard
                    property.direct.kinds == .objectID
                        || isList && property.elements.kinds == .objectID
                else {
                    continue
                }
                candidates[className, default: [:]][property.name] = Set(keyed)
            }
        }
        guard !candidates.isEmpty else { return }
        var left = candidates
        _ = try export.walk(input()) { className, members, _ in
            guard let properties = left[className] else { return }
            for member in members {
                guard let targets = properties[member.name] else { continue }
                left[className]?[member.name] = try targets.filter { target in
                    try survey.classes[target]?.key.likelyKey?.has(member.value) ?? false
                }
            }
        }
        candidates = left
    }

    /// The class that a property leads to; nil where it is no link.
    func target(of className: String, _ property: String) -> String? {
        guard let targets = candidates[className]?[property], targets.count == 1 else { return nil }
        return targets.first
    }
}

extension KeySurvey.Candidate {
    /// Whether a value, or each one of a list, is null or one of the keys.
    fileprivate func has(_ value: JSONValue) throws(LegacyError) -> Bool {
        switch value {
        case .null: return true
        case .array(let elements):
            for element in elements where try !has(element) { return false }
            return true
        default:
            guard let text = KeyText(value, hasWrappers: true)?.text else { return false }
            return try hasKey(text)
        }
    }
}
