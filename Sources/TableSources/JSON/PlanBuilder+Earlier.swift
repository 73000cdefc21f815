import ExportFormats
import LegacyRecords

/// What an earlier export of the source has decided, and what this one has (Specs/format/migration.md).
extension PlanBuilder {
    // MARK: Keys

    /// How the objects of a class were named in an earlier export, if they still can be.
    func earlierKey(of found: ClassSurvey, named name: String) -> ClassPlan.Key? {
        guard survey.schema == nil, let choice = earlier[TextChoice.key(of: name)] else { return nil }
        // Of Realm Studio the links have been told by the key already.
        if keys.studioKey(of: name) != nil { return nil }
        switch choice {
        case [TextChoice.none]: return .position
        case [TextChoice.number]: return found.isNumbered ? .number : nil
        default: return keys.isStudio ? nil : found.key.earlierKey.map { .property($0.name) }
        }
    }

    /// Whether the member `_key` of the objects of a class is a number that they have beside their members.
    func saysNumbers(_ place: String, _ index: Int) -> Bool {
        let found = plan.classes[index]
        if found.key == .number || found.hasNumbers { return true }
        return found.key == .position && !keys.isCustomaryName && (survey.classes[place]?.isNumbered ?? false)
    }

    // MARK: Types

    /// What the log says of the values of a property; nil where it says nothing, or a schema does.
    func earlierType(of property: String, at place: String) -> [String]? {
        survey.schema == nil ? earlier[TextChoice.type(of: property, at: place)] : nil
    }

    /// What a property was in an earlier export; nil where that cannot be any more.
    mutating func earlierShape(of found: PropertySurvey, at place: String) -> ClassPlan.Shape? {
        guard let choice = earlierType(of: found.name, at: place), let word = choice.first else { return nil }
        let named = choice.count > 1 ? choice[1] : nil
        func type(_ values: ValueSurvey) -> ScalarType? {
            named.flatMap { ScalarType(word: $0, isText: values.kinds.isSubset(of: .texts)) }
        }
        switch word {
        case TextChoice.identifier: return nil
        case TextChoice.list: return type(found.elements).map { .list($0) }
        case TextChoice.set: return type(found.elements).map { .set($0) }
        case TextChoice.map: return type(found.values).map { .map($0) }
        case TextChoice.reference, TextChoice.references:
            guard let index = named.flatMap({ indexes[$0] }), plan.classes[index].key != .owner, isResolvable(index)
            else { return .gone }
            return word == TextChoice.reference ? .reference(index) : .references(index)
        case TextChoice.object, TextChoice.objects:
            let owned = named.map(JSONSurvey.ownedClass) ?? JSONSurvey.ownedClass(place, found.name)
            guard let index = ownedClass(at: owned) else { return .gone }
            return word == TextChoice.object ? .owned(index) : .ownedList(index)
        default:
            return ScalarType(word: word, isText: found.direct.kinds.isSubset(of: .texts)).map { .scalar($0) }
        }
    }

    /// The narrowest type that holds what a type of an earlier export holds, and all values now; nil where that type
    /// holds them, or only text in the form of JSON would. A text that spells a number or a truth value is none too
    /// much.
    func widened(_ kept: ScalarType, _ found: ValueSurvey) -> ScalarType? {
        guard found.kinds.isSubset(of: [.bool, .int, .double, .string]) else { return nil }
        let hasWords = found.kinds.contains(.string) && !found.textsAreSpellings
        switch kept {
        case .bool where hasWords || !found.kinds.isDisjoint(with: [.int, .double]),
            .int where hasWords, .double where hasWords || found.kinds.contains(.bool):
            return .words
        case .int where found.kinds.contains(.double):
            return found.kinds.isSubset(of: [.int, .double]) && found.scalarType(readsNumberWords: false) == .double
                ? .double : .words
        case .int where found.kinds.contains(.bool): return .words
        default: return nil
        }
    }

    /// The fields that were widened, by model.
    static func widenedFields(of plan: ExportPlan) -> [String: Set<String>] {
        var fields: [String: Set<String>] = [:]
        for classPlan in plan.classes {
            let names = classPlan.columns.filter { $0.isWidened && !$0.name.isEmpty }.map(\.name)
            if !names.isEmpty { fields[classPlan.model] = Set(names) }
        }
        return fields
    }

    // MARK: Decisions

    /// What was decided; nothing where a schema does. What an earlier export has said of a property stands as it is,
    /// and so does what it has said of what is not in this one.
    var interpretation: SourceInterpretation {
        var interpretation = SourceInterpretation()
        guard survey.schema == nil else { return earlier }
        for (index, classPlan) in plan.classes.enumerated() where !classPlan.isSkipped {
            let place = places[index]
            guard survey.classes[place]?.objectCount ?? 0 > 0 else { continue }
            if classPlan.key != .owner {
                interpretation[TextChoice.key(of: classPlan.className)] = classPlan.key.choice
            }
            for column in classPlan.columns {
                let subject = TextChoice.type(of: column.property, at: place)
                let kept = column.isWidened ? nil : earlier[subject]
                interpretation[subject] = kept ?? choice(of: column, in: classPlan)
            }
        }
        interpretation.add(earlier)
        return interpretation
    }

    private func choice(of column: ClassPlan.Column, in classPlan: ClassPlan) -> [String]? {
        let null = column.hasNilElements ? [TextChoice.null] : []
        func name(_ index: Int) -> [String] { [plan.classes[index].className] }
        func owned(_ index: Int) -> [String] { JSONSurvey.isNamedClass(places[index]) ? name(index) : [] }
        switch column.shape {
        case .none: return classPlan.key == .property(column.property) ? [TextChoice.identifier] : nil
        case .gone: return nil
        case .scalar(let type): return [type.word]
        case .list(let type): return [TextChoice.list, type.word] + null
        case .set(let type): return [TextChoice.set, type.word] + null
        case .map(let type): return [TextChoice.map, type.word] + null
        case .reference(let target): return [TextChoice.reference] + name(target)
        case .references(let target): return [TextChoice.references] + name(target)
        case .owned(let target): return [TextChoice.object] + owned(target)
        case .ownedList(let target): return [TextChoice.objects] + owned(target)
        }
    }
}

extension ClassPlan.Key {
    /// As it is written into the log; nil for objects inside others, of which nothing is decided.
    fileprivate var choice: [String]? {
        switch self {
        case .property(let name): TextChoice.choice(name)
        case .number: [TextChoice.number]
        case .position: TextChoice.choice(nil)
        case .owner: nil
        }
    }
}

extension PlanBuilder.KeyChoice {
    fileprivate func studioKey(of name: String) -> String? {
        if case .studio(let classes) = self { classes.key(of: name) } else { nil }
    }
}

extension ValueKinds {
    /// What a text holds as it is.
    static let texts: Self = [.string, .objectID, .decimal]
}
