import LegacyMigration
import Reprise
import Testing

/// Whether records are what the schema of their source says.
enum Conformance {
    /// Reads a source to its end and expects every record and list to fit its schema.
    static func read(_ source: some LegacySource) throws -> Readout {
        try source.schema.validate()
        let readout = try Readout(source)
        let faults = faults(readout, source.schema, absent: source.absentFields)
        #expect(faults == [])
        return readout
    }

    /// What does not fit, one sentence each.
    static func faults(
        _ readout: Readout,
        _ schema: SchemaDescription,
        absent: [String: Set<String>] = [:]
    ) -> [String] {
        var faults: [String] = []
        var keys: Set<String> = []
        for record in readout.records {
            let place = "\(record.className) \(record.key)"
            if !keys.insert(place).inserted { faults.append("\(place) comes twice") }
            if !(1...200).contains(record.key.utf8.count), !record.key.contains("-") {
                faults.append("\(place) has an unusable key")
            }
            guard let model = schema.model(named: record.className) else {
                faults.append("\(place) has no model")
                continue
            }
            for field in record.fields {
                let isList = schema.relations.contains {
                    $0.kind == .list && $0.source.model == model.number
                        && $0.source.name == field.name
                }
                if isList, case .references = field.value { continue }
                guard let attribute = model.attribute(named: field.name) else {
                    faults.append("\(place) has \(field.name), which its model has not")
                    continue
                }
                if !fits(field.value, attribute.type) {
                    faults.append("\(place).\(field.name) is \(field.value), not \(attribute.type)")
                }
            }
            for attribute in model.attributes
            where !attribute.isOptional && record[attribute.name] == nil
                && absent[record.className]?.contains(attribute.name) != true
            {
                faults.append("\(place) lacks \(attribute.name)")
            }
        }
        for list in readout.lists {
            if !keys.contains("\(list.className) \(list.key)") {
                faults.append("\(list.className) \(list.key) has a list and no record")
            }
            let model = schema.model(named: list.className)?.number
            if !schema.relations.contains(where: {
                $0.kind == .list && $0.source.model == model && $0.source.name == list.name
            }) {
                faults.append("\(list.className).\(list.name) is no list")
            }
        }
        return faults
    }

    private static func fits(_ value: LegacyValue, _ type: ValueType) -> Bool {
        switch (value, type) {
        case (.bool, .bool), (.integer, .int), (.double, .double), (.float, .float),
            (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid),
            (.decimal, .decimal),
            (.reference, .reference):
            true
        case (.list(let elements), .list(let element, let hasNil)),
            (.set(let elements), .set(let element, let hasNil)):
            elements.allSatisfy { $0 == .null ? hasNil : fits($0, element) }
        case (.map(let fields), .map(let element, let hasNil)):
            fields.allSatisfy { $0.value == .null ? hasNil : fits($0.value, element) }
        default: false
        }
    }
}
