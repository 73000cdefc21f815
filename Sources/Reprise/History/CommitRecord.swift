internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One commit of the log, read back for people and tools.
public struct CommitRecord: Sendable {
    /// The position of its first event.
    public let position: Position
    /// The position of its last event.
    public let lastPosition: Position
    /// What the clock said then; it may be before the time of an earlier commit (HIS-03).
    public let at: Date
    /// The intent of the commit; empty where it was given none.
    public let intent: String
    /// The actor of the commit; empty where it was given none.
    public let actor: String
    /// The text that ties the commit to others; empty where it was given none.
    public let correlation: String
    /// The event that led to it.
    public let causation: Position?
    /// The stretches of the log that it has taken back, the newest first, where it says so beside its causation: of
    /// several commits, or under an intent of a program.
    package let takenBack: [ClosedRange<Position>]
    /// The number of the schema in force.
    public let schema: Int
    /// The hash of its last block: through the chain it covers everything up to here. 64 hexadecimal digits.
    public let hash: String
    /// The digest of the state after it.
    public let digest: StateDigest
    /// Its events in order, as far as they were asked for.
    public let events: [EventRecord]
}

/// One event, read back by stored names.
public struct EventRecord: Sendable {
    /// Its position in the log.
    public let position: Position
    /// The stored name of the event's type, such as `inserted`; `unknown` for one of a newer version.
    public let type: String
    /// The version of the event's type.
    public let version: Int
    /// The entity that it is about: of a list entry the owner; nil where it is about none.
    public let entity: EntityReference?
    /// The event that this one is a consequence of.
    public let cause: Position?
    /// The position of the entity's event before this one.
    public let previous: Position?
    /// What changed, attribute by attribute, in the order of the schema. Of a list entry: `entry` with the target.
    public let changes: [Change]
    /// What an application wrote into the log with this event; nil for every other type.
    public let annotation: Annotation?

    /// What an event says of one attribute, or of one entry of a list.
    public struct Change: Sendable, Hashable {
        /// The attribute's stored name, or the relationship's for list entries.
        public let name: String
        /// What was there before; ``Value/null`` where nothing was.
        public let from: Value
        /// What is there since; ``Value/null`` where nothing is.
        public let to: Value
    }
}

extension ReadTransaction {
    /// Hands over the commits that hold a position from `first` to `last`, with their events.
    ///
    /// - Parameters:
    ///   - first: where to begin.
    ///   - last: where to end; nil is the head of the log.
    ///   - reversed: the newest first.
    ///   - isWanted: which events are taken; a commit without any is left out.
    ///   - body: returns false to stop.
    public func forEachCommit(
        from first: Position = Position.origin,
        to last: Position? = nil,
        reversed: Bool = false,
        where isWanted: ((EventRecord) -> Bool)? = nil,
        _ body: (CommitRecord) throws -> Bool
    ) throws {
        try access.run {
            let log = LogReader(access.workspace.logBase, table: access.tables.log, head: state.log.head)
            let reader = EventRecordReader(schema: access.workspace.schemaInForce)
            let end = last?.rawValue ?? state.log.head
            try log.forEachCommit(from: first.rawValue, to: end, reversed: reversed) { commit in
                let time = Date(microsecondsSince1970: commit.metadata.timeMicroseconds)
                var events: [EventRecord] = []
                try log.forEachEvent(in: commit.firstPosition...commit.lastPosition) { event, _ in
                    let record = try reader.record(event, at: time)
                    if isWanted?(record) ?? true { events.append(record) }
                    return true
                }
                if events.isEmpty { return true }
                return try body(CommitRecord(commit, log, at: time, events: events))
            }
        }
    }
}

extension CommitRecord {
    init(_ commit: CommitView, _ log: LogReader, at time: Date, events: [EventRecord]) {
        self.init(
            position: Position(commit.firstPosition),
            lastPosition: Position(commit.lastPosition),
            at: time,
            intent: commit.metadata.intent,
            actor: commit.metadata.actor,
            correlation: commit.metadata.correlation,
            causation: commit.metadata.causation == 0 ? nil : Position(commit.metadata.causation),
            // A note that cannot be read does not hide the commit.
            takenBack: (try? TakenBackMark(of: commit, log))?.stretches.map {
                Position($0.lowerBound)...Position($0.upperBound)
            } ?? [],
            schema: Int(commit.metadata.schema),
            hash: commit.hash.hex,
            digest: StateDigest(commit.digest),
            events: events
        )
    }
}

extension ModelDescription {
    /// The attributes that events can tell of, removed ones too (STO-92).
    var recordedAttributes: [AttributeDescription] {
        if retiredAttributes.isEmpty { return attributes }
        // A row without a value of a removed attribute has none.
        return attributes + retiredAttributes.map { attribute in
            var attribute = attribute
            attribute.defaultValue = nil
            return attribute
        }
    }

    fileprivate func recordedAttribute(slot: Int) -> AttributeDescription? {
        attribute(slot: slot) ?? retiredAttributes.first { $0.slot == slot }
    }
}

/// Puts names to the numbers in events.
struct EventRecordReader {
    let schema: CompiledSchema

    /// - Parameter time: that of the event's commit.
    func record(_ event: EventView, at time: Date) throws -> EventRecord {
        let model = event.model == 0 ? nil : try schema.model(event.model)
        var changes: [EventRecord.Change] = []
        var annotation: Annotation?
        switch try Change(event) {
        case .inserted(let payload): changes = try unsafe image(payload, model, isGone: false)
        case .deleted(let image):
            changes = try unsafe self.image(image.payload, model, isGone: true)
        case .updated(let slots):
            for change in slots.slots {
                guard let attribute = model?.description.recordedAttribute(slot: change.slot) else { continue }
                changes.append(
                    EventRecord.Change(
                        name: attribute.name,
                        from: try unsafe value(change.from, attribute),
                        to: try unsafe value(change.to, attribute)
                    )
                )
            }
        case .linked(let relation, _, _, let target):
            changes = [entry(relation, from: nil, to: unsafe text(target))]
        case .unlinked(let relation, _, _, let target):
            changes = [entry(relation, from: unsafe text(target), to: nil)]
        case .moved(let relation, _, _, _, let target):
            changes = unsafe [entry(relation, from: text(target), to: text(target))]
        case .snapshotCreated(let content):
            changes = [
                EventRecord.Change(name: "name", from: .null, to: .string(content.name)),
                EventRecord.Change(
                    name: "position",
                    from: .null,
                    to: .int(Int(clamping: content.position))
                ),
            ]
        case .snapshotDeleted(let name):
            changes = [EventRecord.Change(name: "name", from: .string(name), to: .null)]
        case .rolledBack(let target):
            changes = [EventRecord.Change(name: "to", from: .null, to: .int(Int(clamping: target)))]
        case .annotated(let name, let key, let payload):
            changes = [EventRecord.Change(name: name, from: .null, to: .string(key))]
            annotation = unsafe Annotation(
                name: name,
                key: key,
                payload: [UInt8](payload),
                position: Position(event.position),
                recordedAt: time
            )
        case .schemaDeclared, .unknown: break
        }
        return EventRecord(
            position: Position(event.position),
            type: event.type.storedName,
            version: Int(event.version),
            entity: model.map { EntityReference(model: $0.name, id: unsafe text(event.id)) },
            cause: event.cause == 0 ? nil : Position(event.cause),
            previous: event.previous == 0 ? nil : Position(event.previous),
            changes: changes,
            annotation: annotation
        )
    }

    private func image(
        _ payload: UnsafeRawBufferPointer,
        _ model: CompiledModel?,
        isGone: Bool
    ) throws -> [EventRecord.Change] {
        let payload = try unsafe RowPayload(payload)
        return try model?.description.recordedAttributes.compactMap { attribute in
            guard let bytes = unsafe payload.slot(attribute.slot) else { return nil }
            let value = try unsafe value(bytes, attribute)
            return EventRecord.Change(
                name: attribute.name,
                from: isGone ? value : .null,
                to: isGone ? .null : value
            )
        } ?? []
    }

    private func value(
        _ bytes: UnsafeRawBufferPointer?,
        _ attribute: AttributeDescription
    ) throws(ValueError) -> Value {
        guard let bytes = unsafe bytes else { return .null }
        return try unsafe Value(decoding: bytes, as: attribute.type)
    }

    private func entry(_ relation: UInt16, from: String?, to: String?) -> EventRecord.Change {
        let relations = [schema.description.relations, schema.description.retiredRelations].joined()
        let name = relations.first { $0.number == relation }?.source.name ?? ""
        return EventRecord.Change(
            name: name,
            from: from.map { .reference($0) } ?? .null,
            to: to.map { .reference($0) } ?? .null
        )
    }

    private func text(_ bytes: UnsafeRawBufferPointer) -> String {
        unsafe String(decoding: bytes, as: UTF8.self)
    }
}

extension EventType {
    /// The name of the type in the log's JSON. Chosen by hand, and for ever.
    var storedName: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .deleted: "deleted"
        case .linked: "linked"
        case .unlinked: "unlinked"
        case .moved: "moved"
        case .schemaDeclared: "schemaDeclared"
        case .snapshotCreated: "snapshotCreated"
        case .snapshotDeleted: "snapshotDeleted"
        case .rolledBack: "rolledBack"
        case .annotated: "annotated"
        default: "unknown"
        }
    }
}
