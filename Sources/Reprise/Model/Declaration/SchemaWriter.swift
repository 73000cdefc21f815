/// Little-endian numbers, length-prefixed text.
struct SchemaWriter {
    let version: UInt8
    var bytes: [UInt8] = []

    init(version: UInt8) { self.version = version }

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) {
        u8(UInt8(truncatingIfNeeded: value))
        u8(UInt8(value >> 8))
    }

    mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value))
        u16(UInt16(value >> 16))
    }

    /// Counts and slots: a validated schema has at most 65535 of anything.
    mutating func count(_ value: Int) { u16(UInt16(clamping: value)) }

    mutating func text(_ value: String) {
        let content = Array(value.utf8)
        u8(UInt8(clamping: content.count))
        bytes += content
    }

    mutating func type(_ type: ValueType) {
        switch type {
        case .bool: u8(1)
        case .int: u8(2)
        case .double: u8(3)
        case .float: u8(4)
        case .string: u8(5)
        case .data: u8(6)
        case .date: u8(7)
        case .uuid: u8(8)
        case .decimal: u8(9)
        case .reference: u8(10)
        case .list(let element, let nils): container(16, element, nils)
        case .set(let element, let nils): container(17, element, nils)
        case .map(let element, let nils): container(18, element, nils)
        case .embedded(let fields):
            u8(19)
            count(fields.count)
            for field in fields {
                text(field.name)
                u8(field.isOptional ? 1 : 0)
                self.type(field.type)
            }
        }
    }

    mutating func search(_ search: SearchDescription?) {
        guard let search else { return u8(0) }
        u8(SearchDescription.tokenizer)
        u16(search.number)
        u8(UInt8(clamping: search.fields.count))
        for field in search.fields {
            count(field.slot)
            u8(field.weight)
        }
    }

    private mutating func container(_ code: UInt8, _ element: ValueType, _ nils: Bool) {
        u8(code)
        u8(nils ? 1 : 0)
        type(element)
    }
}

/// The parts of a schema.
extension SchemaWriter {
    mutating func models(_ models: [ModelDescription]) {
        count(models.count)
        for model in models { self.model(model) }
    }

    private mutating func model(_ model: ModelDescription) {
        u16(model.number)
        text(model.name)
        if version >= 3 { names(model.earlierNames) }
        u32(model.version)
        count(model.slotCount)
        attributes(model.attributes)
        count(model.indexes.count)
        for index in model.indexes {
            u16(index.number)
            u8(index.isUnique ? 1 : 0)
            slots(index.slots)
        }
        if version >= 2 { search(model.search) }
        if version >= 3 { attributes(model.retiredAttributes) }
    }

    private mutating func attributes(_ attributes: [AttributeDescription]) {
        count(attributes.count)
        for attribute in attributes {
            count(attribute.slot)
            text(attribute.name)
            if version >= 3 { names(attribute.earlierNames) }
            u8(attribute.isOptional ? 1 : 0)
            type(attribute.type)
            if version >= 3 {
                defaultValue(attribute)
                slots(attribute.origins)
            }
            if version >= 4 { u8(attribute.isWidened ? 1 : 0) }
        }
    }

    private mutating func defaultValue(_ attribute: AttributeDescription) {
        guard let content = attribute.defaultBytes else { return u8(0) }
        u8(1)
        u32(UInt32(clamping: content.count))
        bytes += content
    }

    mutating func relations(_ relations: [RelationDescription]) {
        count(relations.count)
        for relation in relations {
            u16(relation.number)
            switch relation.kind {
            case .reference(let slot):
                u8(1)
                count(slot)
            case .pair(let sourceSlot, let targetSlot):
                u8(2)
                count(sourceSlot)
                count(targetSlot)
            case .list:
                u8(3)
            }
            for end in [relation.source, relation.target] {
                u16(end.model)
                text(end.name ?? "")
                if version >= 3 { names(end.earlierNames) }
                u8(end.onDelete.rawValue)
            }
        }
    }

    private mutating func names(_ names: [String]) {
        u8(UInt8(clamping: names.count))
        for name in names { text(name) }
    }

    private mutating func slots(_ slots: [Int]) {
        count(slots.count)
        for slot in slots { count(slot) }
    }
}
