internal import RepriseLMDB
internal import RepriseLog

/// One commit in the making: the state it works on, and the events gathered so far.
///
/// Each operation first checks all that can forbid it and only then appends events and changes the state, so that a
/// caller who catches an error goes on with a whole state (STO-15).
final class WriteSession {
    let workspace: Workspace
    var builder: CommitBuilder
    let key = KeyCell()
    /// The position of a schema that this commit declares.
    var declaredSchema: UInt64?
    /// What comes before the events of this commit that are not the first of their entities.
    private(set) var earlier = EarlierEvents()
    /// Whether that is remembered: nobody reads in the middle of a commit that is made in steps.
    var remembersEarlier = true
    /// Whether unique values and targets are looked at when the body is through.
    var defersRules = false
    /// What is to be looked at then.
    var owed = OwedRules()
    /// The time of the commit, microseconds since 1970.
    let timeMicroseconds: Int64

    init(workspace: Workspace, after state: LogState, metadata: CommitMetadata) {
        self.workspace = workspace
        timeMicroseconds = metadata.timeMicroseconds
        builder = CommitBuilder(after: state, metadata: metadata)
    }

    var schema: CompiledSchema { workspace.schema }

    /// Why an operation stopped half-way, if one did.
    private(set) var failure: (any Error)?

    /// Runs an operation that changes something. One that fails after its first event, over damage or a limit that no
    /// check could foresee, leaves a state that must not become a commit, whatever the caller makes of the error.
    func change<R>(_ operation: () throws -> R) throws -> R {
        if let failure { throw failure }
        let eventCount = builder.eventCount
        do {
            return try operation()
        } catch {
            if builder.eventCount != eventCount { failure = error }
            throw error
        }
    }

    /// Whether changes were written to the tables before the end, because a query had to see them.
    private(set) var hasFlushed = false

    /// Set where others have a share in the transaction: makes sure that what is written to its tables can be undone.
    var beforeFlush: (() throws -> Void)?

    /// Set where another thread may end the transaction before the body is through.
    var stay: FollowerStay?

    /// Makes the changes so far visible to queries.
    func synchronize() throws {
        if workspace.isEmpty, workspace.deferred == nil { return }
        hasFlushed = true
        do {
            try beforeFlush?()
            try workspace.flush()
        } catch {
            // Half of it may be in the tables, even if the body goes on as if nothing had happened.
            failure = failure ?? error
            throw error
        }
    }

    /// The commit as it was gathered; the session is of no use afterwards.
    func takeBuilder() -> CommitBuilder {
        var taken = CommitBuilder(
            after: .empty,
            metadata: CommitMetadata(timeMicroseconds: 0, schema: 0)
        )
        swap(&taken, &builder)
        return taken
    }

    /// Appends an event of an entity and returns its position.
    func record(
        _ type: EventType,
        _ model: UInt16,
        id: UnsafeRawBufferPointer,
        previous: UInt64,
        cause: UInt64,
        version: UInt32 = Change.currentVersion,
        body: (inout ByteWriter) -> Void
    ) throws -> UInt64 {
        let position = try unsafe builder.append(
            type: type,
            version: version,
            model: model,
            id: id,
            previous: previous,
            cause: cause,
            body: body
        )
        if previous != 0, remembersEarlier {
            earlier.append(position, previous: previous, isConsequence: cause != 0)
        }
        return position
    }

    /// Appends an event that belongs to no entity.
    ///
    /// - Parameter previous: the event of a declaration of the schema before this one.
    func record(
        _ type: EventType,
        previous: UInt64 = 0,
        body: (inout ByteWriter) -> Void
    ) throws -> UInt64 {
        try unsafe record(
            type,
            0,
            id: UnsafeRawBufferPointer(start: nil, count: 0),
            previous: previous,
            cause: 0,
            body: body
        )
    }

    func reference(_ model: CompiledModel, _ id: UnsafeRawBufferPointer) -> EntityReference {
        EntityReference(model: model.name, id: unsafe String(decoding: id, as: UTF8.self))
    }

    func reference(_ key: EntityKey) throws -> EntityReference {
        EntityReference(model: try schema.model(key.model).name, id: key.text)
    }
}

/// The key of the row that an operation is about, kept between operations to spare an allocation each.
final class KeyCell {
    var buffer = KeyBuffer()

    /// Whether a row could have these bytes as its identifier.
    static func canBeIdentifier(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var escaped = bytes.count
        for index in 0..<bytes.count where unsafe bytes[index] == 0 { escaped += 1 }
        return unsafe !bytes.isEmpty && escaped <= identifierByteCountMax
    }

    /// The key for an identifier, which is checked. Valid until the next call.
    func row(_ model: CompiledModel, _ id: String) throws(StoreError) -> UnsafeRawBufferPointer {
        var text = id
        let isValid = text.withUTF8 { bytes in
            var escaped = bytes.count
            for index in 0..<bytes.count where unsafe bytes[index] == 0 { escaped += 1 }
            guard escaped <= identifierByteCountMax else { return false }
            unsafe buffer.setRow(model: model.number, id: UnsafeRawBufferPointer(bytes))
            return true
        }
        guard isValid else { throw .invalidIdentifier(id) }
        return unsafe buffer.bytes
    }
}
