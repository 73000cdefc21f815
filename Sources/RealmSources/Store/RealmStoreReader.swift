import LegacyRecords
import RealmFile
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns the objects of a Realm file into records of its own schema.
final class RealmStoreReader {
    private let source: RealmStoreSource
    private let report: LibraryReport
    /// What is read with: the source's, or one for what is whole.
    private var realm: RealmReader
    /// Where the last object of each class was found.
    private var lookups: [Int: RealmClass.Lookup] = [:]
    private var steps: RealmReadingSteps

    init(_ source: RealmStoreSource, consume: @escaping (LegacyEvent) throws -> Void) {
        self.source = source
        report = LibraryReport(consume)
        realm = source.file.realm
        steps = RealmReadingSteps(byteCount: source.byteCount, recordPartCount: 2)
    }

    func read() throws -> LegacyReading {
        for note in source.store.notes { try report.warn(note) }
        realm = try source.file.trusted(makesModels: true, report) { [self] progress in
            try show(steps.progress(done: progress.objectsRead, of: progress.objectCount))
        }
        steps.begin()
        let hash = try source.contentHash { [self] progress in
            try show(
                steps.progress(
                    done: Int(clamping: progress.bytesRead),
                    of: Int(clamping: progress.byteCount)
                )
            )
        }
        let models = source.recordOrder.compactMap { name in
            source.store.models.compactMap(\.self).first { $0.name == name }?.read(with: realm)
        }
        let objectCount = models.reduce(0) { $0 + $1.realmClass.objectCount }
        steps.begin(objectCount)
        for model in models { try emitRecords(of: model) }
        steps.begin(objectCount)
        for model in models { try emitLists(of: model) }
        try source.file.checkUnchanged()
        var reading = report.reading
        reading.byteCount = source.byteCount
        reading.contentHash = hash
        return reading
    }

    private func show(_ progress: LegacyProgress) throws {
        try report.consume(.progress(progress))
    }

    // MARK: Records

    private func emitRecords(of model: RealmStoreSchema.Model) throws {
        try model.realmClass.forEachObject { object in
            let key = try RealmRecordKeys.key(of: object)
            if key.replacesPrimaryKey {
                try report.warn(.missingKey) {
                    "\(model.name) \(object.key) has a primary key that no identifier can be; it gets \(key.text)."
                }
            }
            var fields: [LegacyField] = []
            fields.reserveCapacity(model.parts.count)
            for (part, property) in zip(model.parts, model.realmClass.properties) {
                if let field = try field(part, property, object) { fields.append(field) }
            }
            try report.emit(
                LegacyRecord(
                    className: model.name,
                    key: key.text,
                    fields: fields
                )
            )
            if let progress = steps.advance() { try show(progress) }
            return true
        }
    }

    private func field(
        _ part: RealmStoreSchema.Part,
        _ property: RealmClass.Property,
        _ object: RealmObject
    ) throws -> LegacyField? {
        switch part {
        case .key, .toMany, .lost: return nil
        case .attribute(let name, let type):
            return try value(object.value(property), type, property, object)
                .map { LegacyField(name, $0) }
        case .mixed(let name):
            let value = try object.value(property)
            if case .null = value { return nil }
            return LegacyField(name, .string(try text(of: value)))
        case .toOne(let name):
            guard case .link(let link) = try object.value(property) else {
                try warnOfUnresolved(object, property)
                return nil
            }
            return try key(of: link).map { LegacyField(name, .reference($0)) }
        case .linkMap(let name):
            guard case .dictionary(let entries) = try object.value(property) else { return nil }
            try warnOfUnresolved(object, property)
            var size = StoredSize()
            var fields: [LegacyField] = []
            try entries.forEach { entry in
                let field = try linkEntry(entry)
                size.add(key: field.name)
                size.add(field.value)
                fields.append(field)
                return !size.isTooLarge
            }
            return LegacyField(name, .map(fields))
        }
    }

    private func linkEntry(_ entry: RealmValue.Entry) throws -> LegacyField {
        let target: RealmLink? =
            switch entry.value {
            case .link(let link), .typedLink(let link): link
            default: nil
            }
        var value = LegacyValue.null
        if let target, let key = try key(of: target) { value = .string(key) }
        return LegacyField(entry.key.dictionaryKey, value)
    }

    /// A value as one of `type`; nil where there is none.
    private func value(
        _ value: RealmValue,
        _ type: ValueType,
        _ property: RealmClass.Property,
        _ object: RealmObject,
        isOptionalElement: Bool = false
    ) throws -> LegacyValue? {
        func element(_ value: RealmValue, _ type: ValueType, _ mayBeNull: Bool) throws
            -> LegacyValue?
        {
            try self.value(value, type, property, object, isOptionalElement: mayBeNull)
                ?? (mayBeNull ? .null : nil)
        }
        var size = StoredSize()
        switch (value, type) {
        case (.list(let elements), .list(let type, let nilElements)),
            (.set(let elements), .set(let type, let nilElements)):
            var values: [LegacyValue] = []
            try elements.forEach { value in
                guard let value = try element(value, type, nilElements) else { return true }
                size.add(value)
                values.append(value)
                return !size.isTooLarge
            }
            if case .list = value { return .list(values) }
            guard !size.isTooLarge else {
                // What is left of one with repeats the store might take for all of it.
                try leaveOut("is larger than a store can hold", property, object)
                return nil
            }
            return .set(values)
        case (.dictionary(let entries), .map(let type, let nilValues)):
            var fields: [LegacyField] = []
            try entries.forEach { entry in
                guard let value = try element(entry.value, type, nilValues) else { return true }
                let field = LegacyField(entry.key.dictionaryKey, value)
                size.add(key: field.name)
                size.add(value)
                fields.append(field)
                return !size.isTooLarge
            }
            return .map(fields)
        case (.null, _): return nil
        case (.float(let number), .float): return .float(number)
        case (.decimal(let number), .decimal):
            if let decimal = number.decimal { return .decimal(decimal) }
            let reason = "\(number), which a decimal cannot hold"
            if isOptionalElement {
                // The others keep their places and their keys.
                try report.warn(.valueOutOfRange) {
                    "\(object.realmClass.name) \(object.key): its \(property.name) has \(reason); nothing stands in its"
                        + " place."
                }
            } else if property.collection != .none {
                try leaveOut("has \(reason)", property, object)
            } else {
                try leaveOut("is \(reason)", property, object)
            }
            return nil
        case (.uuid(let uuid), .uuid):
            return UUID(uuidString: uuid.description).map { .uuid($0) }
        default:
            if value.isRoundedDate {
                try report.warn(.roundedDate) {
                    "\(object.realmClass.name) \(object.key): its \(property.name) was rounded; a Date does not hold"
                        + " so many digits."
                }
            }
            return value.legacy
        }
    }

    private func leaveOut(
        _ reason: String,
        _ property: RealmClass.Property,
        _ object: RealmObject
    ) throws {
        try report.warn(.valueOutOfRange) {
            "\(object.realmClass.name) \(object.key): its \(property.name) \(reason); it was left out."
        }
    }

    private func warnOfUnresolved(_ object: RealmObject, _ property: RealmClass.Property) throws {
        let count = try object.unresolvedLinkCount(property)
        guard count > 0 else { return }
        try report.warn(.unresolvedLink) {
            "\(object.realmClass.name) \(object.key) names \(count) objects that never arrived; they were left out of"
                + " \(property.name)."
        }
    }

    /// A value of any type as JSON, in which objects are named by their records. Of one that is larger than a store can
    /// hold, somewhat more than that.
    private func text(of value: RealmValue) throws -> String {
        var writer = RealmDumpWriter(realm, showsAllData: true) {
            [self] link throws(RealmFileError) in
            do {
                return try key(of: link) ?? ""
            } catch let error as RealmFileError {
                throw error
            } catch {
                return ""
            }
        }
        struct IsTooLarge: Error {}
        var text: [UInt8] = []
        do {
            try writer.value(value) { piece in
                text += piece
                guard text.count <= rowByteCountMax else { throw IsTooLarge() }
            }
            text += writer.bytes
        } catch is IsTooLarge {}
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Lists

    private func emitLists(of model: RealmStoreSchema.Model) throws {
        var lists: [(name: String, property: RealmClass.Property)] = []
        for (part, property) in zip(model.parts, model.realmClass.properties) {
            if case .toMany(let name) = part { lists.append((name, property)) }
        }
        guard !lists.isEmpty else { return }
        try model.realmClass.forEachObject { object in
            for (name, property) in lists { try emit(name, property, object, model) }
            if let progress = steps.advance() { try show(progress) }
            return true
        }
    }

    private func emit(
        _ name: String,
        _ property: RealmClass.Property,
        _ object: RealmObject,
        _ model: RealmStoreSchema.Model
    ) throws {
        try warnOfUnresolved(object, property)
        var hasLinks = false
        var members = LegacyReferences()
        func append(_ link: RealmLink) throws {
            hasLinks = true
            if let key = try key(of: link) { try members.append(RecordKey(key)) }
        }
        switch try object.value(property) {
        case .list(let elements):
            try elements.forEach { element in
                if let link = element.link { try append(link) }
                return true
            }
        case .set(let elements):
            var links: [RealmLink] = []
            try elements.forEach { element in
                if let link = element.link {
                    try LegacyReferences.checkCount(links.count)
                    links.append(link)
                }
                return true
            }
            // In a set the order in the file means nothing; this one is always the same.
            for link in links.sorted(by: { $0.key < $1.key }) { try append(link) }
        default: return
        }
        guard hasLinks else { return }
        let list = LegacyList(
            className: model.name,
            key: try RealmRecordKeys.key(of: object).text,
            name: name,
            members: members
        )
        try report.consume(.list(list))
    }

    private func key(of link: RealmLink) throws -> String? {
        guard realm.classes.indices.contains(link.classIndex),
            let object = try lookups[
                link.classIndex,
                default: realm.classes[link.classIndex].lookup()
            ]
            .object(withKey: link.key)
        else { return nil }
        return try RealmRecordKeys.key(of: object).text
    }
}

extension RealmValue {
    fileprivate var link: RealmLink? {
        switch self {
        case .link(let link), .typedLink(let link): link
        default: nil
        }
    }

    /// The key of an entry of a dictionary as text.
    fileprivate var dictionaryKey: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        default: ""
        }
    }
}

extension RealmDecimal {
    /// The same number; nil where a `Decimal` has not enough digits or no such exponent, and for infinities.
    fileprivate var decimal: Decimal? {
        switch kind {
        case .infinite: return nil
        case .notANumber: return Decimal.nan
        case .finite: break
        }
        var digits = coefficient
        var power = exponent
        while digits != 0, digits.isMultiple(of: 10) {
            digits /= 10
            power += 1
        }
        if digits == 0 { return isNegative ? nil : Decimal(0) }
        // A larger exponent than Decimal has may be made smaller by more digits, of which there is room for 38.
        while power > 127, digits < UInt128.max / 1000 {
            digits *= 10
            power -= 1
        }
        guard (-128...127).contains(power) else { return nil }
        return Decimal(string: "\(isNegative ? "-" : "")\(digits)E\(power)")
    }
}
