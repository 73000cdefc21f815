internal import RepriseLMDB

/// Calls the functions of a change of the schema for all rows, and records what they make of them (STO-91).
struct RowConversions {
    /// The intent of a commit that converts rows again, and the name of the annotation in it.
    static let name = "schema.convert"

    let session: WriteSession
    /// Called after each batch with the number of rows that were looked at.
    var progress: (Int) throws -> Void = { _ in }
    /// Whether rows are converted that a rollback has brought back: the indexes of the attributes are there by now, so
    /// that values must be unique at once.
    private var isAgain = false

    init(session: WriteSession, progress: @escaping (Int) throws -> Void = { _ in }) {
        self.session = session
        self.progress = progress
    }

    /// How many rows are looked at before their changes go to the tables.
    private static let batchCount = 4096

    /// - Throws: `invalidValue` with the first ten rows that a function refuses, or that lack a required value then;
    ///   `valueTooLarge`.
    /// - Complexity: O(rows of the models · log n); memory for the events of the commit.
    func run(_ planned: [PlannedConversion]) throws {
        for (model, conversions) in try byModel(planned) {
            let refused = try convertRows(of: model, conversions)
            if let error = refused.error(model) { throw error }
        }
    }

    /// Does the same for rows that were not converted yet, and leaves those as they are that a function refuses.
    ///
    /// - Returns: how many were refused.
    func runAgain(_ planned: [PlannedConversion]) throws -> Int {
        var again = self
        again.isAgain = true
        return try byModel(planned).reduce(0) { try $0 + again.convertRows(of: $1.model, $1.conversions).count }
    }

    private func byModel(
        _ planned: [PlannedConversion]
    ) throws -> [(model: CompiledModel, conversions: [PlannedConversion])] {
        try Dictionary(grouping: planned, by: \.model).sorted { $0.key < $1.key }.map {
            (try session.schema.model($0.key), $0.value)
        }
    }

    private func convertRows(
        of model: CompiledModel,
        _ conversions: [PlannedConversion]
    ) throws -> RefusedRows {
        var refused = RefusedRows()
        var keys = KeyBatch()
        var converter = RowConverter(conversions, of: model)
        while try fill(&keys, with: model) {
            try unsafe keys.forEach { try unsafe convert($0, model, &converter, &refused) }
            try session.synchronize()
            try progress(keys.count)
        }
        return refused
    }

    /// Takes the keys of the next rows of a model, which are copied because tables must not change under a cursor.
    ///
    /// - Returns: whether there are any.
    private func fill(_ keys: inout KeyBatch, with model: CompiledModel) throws -> Bool {
        let prefix = unsafe withUnsafeBytes(of: model.number.bigEndian) { unsafe Array($0) }
        let workspace = session.workspace
        let last = keys.last
        keys.removeAll()
        var cursor = try workspace.base.cursor(workspace.tables.rows)
        var isThere = try unsafe (last ?? prefix).withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        if let last, isThere, unsafe cursor.key.elementsEqual(last) { isThere = try cursor.next() }
        while isThere, keys.count < Self.batchCount, unsafe cursor.key.starts(with: prefix) {
            unsafe keys.append(cursor.key)
            isThere = try cursor.next()
        }
        return keys.count > 0
    }

    private func convert(
        _ key: UnsafeRawBufferPointer,
        _ model: CompiledModel,
        _ converter: inout RowConverter,
        _ refused: inout RefusedRows
    ) throws {
        let found = try unsafe session.workspace.find(key)
        guard let row = found.row else { return }
        let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
        try converter.convert(payload, oldRevision: isAgain ? row.revision : nil) { attribute, error in
            unsafe refused.add(key, attribute, error)
        }
        if converter.values.isEmpty || (refused.count > 0 && !isAgain) { return }
        do {
            try unsafe session.setSlots(key, found, of: model, to: converter.values, checksUnique: isAgain)
        } catch let error as StoreError where isAgain && [.uniqueViolation, .valueTooLarge].contains(error.code) {
            unsafe refused.add(key, converter.firstAttribute, error)
        }
    }
}

/// The keys of some rows, one after the other in one piece of memory.
private struct KeyBatch {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// A copy of the last key.
    var last: [UInt8]? {
        ends.isEmpty ? nil : Array(bytes[(ends.dropLast().last ?? 0)...])
    }

    mutating func append(_ key: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try unsafe bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in ends {
                try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
    }
}
