import ExportFormats
import LegacyRecords

/// Turns the objects of a file into records and lists, by a plan.
final class JSONExportReader {
    /// What is particular about a format.
    struct Traits: Sendable {
        var hasWrappers = false
        /// Whether numbers were written by JavaScript, which rounds those beyond 2^53.
        var isFromJavaScript = false
        /// Whether a value may be of another type than its column, because an earlier export has said which it is: then
        /// it is handed on all the same, for a mapping may know what to do with it.
        var handsOnMisfits = false
        /// What is said before the first record, of the whole file.
        var warnings: [LegacyWarning] = []
    }

    enum Pass {
        /// Which keys the numbers stand for that links name.
        case numbers
        case records, lists
    }

    private let export: JSONExport
    let plan: ExportPlan
    let traits: Traits
    let report: LibraryReport
    private var registries: [KeyRegistry] = []
    private(set) var pass = Pass.records
    /// The keys of objects by class and number, where links name numbers of objects with a primary key.
    private var keysByNumber: [Int: RememberedMap<UInt64>] = [:]
    private let memory = RecordMemory()

    init(
        _ export: JSONExport,
        _ plan: ExportPlan,
        _ traits: Traits,
        consume: @escaping (LegacyEvent) throws -> Void
    ) {
        self.export = export
        self.plan = plan
        self.traits = traits
        report = LibraryReport(consume)
    }

    /// Reads the file: once for the records, and again where there are lists.
    func read() throws -> LegacyReading {
        for warning in traits.warnings { try report.warn(warning) }
        let hasLists = plan.classes.contains { $0.hasLists && $0.key != .owner }
        let passes: [Pass] =
            (plan.classes.contains(where: \.hasNumbers) ? [.numbers] : []) + [.records]
            + (hasLists ? [.lists] : [])
        let passByteCount = export.stamp.byteCount * export.passCount
        let total = passByteCount * UInt64(passes.count)
        var hash = ContentHash(bytes: [])
        for (place, pass) in passes.enumerated() {
            hash = try run(pass, after: passByteCount * UInt64(place), of: total)
        }
        var reading = report.reading
        reading.byteCount = export.stamp.byteCount
        reading.contentHash = hash
        return reading
    }

    private func run(_ pass: Pass, after: UInt64, of total: UInt64) throws -> ContentHash {
        self.pass = pass
        registries = []
        registries = plan.classes.map { _ in KeyRegistry(in: memory) }
        let input = try FileInput(path: export.path, stamp: export.stamp)
        let report = report
        input.onProgress = { bytesRead in
            try report.consume(.progress(LegacyProgress(bytesRead: after + bytesRead, byteCount: total)))
        }
        let repairs = try export.walk(input) { name, members, position in
            try add(members, to: name, at: position)
        }
        try input.checkUnchanged()
        if pass == .records {
            for _ in 0..<repairs.replacedCount {
                try report.warn(.replacedText) {
                    "A text holds half of a character; the half was replaced by U+FFFD."
                }
            }
            for _ in 0..<repairs.repeatedClassCount {
                try report.warn(.repeatedField) {
                    "An object says its class twice; the first is its class, and the later one a property."
                }
            }
        }
        return input.contentHash
    }

    // MARK: Objects

    private func add(_ members: [JSONMember], to className: String, at position: Int) throws {
        guard let index = plan.topLevel[className] else {
            // The survey has seen every class of the file, and the file has not changed since.
            throw LegacyError(
                .changedWhileReading,
                "The file has a class that it did not have before.",
                advice: "Copy it to a place of its own and read the copy."
            )
        }
        let classPlan = plan.classes[index]
        guard !classPlan.isSkipped else {
            if pass == .records { report.skip(className) }
            return
        }
        guard pass != .numbers || classPlan.hasNumbers, pass != .lists || classPlan.hasLists else {
            return
        }
        let object = try withoutRepeats(members) { "\(className) \(position)" }
        let proposed = proposedKey(object, classPlan, at: position)
        let isMade = proposed.isMade
        let key = try claim(proposed.text, index, isMade: isMade)
        if isMade, pass == .records {
            try report.warn(.missingKey) {
                "\(className) \(position) has no key that an identifier can be; it gets \(key)."
            }
        }
        guard pass != .numbers else {
            if case .number(let number)? = object["_key"], let number = number.integer {
                let keys = keysByNumber[index] ?? RememberedMap(in: memory)
                keysByNumber[index] = keys
                try keys.updateValue(RecordKey(key), of: UInt64(bitPattern: number))
            }
            return
        }
        try emit(object, index, key: key)
    }

    /// The last of the members that have the same name, byte for byte, with a warning where there are others.
    func withoutRepeats(_ members: [JSONMember], _ place: () -> String) throws -> [JSONMember] {
        let rest = members.withoutRepeats
        if pass == .records, rest.count < members.count {
            try report.warn(.repeatedField) {
                "\(place()) has a property twice; the later value counts."
            }
        }
        return rest
    }

    /// The key that an object should have.
    private struct ProposedKey {
        let text: String
        /// Whether it was made because what should name it cannot.
        var isMade = false
    }

    /// The key that an object should have, by what names those of its class.
    private func proposedKey(
        _ members: [JSONMember],
        _ classPlan: ClassPlan,
        at position: Int
    ) -> ProposedKey {
        let name = classPlan.className
        switch classPlan.key {
        case .property(let property):
            let value = members[property].flatMap {
                KeyText($0, hasWrappers: traits.hasWrappers)?.text
            }
            let isUsable = value.map(KeyRegistry.isUsable) ?? false
            let key = ExportPlan.recordKey(className: name, text: value)
            if isUsable { return ProposedKey(text: key) }
            return ProposedKey(text: key, isMade: true)
        case .number:
            let number = members["_key"].flatMap { KeyText($0, hasWrappers: false)?.text }
            return ProposedKey(text: ExportPlan.recordKey(className: name, number: number ?? ""))
        case .position, .owner:
            return ProposedKey(text: ExportPlan.recordKey(className: name, position: position))
        }
    }

    /// The key of the object with a number.
    func key(ofNumber number: Int64, _ index: Int) throws(LegacyError) -> String? {
        try keysByNumber[index]?.value(of: UInt64(bitPattern: number))?.text
    }

    func claim(_ key: String, _ index: Int, isMade: Bool = false) throws -> String {
        let (claimed, isRepeated) = try registries[index].claim(RecordKey(key))
        if isRepeated, !isMade, pass == .records {
            try report.warn(.duplicateKey) {
                "\(plan.classes[index].className) repeats the key \(LibraryReport.quoted(key)); "
                    + "the later one gets \(claimed.text)."
            }
        }
        return claimed.text
    }

    func emit(_ members: [JSONMember], _ index: Int, key: String) throws {
        let classPlan = plan.classes[index]
        var values = [LegacyValue?](repeating: nil, count: classPlan.columns.count)
        for member in members {
            guard let place = classPlan.places[member.name] else {
                // Only of objects at the top has the survey seen every property.
                if classPlan.key == .owner { try leaveOut(member.name, classPlan, key) }
                continue
            }
            let column = classPlan.columns[place]
            values[place] = try value(member.value, column, of: classPlan, key: key)
        }
        guard pass == .records else { return }
        var fields: [LegacyField] = []
        fields.reserveCapacity(values.count)
        for (column, value) in zip(classPlan.columns, values) {
            if let value {
                fields.append(LegacyField(column.name, value))
            } else if !column.isOptional, let value = column.shape.emptyValue {
                try report.warn(.missingValue) {
                    "\(classPlan.className) \(LibraryReport.quoted(key)) has no \(column.property), "
                        + "which the schema requires; it is empty or zero."
                }
                fields.append(LegacyField(column.name, value))
            }
        }
        try report.emit(
            LegacyRecord(className: classPlan.model, key: key, fields: fields)
        )
    }

    private func leaveOut(_ property: String, _ classPlan: ClassPlan, _ key: String) throws {
        guard pass == .records else { return }
        try report.warn(.unmappedProperty) {
            "\(classPlan.className) \(LibraryReport.quoted(key)) has \(property), which has no place; "
                + "it was left out."
        }
    }

    // MARK: Values

    private func value(
        _ value: JSONValue,
        _ column: ClassPlan.Column,
        of classPlan: ClassPlan,
        key: String
    ) throws -> LegacyValue? {
        let place = Place(column: column, classPlan: classPlan, key: key)
        switch column.shape {
        case .none: return nil
        case .gone:
            if value != .null { try leaveOut(place) }
            return nil
        case .references(let target):
            guard pass == .lists else { return nil }
            try list(value, target, place)
            return nil
        case .owned(let owned):
            guard pass == .records || plan.classes[owned].hasLists else { return nil }
            return try self.owned(value, owned, place, index: nil).map { .reference($0) }
        case .ownedList(let owned):
            guard pass == .records || plan.classes[owned].hasLists else { return nil }
            var keys = LegacyReferences()
            for (index, element) in (try elements(of: value, place) ?? []).enumerated() {
                if let key = try self.owned(element, owned, place, index: index) {
                    try keys.append(RecordKey(key))
                }
            }
            return .references(keys)
        default: break
        }
        guard pass == .records else { return nil }
        switch column.shape {
        case .reference(let target):
            guard value != .null else { return nil }
            return try reference(value, target, place).map { .reference($0) }
        case .scalar(let type): return try scalar(value, type, place, isAlone: true)
        case .list(let type):
            return try elements(of: value, place).map { .list(try scalars($0, type, place)) }
        case .set(let type):
            return try elements(of: value, place).map { .set(try scalars($0, type, place)) }
        case .map(let type): return try map(value, type, place)
        default: return nil
        }
    }

    /// Where a value is, for warnings.
    struct Place {
        let column: ClassPlan.Column
        let classPlan: ClassPlan
        let key: String

        var text: String {
            "\(classPlan.className) \(LibraryReport.quoted(key)): its \(column.property)"
        }
    }

    private func scalar(
        _ value: JSONValue,
        _ type: ScalarType,
        _ place: Place,
        isAlone: Bool = false
    ) throws -> LegacyValue? {
        if traits.isFromJavaScript { try warnOfRounding(value, place) }
        switch type.convert(value, hasWrappers: traits.hasWrappers) {
        case .value(let value): return value
        case .rounded(let value):
            try report.warn(.roundedDate) {
                "\(place.text) was rounded; a Date does not hold so many digits."
            }
            return value
        case .shortened(let value):
            try report.warn(.roundedNumber) {
                "\(place.text) was rounded; a number of its type does not hold so many digits."
            }
            return value
        case .null: return nil
        case .tooLarge:
            try report.warn(.valueOutOfRange) {
                "\(place.text) is larger than a number of its type can be, and was left out."
            }
            return nil
        case .misfit:
            if isAlone, traits.handsOnMisfits,
                let value = type.unfitted(value, hasWrappers: traits.hasWrappers)
            {
                return value
            }
            try report.warn(.unexpectedType) {
                "\(place.text) is not of the type that the schema says, and was left out."
            }
            return nil
        }
    }

    private func warnOfRounding(_ value: JSONValue, _ place: Place) throws {
        guard case .number(let number) = value, number.isWhole else { return }
        if let integer = number.integer, integer.magnitude <= 1 << 53 { return }
        try report.warn(.roundedNumber) {
            "\(place.text) is beyond 2^53; JavaScript may have rounded it."
        }
    }

    private func scalars(
        _ elements: [JSONValue],
        _ type: ScalarType,
        _ place: Place
    ) throws -> [LegacyValue] {
        var values: [LegacyValue] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            if let value = try scalar(element, type, place) {
                values.append(value)
            } else if element == .null, place.column.hasNilElements {
                values.append(.null)
            } else if element == .null {
                try warnOfNull(place)
            }
        }
        return values
    }

    private func warnOfNull(_ place: Place) throws {
        try report.warn(.unexpectedType) {
            "\(place.text) holds a null where none can be; it was left out."
        }
    }

    private func map(_ value: JSONValue, _ type: ScalarType, _ place: Place) throws -> LegacyValue?
    {
        guard value != .null else { return nil }
        guard let members = value.entries(hasWrappers: traits.hasWrappers) else {
            try leaveOut(place)
            return nil
        }
        var fields: [LegacyField] = []
        for member in try withoutRepeats(members, { place.text }) {
            let name = member.name
            if let value = try scalar(member.value, type, place) {
                fields.append(LegacyField(name, value))
            } else if member.value == .null, place.column.hasNilElements {
                fields.append(LegacyField(name, .null))
            } else if member.value == .null {
                try warnOfNull(place)
            }
        }
        return .map(fields)
    }

    /// The elements of a list or a set; nil for null.
    func elements(of value: JSONValue, _ place: Place) throws -> [JSONValue]? {
        switch TypedJSON(value, hasWrappers: traits.hasWrappers) {
        case .list(let elements), .set(let elements): return elements
        case .null: return nil
        default:
            try leaveOut(place)
            return nil
        }
    }

    func leaveOut(_ place: Place) throws {
        // What is no list is left out of the pass over the lists.
        if case .references = place.column.shape {
        } else if pass == .lists {
            return
        }
        try report.warn(.unexpectedType) {
            "\(place.text) is not of the type that the schema says, and was left out."
        }
    }
}
