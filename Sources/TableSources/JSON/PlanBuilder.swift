import ExportFormats
import LegacyRecords
import Reprise

/// Makes the plan and the schema of a store from what a survey found and what a Realm schema says.
struct PlanBuilder {
    let survey: JSONSurvey
    /// Whether records of a file with a schema of Realm's are named as Realm names them.
    let keys: KeyChoice
    /// The links that are told by their values.
    private let identifiers: IdentifierLinks
    /// What an earlier export has decided.
    let earlier: SourceInterpretation
    private(set) var plan = ExportPlan()
    /// Where the plan of a class is, by its place in the survey.
    private(set) var indexes = ExactNames<Int>()
    /// The same the other way round.
    private(set) var places: [String] = []

    /// How the property is found that names the objects.
    enum KeyChoice: Sendable {
        /// As Realm does: the primary key, or `_key`.
        case realm
        /// By a customary name, where it tells most objects apart.
        case customaryName
        /// By the property that links name, or the number that stands in where a class has none.
        case studio(StudioClasses)

        var isStudio: Bool { if case .studio = self { true } else { false } }
        var isCustomaryName: Bool { if case .customaryName = self { true } else { false } }
    }

    private init(
        _ survey: JSONSurvey,
        keys: KeyChoice,
        identifiers: IdentifierLinks,
        asIn earlier: SourceInterpretation
    ) {
        self.identifiers = identifiers
        self.earlier = earlier
        self.survey = survey
        self.keys = keys
    }

    /// The plan and its schema.
    static func build(
        _ survey: JSONSurvey,
        keys: KeyChoice,
        identifiers: IdentifierLinks = IdentifierLinks(),
        asIn earlier: SourceInterpretation = SourceInterpretation()
    ) throws(LegacyError) -> (plan: ExportPlan, schema: SchemaDescription) {
        var builder = PlanBuilder(
            survey,
            keys: keys,
            identifiers: identifiers,
            asIn: earlier
        )
        builder.addClasses()
        builder.addColumns()
        try builder.refuseSparseClasses()
        builder.findLists()
        builder.plan.interpretation = builder.interpretation
        let schema = try PlanSchema.build(&builder.plan)
        if survey.schema == nil { try refuseTooManyNames(schema) }
        return (builder.plan, schema)
    }

    // MARK: Classes

    private mutating func addClasses() {
        for known in survey.schema?.classes ?? [] where known.isModel {
            let key: ClassPlan.Key = known.isEmbedded ? .owner : self.key(of: known.name)
            let place = known.isEmbedded ? JSONSurvey.ownedClass(known.name) : known.name
            add(place, ClassPlan(className: known.name, key: key), isOwned: known.isEmbedded)
        }
        for name in survey.order where indexes[name] == nil {
            var plan = ClassPlan(className: name, key: key(of: name))
            plan.isSkipped = isOfTheSDK(name)
            add(name, plan, isOwned: false)
        }
    }

    private mutating func add(_ place: String, _ given: ClassPlan, isOwned: Bool) {
        var next = given
        // The place of a class that the file names nowhere says whose it is; that of another one begins with a NUL.
        if isOwned, place != JSONSurvey.ownedClass(given.className) { next.nameSource = place }
        if case .property = next.key {
            next.hasNumbers = (survey.classes[place]?.key.numberedCount ?? 0) > 0
        }
        indexes[place] = plan.classes.count
        places.append(place)
        if !isOwned { plan.topLevel[place] = plan.classes.count }
        plan.classes.append(next)
    }

    /// The tables in which the SDKs keep the schema's version and, long ago, the primary keys.
    private func isOfTheSDK(_ name: String) -> Bool {
        guard !keys.isCustomaryName else { return false }
        if let schema = survey.schema, let known = schema[name] { return !known.isModel }
        let names = Set(survey.classes[name]?.properties.map(\.name) ?? []).subtracting(["_key"])
        return name == "metadata" && names == ["version"]
            || name == "pk" && names == ["pk_table", "pk_property"]
    }

    private func key(of name: String) -> ClassPlan.Key {
        if let key = survey.schema?[name]?.primaryKey { return .property(key) }
        guard let found = survey.classes[name] else { return .position }
        if let key = earlierKey(of: found, named: name) { return key }
        let isNumbered = found.isNumbered
        switch keys {
        case .customaryName: return found.key.key(.never).map { .property($0.name) } ?? .position
        case .studio(let classes):
            if let property = classes.key(of: name) { return .property(property) }
            return isNumbered ? .number : .position
        case .realm:
            if isNumbered { return .number }
            // What is linked by a bare number has no primary key, whatever its properties are called.
            guard survey.schema?[name] == nil, !survey.linkedByNumber.contains(name),
                let candidate = found.key.key(.ifExact)
            else { return .position }
            // In mode 0, a class whose objects do not say their numbers has a primary key, and it comes first.
            let isCertain = !survey.hasTypedValues || survey.linkedByValue.contains(name)
            return isCertain || candidate.isCustomary ? .property(candidate.name) : .position
        }
    }

    // MARK: Columns

    private mutating func addColumns() {
        // Classes inside others are found on the way and added at the end.
        var index = 0
        while index < plan.classes.count {
            let place = places[index]
            for property in survey.known(place)?.properties ?? [] {
                let column = column(property, of: place, index)
                plan.classes[index].append(column)
            }
            for found in survey.classes[place]?.properties ?? [] {
                guard plan.classes[index].places[found.name] == nil else { continue }
                let column = column(found, of: place, index)
                plan.classes[index].append(column)
            }
            index += 1
        }
    }

    /// Whether the identifier of a record is exactly the value, so that an attribute would only repeat it.
    private func isIdentifier(_ name: String, of place: String, _ index: Int) -> Bool {
        guard plan.classes[index].key == .property(name) else { return false }
        if let choice = earlierType(of: name, at: place) { return choice == [TextChoice.identifier] }
        guard let found = survey.classes[place], found.objectCount > 0 else {
            // Without objects, what the schema says decides.
            let property = survey.known(place)?.properties.first { $0.name == name }
            return property?.type == "string"
        }
        guard found.key.isExact(name), let property = found[name] else { return false }
        return property.direct.kinds == .string && property.direct.nullCount == 0
    }

    private mutating func column(
        _ property: RealmSchemaFile.Property,
        of place: String,
        _ index: Int
    ) -> ClassPlan.Column {
        let found = survey.classes[place]?[property.name]
        var shape: ClassPlan.Shape
        if let target = property.target {
            shape = relation(property, to: target)
        } else {
            var type = ScalarType(realmName: property.type) ?? .json
            if type == .decimal { type = found?.elements.decimalType ?? .decimal }
            switch property.collection {
            case .none: shape = .scalar(type)
            case .list: shape = .list(type)
            case .set: shape = .set(type)
            case .dictionary: shape = .map(type)
            }
        }
        if isIdentifier(property.name, of: place, index) { shape = .none }
        let isAlwaysThere =
            found.map {
                $0.direct.nullCount == 0 && $0.misfitCount == 0
                    && $0.direct.valueCount == survey.classes[place]?.objectCount
            } ?? (survey.classes[place] == nil)
        let isCollection = property.collection != .none
        return ClassPlan.Column(
            property: property.name,
            name: "",
            shape: shape,
            isOptional: isCollection ? !isAlwaysThere : property.isOptional || !isAlwaysThere,
            hasNilElements: property.isOptional,
            isIndexed: property.isIndexed
        )
    }

    private func relation(_ property: RealmSchemaFile.Property, to target: String)
        -> ClassPlan.Shape
    {
        guard let index = indexes[JSONSurvey.ownedClass(target)] ?? indexes[target] else {
            return .scalar(.json)
        }
        let isOwned = plan.classes[index].key == .owner
        guard isOwned || isResolvable(index) else { return .scalar(.json) }
        switch property.collection {
        case .none: return isOwned ? .owned(index) : .reference(index)
        case .list, .set: return isOwned ? .ownedList(index) : .references(index)
        case .dictionary: return .scalar(.json)
        }
    }

    /// Whether what a link says is enough to find the record.
    func isResolvable(_ index: Int) -> Bool {
        let target = plan.classes[index]
        guard !target.isSkipped else { return false }
        // A class without objects has no object that could not be found.
        return target.key != .position || (survey.classes[target.className]?.objectCount ?? 0) == 0
    }

    private mutating func column(
        _ found: PropertySurvey,
        of place: String,
        _ index: Int
    ) -> ClassPlan.Column {
        let objectCount = survey.classes[place]?.objectCount ?? 0
        var shape = earlierShape(of: found, at: place) ?? identifierLink(found, of: place) ?? self.shape(of: found)
        var isWidened = false
        if earlier.mayWiden, earlierType(of: found.name, at: place) != nil, case .scalar(let kept) = shape,
            let wider = widened(kept, found.direct)
        {
            (shape, isWidened) = (.scalar(wider), true)
        }
        if isIdentifier(found.name, of: place, index) { shape = .none }
        if found.name == "_key", saysNumbers(place, index) { shape = .none }
        let hasNull =
            if let choice = earlierType(of: found.name, at: place) {
                choice.last == TextChoice.null
            } else {
                (found.direct.kinds.isSubset(of: [.list, .set]) ? found.elements : found.values).nullCount > 0
            }
        return ClassPlan.Column(
            property: found.name,
            name: "",
            shape: shape,
            isOptional: found.direct.valueCount < objectCount || objectCount == 0,
            hasNilElements: hasNull,
            isIndexed: false,
            isWidened: isWidened
        )
    }

    private mutating func shape(of found: PropertySurvey) -> ClassPlan.Shape {
        let direct = found.direct
        switch direct.kinds {
        case .object:
            if let owned = ownedClass(direct) { return .owned(owned) }
            if keys.isStudio, found.isAlwaysEmpty { return .none }
            // Objects of several classes, with the class beside each.
            if direct.objectClasses.contains(where: JSONSurvey.isNamedClass) {
                return .scalar(.json)
            }
            return type(of: found.values).map { .map($0) } ?? .scalar(.json)
        case .dictionary: return type(of: found.values).map { .map($0) } ?? .scalar(.json)
        case .list, .set:
            let elements = found.elements
            if elements.nullCount == 0 {
                if elements.kinds == .object, let owned = ownedClass(elements) {
                    return .ownedList(owned)
                }
                if elements.kinds == .link, let target = linkTarget(elements) {
                    return .references(target)
                }
            }
            guard let type = type(of: elements) else { return .scalar(.json) }
            return direct.kinds == .set ? .set(type) : .list(type)
        case .link: return linkTarget(direct).map { .reference($0) } ?? .scalar(.json)
        default: return .scalar(type(of: direct) ?? .json)
        }
    }

    /// The lines that a store exports have texts in place of the numbers that JSON cannot say.
    private func type(of found: ValueSurvey) -> ScalarType? {
        found.scalarType(readsNumberWords: keys.isCustomaryName)
    }

    private func linkTarget(_ found: ValueSurvey) -> Int? {
        guard found.linkTargets.count == 1, let name = found.linkTargets.first,
            let index = indexes[name], plan.classes[index].key != .owner, isResolvable(index)
        else { return nil }
        return index
    }

    /// The relationship that a property with identifiers is, where they are those of objects.
    private func identifierLink(_ found: PropertySurvey, of place: String) -> ClassPlan.Shape? {
        guard let target = identifiers.target(of: place, found.name), let index = indexes[target],
            plan.classes[index].isNamedByProperty
        else { return nil }
        return found.direct.kinds == .list ? .references(index) : .reference(index)
    }

    /// The class of objects that all are of one, with the same names in each.
    private mutating func ownedClass(_ found: ValueSurvey) -> Int? {
        guard found.objectClasses.count == 1, let place = found.objectClasses.first,
            survey.classes[place]?.isUniform ?? false || JSONSurvey.isNamedClass(place)
        else { return nil }
        return ownedClass(at: place)
    }

    mutating func ownedClass(at place: String) -> Int? {
        guard let owned = survey.classes[place], !owned.isTopLevel,
            (1...JSONSurvey.ownedPropertyCountMax).contains(owned.properties.count)
        else { return nil }
        if let index = indexes[place] { return plan.classes[index].key == .owner ? index : nil }
        add(place, ClassPlan(className: owned.name, key: .owner), isOwned: true)
        return plan.classes.count - 1
    }

    // MARK: Lists

    /// Finds the classes whose objects have to be gone through again for their lists: those that have some, and those
    /// that own objects that have.
    private mutating func findLists() {
        var owners = [[Int]](repeating: [], count: plan.classes.count)
        var found: [Int] = []
        for (index, classPlan) in plan.classes.enumerated() {
            for column in classPlan.columns {
                switch column.shape {
                case .references: found.append(index)
                case .owned(let owned), .ownedList(let owned): owners[owned].append(index)
                default: break
                }
            }
        }
        while let index = found.popLast() {
            guard !plan.classes[index].hasLists else { continue }
            plan.classes[index].hasLists = true
            found += owners[index]
        }
    }
}
