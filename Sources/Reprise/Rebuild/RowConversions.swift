internal import RepriseLMDB

/// Calls the functions of a change of the schema for all rows, and records what they make of them (STO-91).
struct RowConversions {
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
    /// How many rows that a function refuses are named.
    private static let shownCount = 10

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
        var last: [UInt8]?
        while let keys = try nextKeys(of: model, behind: last) {
            for key in keys { try convert(key, model, conversions, &refused) }
            try session.synchronize()
            try progress(keys.count)
            last = keys.last
        }
        return refused
    }

    /// The keys of the next rows of a model, which are copied because tables must not change under a cursor.
    private func nextKeys(of model: CompiledModel, behind last: [UInt8]?) throws -> [[UInt8]]? {
        let prefix = unsafe withUnsafeBytes(of: model.number.bigEndian) { unsafe Array($0) }
        let workspace = session.workspace
        var keys: [[UInt8]] = []
        var cursor = try workspace.base.cursor(workspace.tables.rows)
        var isThere = try unsafe (last ?? prefix).withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        if let last, isThere, unsafe cursor.key.elementsEqual(last) { isThere = try cursor.next() }
        while isThere, keys.count < Self.batchCount, unsafe cursor.key.starts(with: prefix) {
            keys.append(unsafe [UInt8](cursor.key))
            isThere = try cursor.next()
        }
        return keys.isEmpty ? nil : keys
    }

    private func convert(
        _ key: [UInt8],
        _ model: CompiledModel,
        _ conversions: [PlannedConversion],
        _ refused: inout RefusedRows
    ) throws {
        try unsafe key.withUnsafeBytes { key in
            guard let row = try unsafe session.workspace.row(key) else { return }
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            var values: [Int: [UInt8]] = [:]
            for planned in conversions where isWanted(planned, payload) {
                var writer = RowPayloadWriter(capacity: 64)
                let isRequired = model.attribute(slot: planned.slot)?.isOptional == false
                do {
                    if try planned.append(of: payload, to: &writer) {
                        values[planned.slot] = unsafe [UInt8](writer.bytes)
                    } else if isRequired {
                        throw ValueError(.missingValue)
                    }
                } catch let error as ValueError where error.code == .missingValue && !isRequired {
                    // The function does not take nil, and nil stays nil.
                } catch {
                    unsafe refused.add(key, planned.attribute, error)
                }
            }
            if values.isEmpty || (refused.count > 0 && !isAgain) { return }
            do {
                try unsafe session.setSlots(key, to: values, checksUnique: isAgain)
            } catch let error as StoreError where error.code == .uniqueViolation {
                unsafe refused.add(key, conversions[0].attribute, error)
            }
        }
    }

    /// Whether a row has no value yet; when rows are converted again, only those have to that were not converted. Where
    /// nil may be a newer value, these are the ones that have older values.
    private func isWanted(_ planned: PlannedConversion, _ payload: RowPayload) -> Bool {
        unsafe payload.slot(planned.slot) == nil
            && (!isAgain || planned.isRequired || planned.hasOrigins(payload))
    }

    /// The rows that functions refuse.
    private struct RefusedRows {
        private(set) var count = 0
        private var shown: [String] = []
        private var attributes: Set<String> = []

        mutating func add(_ key: UnsafeRawBufferPointer, _ attribute: String, _ error: any Error) {
            count += 1
            attributes.insert(attribute)
            guard shown.count < RowConversions.shownCount else { return }
            let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
            shown.append("\(id) (\(error))")
        }

        func error(_ model: CompiledModel) -> StoreError? {
            if count == 0 { return nil }
            let more = count > shown.count ? " and \(count - shown.count) more" : ""
            return StoreError(
                .invalidValue,
                "\(model.name).\(attributes.sorted().joined(separator: ", ")) cannot be made of the values of "
                    + "\(shown.joined(separator: ", "))\(more).",
                advice: "Let the function take them, or return nil for an optional attribute. Nothing was changed."
            )
        }
    }
}
