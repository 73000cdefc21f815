import ExportFormats
import LegacyRecords
import Reprise

/// Hands on the records of a source as a mapping makes them.
final class MappedReader {
    let source: MappedSource
    let report: LibraryReport
    private(set) var keys: MappedKeys
    /// The members of lists in which each can be only once.
    private let members: RememberedKeys
    /// Whether all records keep their keys.
    private let keysAreUnchanged: Bool
    /// By class, what others have from its records.
    let names: [String: RememberedMap<ContentKey>]
    /// The records that the closure has left out: their lists go with them.
    private let leftOut: RememberedKeys
    /// The names of fields that a warning has named because the schema has none of them.
    private var unknownFields: Set<String> = []
    /// How many warnings the mapping has settled.
    private var settledCounts: [LegacyWarning.Kind: Int] = [:]
    /// The properties that a warning has named because they hold old keys.
    private var staleProperties: Set<String> = []
    /// The classes that a warning has named because the mapping leaves them out, or the closure records of them.
    private var namedClasses: Set<String> = []

    init(_ source: MappedSource, consume: @escaping (LegacyEvent) throws -> Void) {
        self.source = source
        report = LibraryReport(consume)
        let memory = RecordMemory()
        keys = MappedKeys(source.plan, memory)
        members = RememberedKeys(in: memory)
        leftOut = RememberedKeys(in: memory)
        names = source.plan.remembered.mapValues { _ in RememberedMap(in: memory) }
        keysAreUnchanged = keys.areUnchanged(in: source.plan)
    }

    func read() throws -> LegacyReading {
        for misfit in source.plan.misfits { try report.warn(misfit.kind) { misfit.message } }
        let hasKeyLists = source.plan.hasKeyLists
        let passCount: UInt64 = (keys.isFirstPassNeeded ? 2 : 1) + (hasKeyLists ? 1 : 0)
        var bytesBefore: UInt64 = 0
        if keys.isFirstPassNeeded {
            _ = try source.base.read { event in
                switch event {
                case .record(let record):
                    guard let record = try transformed(record) else { return }
                    try remember(record)
                    guard let mapped = source.plan.classes[record.className]
                    else { return }
                    try keys.learn(record, mapped, report)
                case .progress(let step): try show(step, after: 0, passCount)
                case .list, .warning: break
                }
            }
            keys.begin()
            bytesBefore = source.byteCount
        }
        var reading = try source.base.read { event in
            switch event {
            case .record(let record): try take(record)
            case .list(let list): try take(list)
            case .warning(let warning) where isSettled(warning): settledCounts[warning.kind, default: 0] += 1
            case .warning: try report.consume(event)
            case .progress(let step): try show(step, after: bytesBefore, passCount)
            }
        }
        for (kind, count) in settledCounts {
            let left = (reading.warningCounts[kind] ?? 0) - count
            reading.warningCounts[kind] = left > 0 ? left : nil
        }
        if hasKeyLists { try readKeyLists(after: bytesBefore + source.byteCount, passCount) }
        let counted = report.reading
        reading.recordCounts = counted.recordCounts
        reading.warningCounts.merge(counted.warningCounts) { $0 + $1 }
        reading.skippedCounts.merge(counted.skippedCounts) { $0 + $1 }
        return reading
    }

    /// Whether a rule of the mapping names the records that a warning says have no name, leaves them out, or calls the
    /// class otherwise.
    private func isSettled(_ warning: LegacyWarning) -> Bool {
        if warning.kind == .respelledName, let name = warning.className {
            return source.plan.classes[name]?.model != name
        }
        guard [.positionalKey, .rowNumberKey].contains(warning.kind), let name = warning.className else { return false }
        guard let mapped = source.plan.classes[name] else { return true }
        return mapped.identifier != nil
    }

    func show(_ step: LegacyProgress, after before: UInt64, _ passCount: UInt64) throws {
        try report.consume(
            .progress(
                LegacyProgress(
                    bytesRead: before + step.bytesRead,
                    byteCount: step.byteCount * passCount
                )
            )
        )
    }

    func transformed(_ record: LegacyRecord) throws -> LegacyRecord? {
        guard let transform = source.transform else { return record }
        guard let changed = try transform(record) else { return nil }
        guard changed.className == record.className, changed.key == record.key else {
            throw LegacyError(
                .malformed,
                "The closure has made \(changed.className) \(LibraryReport.quoted(changed.key)) of"
                    + " \(record.className) \(LibraryReport.quoted(record.key)).",
                advice: "Keep the class and the key; a mapping can change both."
            )
        }
        return changed
    }

    // MARK: Records

    private func take(_ record: LegacyRecord) throws {
        guard let mapped = source.plan.classes[record.className] else {
            if source.plan.remembered[record.className] != nil { return }
            report.skip(record.className)
            // A class without a model is none that the mapping leaves out, and was named before.
            guard source.plan.droppedClasses.contains(record.className) else { return }
            return try nameClass(of: record) { "The mapping leaves out \($0)." }
        }
        guard let record = try transformed(record) else {
            try leftOut.insert(record.key, of: record.className)
            report.skip(record.className)
            return try nameClass(of: record) { "The closure leaves out records of \($0)." }
        }
        guard let key = try keys.key(record.key, of: mapped) else {
            throw LegacyError(
                .malformed,
                "The closure has left out \(record.className) \(LibraryReport.quoted(record.key)) at first, and not"
                    + " later.",
                advice: "A closure must depend on the record alone."
            )
        }
        var fields: [LegacyField] = []
        fields.reserveCapacity(record.fields.count)
        var given: Set<String> = []
        let defaults = mapped.defaults
        for field in record.fields {
            if let list = mapped.lists[field.name] {
                // Members that are named by keys may come later: their lists are handed on when all have.
                guard !list.isNamedByKeys, case .references(let members) = field.value else {
                    continue
                }
                fields.append(
                    LegacyField(list.name, .references(try self.members(members, of: list)))
                )
                continue
            }
            guard let rule = mapped.fields[field.name] else {
                if source.transform != nil { try warnOfUnknown(field.name, record) }
                continue
            }
            guard let value = try value(field.value, rule, field.name, record) else { continue }
            fields.append(LegacyField(rule.name, value))
            if !defaults.isEmpty { given.insert(rule.name) }
        }
        for name in mapped.followed {
            if let text = try followed(name, record) { fields.append(LegacyField(name.name, .string(text))) }
        }
        for entry in defaults where !given.contains(entry.name) {
            guard let rule = mapped.fields[entry.field] else { continue }
            switch entry.value.fitted(to: rule.type) {
            case .value(let value), .rounded(let value), .shortened(let value):
                fields.append(LegacyField(entry.name, value))
            case .refused(let kind, let reason):
                try leaveOut(kind, "has a default that \(reason)", entry.field, record)
            }
        }
        try report.emit(LegacyRecord(className: mapped.model, key: key, fields: fields, times: record.times))
    }

    /// Says once of a class that it is left out, or records of it.
    private func nameClass(of record: LegacyRecord, _ message: (String) -> String) throws {
        guard namedClasses.insert(record.className).inserted else { return }
        try report.warn(.leftOutByMapping) { message(record.className) }
    }

    private func value(
        _ value: LegacyValue,
        _ rule: MappedClass.Field,
        _ name: String,
        _ record: LegacyRecord
    ) throws -> LegacyValue? {
        if case .reference(let key) = value { return try reference(to: key, rule) }
        var value = value
        if let held = rule.held { value = try self.value(value, holding: held, name, record) }
        // Where the types of an export are told by its values, those of one to be split may all be numbers.
        if rule.separator != nil, let text = value.identifierText { value = .string(text) }
        if case .string(var text) = value {
            if rule.isTrimmed {
                text = text.withoutSpacesAround
                if text.isEmpty, rule.defaultValue != nil { return nil }
                value = .string(text)
            }
            if let separator = rule.separator {
                let parts = text.split(separator: separator, omittingEmptySubsequences: false)
                    .map { rule.isTrimmed ? String($0).withoutSpacesAround : String($0) }
                value = .list(parts.filter { !$0.isEmpty }.map { .string($0) })
            }
        }
        if rule.type == .reference { return try reference(value, rule, name, record) }
        switch value.fitted(to: rule.given, rule.type) {
        case .value(let fitted) where rule.isMilliseconds: return fitted.inSeconds
        case .value(.integer(let number)):
            if let bounds = rule.bounds, !bounds.contains(number) {
                try leaveOut(.valueOutOfRange, "is \(number)", name, record)
                return nil
            }
            return .integer(number)
        case .value(let fitted): return fitted
        case .rounded(let fitted):
            try report.warn(.roundedDate) {
                "The \(name) of \(record.className) \(LibraryReport.quoted(record.key)) was rounded; a Date does not"
                    + " hold so many digits."
            }
            return fitted
        case .shortened(let fitted):
            try report.warn(.roundedNumber) {
                "The \(name) of \(record.className) \(LibraryReport.quoted(record.key)) was rounded; a Double does not"
                    + " hold so many digits."
            }
            return fitted
        case .refused(let kind, let reason):
            try leaveOut(kind, reason, name, record)
            return nil
        }
    }

    /// The key that what another record names has after the mapping. What is no record of the export may be a row of
    /// the store.
    private func key(_ key: String, of mapped: MappedClass) throws(LegacyError) -> String? {
        try keys.key(key, of: mapped) ?? (source.namesRowsOfStore ? key : nil)
    }

    private func reference(to key: String, _ rule: MappedClass.Field) throws -> LegacyValue? {
        guard let target = rule.target, let mapped = source.plan.classes[target] else { return nil }
        guard let named = try self.key(key, of: mapped) else {
            try warnOfMissing(key, mapped)
            return nil
        }
        return .reference(named)
    }

    /// The record that a text or a number names by its key.
    private func reference(
        _ value: LegacyValue,
        _ rule: MappedClass.Field,
        _ name: String,
        _ record: LegacyRecord
    ) throws -> LegacyValue? {
        guard value != .null, value != .string("") else { return nil }
        guard let key = value.identifierText else {
            try leaveOut(.unexpectedType, "is no key of a record", name, record)
            return nil
        }
        return try reference(to: key, rule)
    }

    /// A value in which the identifiers of records are those that they have after the mapping.
    private func value(
        _ value: LegacyValue,
        holding held: HeldIdentifiers,
        _ name: String,
        _ record: LegacyRecord
    ) throws -> LegacyValue {
        switch (held, value) {
        case (.map(let target), .map(let entries)):
            guard let mapped = source.plan.classes[target], !keys.areUnchanged(of: mapped) else {
                return value
            }
            return .map(
                try entries.map { entry in
                    guard case .string(let key) = entry.value else { return entry }
                    guard let named = try keys.key(key, of: mapped) else {
                        try warnOfMissing(key, mapped)
                        return LegacyField(entry.name, .null)
                    }
                    return LegacyField(entry.name, .string(named))
                }
            )
        case (.text, .string(let text)):
            guard text.utf8.count > 0, text.contains("{\"$link\":["), !keysAreUnchanged else {
                return value
            }
            let property = "\(record.className).\(name)"
            guard staleProperties.insert(property).inserted else { return value }
            try report.warn(.staleIdentifier) {
                "The texts of \(property) name objects by the identifiers that they had before the mapping; they stay"
                    + " as they are."
            }
            return value
        default: return value
        }
    }

    func leaveOut(
        _ kind: LegacyWarning.Kind,
        _ reason: String,
        _ name: String,
        _ record: LegacyRecord
    ) throws {
        try report.warn(kind) {
            "The \(name) of \(record.className) \(LibraryReport.quoted(record.key)) \(reason) and was left out."
        }
    }

    /// Says of a field that the closure has added that the schema has none of that name.
    private func warnOfUnknown(_ name: String, _ record: LegacyRecord) throws {
        guard !source.knows(name, of: record.className),
            unknownFields.insert("\(record.className).\(name)").inserted
        else { return }
        try report.warn(.unmappedProperty) {
            "The closure gives \(record.className) a field \(LibraryReport.quoted(name)), which the schema of the"
                + " export has not; it was left out."
        }
    }

    private func warnOfMissing(_ key: String, _ mapped: MappedClass) throws {
        try report.warn(.missingTarget) {
            "\(mapped.className) \(LibraryReport.quoted(key)) is named and does not exist; that was left out."
        }
    }

    // MARK: Lists

    private func take(_ list: LegacyList) throws {
        guard let mapped = source.plan.classes[list.className],
            let there = mapped.lists[list.name]
        else { return }
        if try leftOut.contains(list.key, of: list.className) { return }
        guard let key = try keys.key(list.key, of: mapped) else { return }
        try report.consume(
            .list(
                LegacyList(
                    className: mapped.model,
                    key: key,
                    name: there.name,
                    members: try members(list.members, of: there)
                )
            )
        )
    }

    func members(
        _ members: LegacyReferences,
        of list: MappedClass.List
    ) throws -> LegacyReferences {
        guard let mapped = source.plan.classes[list.target] else { return LegacyReferences() }
        if !list.isExclusive, keys.areUnchanged(of: mapped) { return members }
        var found = LegacyReferences()
        for member in members {
            guard let key = try key(member, of: mapped) else {
                try warnOfMissing(member, mapped)
                continue
            }
            if list.isExclusive,
                try !self.members.insert(key, of: mapped.model + "." + list.name)
            {
                try report.warn(.repeatedMember) {
                    "The \(mapped.model) \(LibraryReport.quoted(key)) is in a second one of the lists \(list.name), or"
                        + " twice in one; it stays where it was first."
                }
                continue
            }
            try found.append(RecordKey(key))
        }
        return found
    }
}
