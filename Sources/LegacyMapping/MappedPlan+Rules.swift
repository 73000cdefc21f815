import ExportFormats
import LegacyRecords
import Reprise

/// Whether the rules of a mapping can apply to what they are for: one that never can is a mistake.
extension MappedPlanMaker {
    /// What a class's rules say of fields and identifiers, compared with the types of both schemas.
    ///
    /// What the types of the export are says nothing where a closure changes records before. Where they were told by
    /// the values, another export may have texts: there of what changes values only what would lose something is
    /// refused.
    ///
    /// - Throws: ``LegacyError`` with the code `malformed`, and the class, the field, the rule and why.
    func checkRules(
        _ rule: RecordMapping.ClassRule,
        _ model: ModelDescription,
        _ mapped: MappedClass
    ) throws(LegacyError) {
        try checkIdentifier(rule.identifier, model)
        for (field, fieldRule) in rule.fields.sorted(by: { $0.key < $1.key })
        where !fieldRule.isDropped && !isAbsent(field, model) {
            let place = "\(model.name).\(field)"
            let type = model.attribute(named: field)?.type
            let isOfText = type == .string || hasFreeTypes
            for name in fieldRule.transformations {
                func refuse(_ reason: String) -> LegacyError {
                    Self.refusal("\"\(name)\" for \(place)", reason)
                }
                if let list = mapped.lists[field] {
                    guard list.isNamedByKeys, name != "default", name != "type" else {
                        throw refuse("it is a list of records")
                    }
                    if !isOfText { throw refuse("it holds \(Self.noun(type))") }
                    continue
                }
                guard let type, type != .reference else {
                    throw refuse(type == nil ? "it is a list of records" : "it leads to a record")
                }
                guard let there = mapped.fields[field] else {
                    throw refuse("the target has no place for it, and it is left out")
                }
                if name == "type" {
                    if fieldRule.separator != nil { throw refuse("\"split\" makes texts of it") }
                    if type == .date, !hasFreeTypes { throw refuse("it holds dates already") }
                } else if name != "default" {
                    if !isOfText { throw refuse("it holds \(Self.noun(type))") }
                    let parts = LegacyValue.list([.string("a")])
                    if name == "split", case .refused = parts.fitted(to: there.type) {
                        throw refuse("the target's \(there.name) holds \(Self.noun(there.type)), and no list of texts")
                    }
                } else if there.type == .reference {
                    throw refuse("it becomes a reference to a record")
                } else if let value = fieldRule.defaultValue,
                    let reason = Self.misfit(of: value, there)
                {
                    throw refuse("the target's \(there.name) holds \(Self.noun(there.type)), and the default \(reason)")
                }
            }
        }
    }

    /// An identifier is refused whatever the types were told by: where the values name no record, each would be named
    /// by its old key, and be another one than in an export in which they do.
    private func checkIdentifier(
        _ rule: RecordMapping.IdentifierRule?,
        _ model: ModelDescription
    ) throws(LegacyError) {
        if isTransformed { return }
        let fields: [String] =
            switch rule {
            case .field(let field): [field]
            case .fields(let fields): fields
            case nil: []
            }
        for field in fields where !isAbsent(field, model) {
            let type = model.attribute(named: field)?.type
            if type?.keyShape == .one { continue }
            throw Self.refusal(
                "\"id\" for \(model.name) with the field \(field)",
                type == nil ? "it is a list of records" : "it holds \(Self.noun(type)), which names no record"
            )
        }
    }

    /// Why a default is none of a field; nil where it is.
    private static func misfit(of value: LegacyValue, _ field: MappedClass.Field) -> String? {
        switch value.fitted(to: field.type) {
        case .refused(_, let reason): return reason
        case .value(.integer(let number)):
            guard let bounds = field.bounds, !bounds.contains(number) else { return nil }
            return "\(number) is not within \(bounds.lowerBound) and \(bounds.upperBound)"
        case .shortened: return "has more digits than a Double holds"
        case .value, .rounded: return nil
        }
    }

    private static func refusal(_ rule: String, _ reason: String) -> LegacyError {
        LegacyError(
            .malformed,
            "The mapping's rule \(rule) can never apply: \(reason).",
            advice: "Take it out of the mapping, or put it where it belongs."
        )
    }

    private static func noun(_ type: ValueType?) -> String {
        switch type {
        case .bool: "yes or no"
        case .int: "whole numbers"
        case .double, .float, .decimal: "numbers"
        case .string: "texts"
        case .data: "bytes"
        case .date: "dates"
        case .uuid: "UUIDs"
        case .list, .set: "collections"
        case .map: "dictionaries"
        case .embedded: "structs"
        case .reference: "a reference to a record"
        case nil: "records"
        }
    }
}

extension RecordMapping.FieldRule {
    /// The words of a mapping file for what changes values.
    fileprivate var transformations: [String] {
        (type == nil ? [] : ["type"]) + (isTrimmed ? ["trim"] : []) + (separator == nil ? [] : ["split"])
            + (defaultValue == nil ? [] : ["default"])
    }
}
