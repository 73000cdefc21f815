package import ExportFormats
package import LegacyRecords
package import Reprise

extension LegacySource {
    /// The same export with the names that a store has for what is called otherwise now: builds before this one did not
    /// write letters of other alphabets in those of ASCII.
    ///
    /// - Returns: nil where the store has no such name.
    package func named(asIn store: SchemaDescription) throws(LegacyError) -> (any LegacySource)? {
        var mapping = RecordMapping()
        let names = store.namesByModel
        for model in schema.models {
            let former = names[model.name] == nil ? model.earlierNames.first { names[$0] != nil } : nil
            var rule = RecordMapping.ClassRule(model: former)
            let there = names[former ?? model.name] ?? []
            func rename(_ name: String?, _ earlierNames: [String]) {
                guard let name, !there.contains(name), let old = earlierNames.first(where: there.contains)
                else { return }
                rule.fields[name] = RecordMapping.FieldRule(name: old)
            }
            for attribute in model.attributes { rename(attribute.name, attribute.earlierNames) }
            for relation in schema.relations {
                for end in [relation.source, relation.target] where end.model == model.number {
                    rename(end.name, end.earlierNames)
                }
            }
            if rule.model != nil || !rule.fields.isEmpty { mapping.classes[model.name] = rule }
        }
        return mapping.classes.isEmpty ? nil : try MappedSource(self, mapping)
    }
}
