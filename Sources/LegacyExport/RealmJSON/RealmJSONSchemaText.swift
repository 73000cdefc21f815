import Reprise

extension RealmJSONPlan {
    /// What `realm2json --schema` prints of such classes (realm-core, `Table::schema_to_json`).
    var schemaText: String {
        var buffer = JSONBuffer()
        buffer.append("[\n")
        for (index, found) in classes.enumerated() {
            if index > 0 { buffer.append(",\n") }
            append(found, to: &buffer)
        }
        buffer.append(classes.isEmpty ? "]\n" : "\n]\n")
        return buffer.take()
    }

    private func append(_ found: Class, to buffer: inout JSONBuffer) {
        buffer.append("{\"name\":")
        buffer.append(quoted: "class_" + found.name)
        if !found.isEmbedded { buffer.append(",\"primaryKey\":\"id\"") }
        buffer.append(",\"tableType\":")
        buffer.append(quoted: found.isEmbedded ? "Embedded" : "TopLevel")
        buffer.append(",\"properties\":[")
        for (place, property) in found.properties.enumerated() {
            if place > 0 { buffer.append(",") }
            append(property, to: &buffer)
        }
        buffer.append("]}")
    }

    private func append(_ property: Property, to buffer: inout JSONBuffer) {
        buffer.append("{\"name\":")
        buffer.append(quoted: property.name)
        var isOptional = property.isOptional
        switch property.kind {
        case .identifier: buffer.append(",\"type\":\"string\"")
        case .scalar(let type): append(type, to: &buffer)
        case .list(let type, let nilElements):
            append(type, to: &buffer)
            buffer.append(",\"isArray\":true")
            isOptional = nilElements
        case .set(let type, let nilElements):
            append(type, to: &buffer)
            buffer.append(",\"isSet\":true")
            isOptional = nilElements
        case .map(let type, let nilValues):
            append(type, to: &buffer)
            buffer.append(",\"isMap\":true,\"keyType\":\"string\"")
            isOptional = nilValues
        case .link(let target):
            append(target: target, to: &buffer)
            isOptional = true
        case .links(let target):
            append(target: target, to: &buffer)
            buffer.append(",\"isArray\":true")
            isOptional = false
        case .embedded(let index):
            append(target: classes[index].name, to: &buffer)
            isOptional = true
        case .embeddedList(let index):
            append(target: classes[index].name, to: &buffer)
            buffer.append(",\"isArray\":true")
            isOptional = false
        case .mixed:
            buffer.append(",\"type\":\"mixed\"")
            isOptional = true
        }
        if isOptional { buffer.append(",\"isOptional\":true") }
        if property.isIndexed { buffer.append(",\"isIndexed\":true") }
        buffer.append("}")
    }

    private func append(target: String, to buffer: inout JSONBuffer) {
        buffer.append(",\"type\":\"object\",\"objectType\":")
        buffer.append(quoted: "class_" + target)
    }

    private func append(_ type: ValueType, to buffer: inout JSONBuffer) {
        buffer.append(",\"type\":")
        switch type {
        case .bool: buffer.append("\"bool\"")
        case .int: buffer.append("\"int\"")
        case .double: buffer.append("\"double\"")
        case .float: buffer.append("\"float\"")
        case .data: buffer.append("\"binary\"")
        case .date: buffer.append("\"timestamp\"")
        case .uuid: buffer.append("\"uuid\"")
        case .decimal: buffer.append("\"decimal128\"")
        default: buffer.append("\"string\"")
        }
    }
}
