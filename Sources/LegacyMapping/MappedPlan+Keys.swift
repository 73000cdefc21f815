import ExportFormats
import LegacyRecords
import Reprise

/// How values can be keys of records.
enum KeyShape {
    case one, several
}

extension ValueType {
    /// How values of the type can be keys of records: texts, numbers and collections of them. Nil where they cannot.
    var keyShape: KeyShape? {
        switch self {
        case .string, .int, .uuid, .data, .decimal: .one
        case .list(let element, _), .set(let element, _): element.keyShape == .one ? .several : nil
        default: nil
        }
    }
}

extension MappedPlanMaker {
    /// Takes a field whose values name records by their keys for a relationship: tables without foreign keys, lines of
    /// JSON and others have no other way to say one.
    ///
    /// - Parameters:
    ///   - name: what it is called in the target.
    ///   - models: what the classes of the export become.
    /// - Returns: whether it goes to a relationship.
    /// - Throws: ``LegacyError`` with the code `malformed` where a rule sends it there and there is nothing to name.
    mutating func takeKeys(
        _ attribute: AttributeDescription,
        _ name: String?,
        _ there: ModelDescription,
        _ models: [String: String],
        _ rule: RecordMapping.FieldRule?,
        _ mapped: inout MappedClass
    ) throws(LegacyError) -> Bool {
        guard own == nil, attribute.type != .reference, let name,
            let link = target.links(of: there).first(where: { $0.name == name })
        else { return false }
        let field = "\(mapped.className).\(attribute.name)"
        let shape = rule?.separator == nil ? attribute.type.keyShape : .several
        // Where several classes have become the model, keys are those of the first: of the others they are made anew.
        let named = order.first { models[$0] == link.target }
        guard let named, shape == (link.isToOne ? .one : .several) else {
            guard rule?.name != nil else {
                leaveOut(mapped.className, attribute.name)
                return true
            }
            throw LegacyError(
                .malformed,
                named == nil
                    ? "The mapping makes \(field) a relationship, and no class becomes the model \(link.target)."
                    : "The mapping makes \(field) the relationship \(there.name).\(name), and its values name no "
                        + (link.isToOne ? "single record." : "list of records."),
                advice: "Name another field, or leave this one out with null."
            )
        }
        namesByKeys = true
        if link.isToOne {
            mapped.fields[attribute.name] = MappedClass.Field(
                name: name,
                type: .reference,
                target: named,
                held: nil,
                isTrimmed: rule?.isTrimmed ?? false,
                separator: nil,
                defaultValue: nil,
                bounds: nil
            )
        } else {
            mapped.lists[attribute.name] = MappedClass.List(
                name: name,
                target: named,
                isExclusive: link.memberToOne != nil,
                isNamedByKeys: true,
                isTrimmed: rule?.isTrimmed ?? false,
                separator: rule?.separator
            )
        }
        return true
    }
}
