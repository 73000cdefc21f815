import ExportFormats
import LegacyRecords
import Reprise

/// Makes the schema of a store from a plan, and notes the stored names in it.
enum PlanSchema {
    static func build(_ plan: inout ExportPlan) throws(LegacyError) -> SchemaDescription {
        let classes = plan.classes.filter { !$0.isSkipped }
        var builder = LegacySchemaBuilder(classes: classes.map(\.nameSource))
        var models: [LegacySchemaBuilder.ModelID?] = []
        for index in plan.classes.indices {
            guard !plan.classes[index].isSkipped else {
                models.append(nil)
                continue
            }
            let properties = plan.classes[index].columns.filter { $0.shape != .none && $0.shape != .gone }
            let model = builder.addModel(
                plan.classes[index].nameSource,
                properties: properties.map(\.property)
            )
            plan.classes[index].model = builder.name(of: model)
            models.append(model)
        }
        for index in plan.classes.indices {
            guard let model = models[index] else { continue }
            for place in plan.classes[index].columns.indices {
                let column = plan.classes[index].columns[place]
                plan.classes[index].columns[place].name = add(column, model, models, &builder)
            }
        }
        plan.notes = builder.notes
        return try builder.build()
    }

    private static func add(
        _ column: ClassPlan.Column,
        _ model: LegacySchemaBuilder.ModelID,
        _ models: [LegacySchemaBuilder.ModelID?],
        _ builder: inout LegacySchemaBuilder
    ) -> String {
        let type: ValueType
        switch column.shape {
        case .none, .gone: return ""
        case .scalar(let scalar): type = scalar.valueType
        case .list(let scalar): type = .list(scalar.valueType, nilElements: column.hasNilElements)
        case .set(let scalar): type = .set(scalar.valueType, nilElements: column.hasNilElements)
        case .map(let scalar): type = .map(scalar.valueType, nilValues: column.hasNilElements)
        case .reference(let target), .owned(let target):
            guard let other = models[target] else { return "" }
            let isOwned = if case .owned = column.shape { true } else { false }
            return builder.addReference(
                column.property,
                from: model,
                to: other,
                onDelete: isOwned ? .cascade : .nullify
            ).name
        case .references(let target), .ownedList(let target):
            guard let other = models[target] else { return "" }
            let isOwned = if case .ownedList = column.shape { true } else { false }
            return builder.addList(
                column.property,
                of: model,
                to: other,
                onDelete: isOwned ? .cascade : .nullify
            ).name
        }
        return builder.addAttribute(
            column.property,
            type,
            isOptional: column.isOptional,
            isIndexed: column.isIndexed,
            to: model
        )
    }
}
