import ExportFormats
import LegacyRecords
import Reprise

extension MappedPlan {
    /// - Parameter isTransformed: whether a closure changes the records before the rules do.
    /// - Throws: ``LegacyError`` with the code `malformed` where the rules name what the source or the target has not,
    ///   or can never apply.
    init(
        _ mapping: RecordMapping,
        of source: some LegacySource,
        isTransformed: Bool
    ) throws(LegacyError) {
        let unused = try Self.check(mapping, source)
        let own = mapping.target.schema == nil ? try OwnSchema(mapping, source.schema) : nil
        let schema = mapping.target.schema ?? own?.description ?? source.schema
        var maker = MappedPlanMaker(mapping, source, schema, own, mapping.target.rules)
        maker.isTransformed = isTransformed
        maker.misfits = unused.map {
            (
                .unusedRule,
                "The mapping has a rule for \($0), which cannot be read in the damaged export."
            )
        }
        self = try maker.plan()
    }

    /// Every name in a rule must be one of the source's: a rule that never applies is a mistake, but for what is lost
    /// of a damaged export. Returns the names of that.
    private static func check(
        _ mapping: RecordMapping,
        _ source: some LegacySource
    ) throws(LegacyError) -> [String] {
        let schema = source.schema
        let lost = source.lostSchema
        var unused: [String] = []
        for (name, rule) in mapping.classes.sorted(by: { $0.key < $1.key }) {
            guard let model = schema.model(named: name) else {
                guard lost.classes.contains(name) else {
                    throw unknown("class \"\(name)\"", schema.models.map(\.name))
                }
                unused.append(name)
                continue
            }
            let names = model.attributes.map(\.name) + schema.links(of: model).map(\.name)
            var used = Array(rule.fields.keys)
            switch rule.identifier {
            case .field(let field): used.append(field)
            case .fields(let fields): used += fields
            case nil: break
            }
            for field in used.sorted() where !names.contains(field) {
                guard lost.fields[name]?.contains(field) ?? false else {
                    throw unknown("field \"\(name).\(field)\"", names)
                }
                unused.append("\(name).\(field)")
            }
        }
        return unused
    }

    private static func unknown(_ what: String, _ names: [String]) -> LegacyError {
        LegacyError(
            .malformed,
            "The mapping has a rule for the \(what), which the export has not.",
            advice: names.isEmpty
                ? "There are none." : "There are: \(names.prefix(40).joined(separator: ", "))."
        )
    }
}
