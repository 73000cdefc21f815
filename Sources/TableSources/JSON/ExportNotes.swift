import ExportFormats
import LegacyRecords

/// What is said of a file as a whole before its records: what its form could not say, and how that was met.
struct ExportNotes {
    private let survey: JSONSurvey
    let plan: ExportPlan
    private(set) var warnings: [LegacyWarning] = []

    /// - Parameters:
    ///   - survey: what was found in the file.
    ///   - plan: what becomes of it.
    init(_ survey: JSONSurvey, _ plan: ExportPlan) {
        self.survey = survey
        self.plan = plan
    }

    mutating func warn(_ kind: LegacyWarning.Kind, of className: String? = nil, _ message: String) {
        warnings.append(LegacyWarning(kind: kind, message: message, of: className))
    }

    mutating func warn(_ warning: LegacyWarning) { warnings.append(warning) }

    /// What is true of every format: objects without a name, and values of several types.
    mutating func addPlan() {
        for note in plan.notes { warn(note) }
        for classPlan in plan.classes
        where classPlan.isSkipped && survey.classes[classPlan.className]?.objectCount ?? 0 > 0 {
            warn(.bookkeepingTable, "\(classPlan.className) is a table of Realm's own; it was left out.")
        }
        for classPlan in plan.classes where !classPlan.isSkipped {
            let objectCount = survey.classes[classPlan.className]?.objectCount ?? 0
            if classPlan.key == .position, objectCount > 0 {
                let reason =
                    unusableKey(classPlan.className).map {
                        "have \($0), which is no key, because no more than half of them have a text or a whole number "
                            + "of their own in it"
                    } ?? "have no key in the file"
                warn(
                    .positionalKey,
                    of: classPlan.model,
                    "The \(objectCount) objects of \(classPlan.className) \(reason); "
                        + "their places stand in, and links to them cannot be followed."
                )
            }
            let known = survey.schema?[classPlan.className]?.properties ?? []
            let mixed = Set(known.filter { $0.type == "mixed" }.map(\.name))
            for column in classPlan.columns where column.shape == .scalar(.json) {
                guard !mixed.contains(column.property) else { continue }
                warn(
                    .keptAsText,
                    "\(classPlan.className).\(column.property) is kept as JSON text: "
                        + "its values are of several kinds, or are links that cannot be followed."
                )
            }
            for column in classPlan.columns where column.shape.holdsWords && !column.isWidened {
                warn(
                    .keptAsText,
                    "\(classPlan.className).\(column.property) was text in an earlier export and stays it; what is no "
                        + "text now is kept as it is written."
                )
            }
        }
    }

    /// A property that is called as keys are and tells too few objects apart. Where there is a schema, it says the key.
    private func unusableKey(_ className: String) -> String? {
        guard survey.schema?[className] == nil, let found = survey.classes[className] else {
            return nil
        }
        return KeySurvey.customaryNames.first { found.index[$0] != nil }
    }

    /// What `realm2json` loses (realm-core, `to_json.cpp`).
    mutating func addRealm2JSON() {
        if survey.schema == nil {
            warn(
                .lossyFormat,
                "There is no schema beside the file: types are those of the values, and links that the file does not "
                    + "mark are plain values; give what `realm2json --schema` prints."
            )
            addUntypedTexts()
        }
        let kinds = survey.classes.values
            .flatMap(\.properties)
            .reduce(into: ValueKinds()) {
                $0.formUnion($1.direct.kinds)
                $0.formUnion($1.elements.kinds)
                $0.formUnion($1.values.kinds)
            }
        if kinds.contains(.date) {
            warn(
                .lossyFormat,
                "Dates are cut to milliseconds in this form; output mode 0 with a schema keeps nanoseconds."
            )
        }
    }

    /// Says which objects are named otherwise than in an earlier export.
    mutating func addChanges(from earlier: SourceInterpretation) {
        for next in plan.classes {
            let subject = TextChoice.key(of: next.className)
            guard next.key != .owner, let choice = plan.interpretation[subject] else { continue }
            let warning = TextChoice.warning(
                from: earlier[subject],
                to: choice,
                of: next.className,
                model: next.model
            )
            if let warning { warn(warning) }
        }
    }

    /// Whether a property is a link: as an earlier export has said, where there was one.
    private func isLink(_ className: String, _ property: String) -> Bool {
        guard let classPlan = plan.topLevel[className].map({ plan.classes[$0] }),
            let column = classPlan.places[property].map({ classPlan.columns[$0] })
        else { return false }
        switch column.shape {
        case .reference, .references: return true
        default: return false
        }
    }

    /// The links that were told by their identifiers.
    mutating func addIdentifierLinks(_ links: IdentifierLinks) {
        for className in survey.order {
            for property in survey.classes[className]?.properties ?? []
            where isLink(className, property.name) {
                guard let target = links.target(of: className, property.name) else { continue }
                warn(
                    .guessedRelationship,
                    "\(className).\(property.name) is taken for a link to \(target): each of its identifiers is that of"
                        + " an object there."
                )
            }
        }
    }

    /// What Realm Studio loses.
    mutating func addStudio() {
        if survey.schema == nil {
            warn(
                .lossyFormat,
                "There is no schema beside the file: types are those of the values; dates, data, UUIDs and decimals "
                    + "are the texts they were written as, and numbers without a fraction are whole."
            )
            addUntypedTexts()
        }
        for className in survey.order {
            for property in survey.classes[className]?.properties ?? []
            where property.isAlwaysEmpty && property.direct.valueCount > 0 {
                warn(
                    .lostBinary,
                    "\(className).\(property.name) is empty in all \(property.direct.valueCount) objects that have it: "
                        + "Realm Studio does not write binary data; use realm2json."
                )
            }
        }
    }

    /// The properties whose texts are all dates.
    mutating func addUntypedTexts() {
        for className in survey.order {
            for property in survey.classes[className]?.properties ?? [] {
                for part in [property.direct, property.elements, property.values]
                where part.kinds == .string && part.textsAreDates {
                    warn(
                        .untypedText,
                        "\(className).\(property.name) holds dates as texts; without a schema they stay texts."
                    )
                }
            }
        }
    }
}
