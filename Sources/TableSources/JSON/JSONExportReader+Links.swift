import ExportFormats
import LegacyRecords

extension JSONExportReader {
    // MARK: Links

    /// The key of the record that a link names; nil with a warning where it names none.
    func reference(_ value: JSONValue, _ target: Int, _ place: Place) throws -> String? {
        var named = value
        if case .link(_, let key) = TypedJSON(value, hasWrappers: traits.hasWrappers) {
            named = key
        }
        let classPlan = plan.classes[target]
        let name = classPlan.className
        if classPlan.hasNumbers, case .number(let number) = named {
            if let number = number.integer, let key = try key(ofNumber: number, target) {
                return key
            }
            return try leaveOutLink(place, name)
        }
        let text = KeyText(named, hasWrappers: traits.hasWrappers)?.text
        switch (classPlan.key, text) {
        case (.property, let text?): return ExportPlan.recordKey(className: name, text: text)
        // The object whose primary key is null.
        case (.property, nil) where named == .null:
            return ExportPlan.recordKey(className: name, text: nil)
        case (.number, let text?): return ExportPlan.recordKey(className: name, number: text)
        default: return try leaveOutLink(place, name)
        }
    }

    private func leaveOutLink(_ place: Place, _ name: String) throws -> String? {
        try report.warn(.unresolvedLink) {
            "\(place.text) names an object of \(name) in a way that cannot be followed; it was left out."
        }
        return nil
    }

    func list(_ value: JSONValue, _ target: Int, _ place: Place) throws {
        var members = LegacyReferences()
        for element in try elements(of: value, place) ?? [] {
            if let key = try reference(element, target, place) {
                try members.append(RecordKey(key))
            }
        }
        let list = LegacyList(
            className: place.classPlan.model,
            key: place.key,
            name: place.column.name,
            members: members
        )
        try report.consume(.list(list))
    }

    /// Hands on an object inside another, and returns the key of its record.
    func owned(
        _ value: JSONValue,
        _ owned: Int,
        _ place: Place,
        index: Int?
    ) throws -> String? {
        guard value != .null else { return nil }
        guard let members = value.ownedMembers(hasWrappers: traits.hasWrappers) else {
            try leaveOut(place)
            return nil
        }
        let isInside = place.classPlan.key == .owner
        let proposed = ExportPlan.recordKey(
            owner: isInside
                ? place.key
                : ExportPlan.ownerKey(className: place.classPlan.className, key: place.key),
            property: place.column.property,
            index: index
        )
        let key = try claim(proposed, owned)
        try emit(try withoutRepeats(members) { place.text }, owned, key: key)
        return key
    }
}
